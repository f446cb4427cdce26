// SPDX-License-Identifier: Apache-2.0
/* Laws that are wrong by one message, in simulated trials of recipes that are right: each is found,
 * at the step where it is wrong, and as what it is; and what docs/recipes.md says of wrong laws and
 * broken locks is what zkherd says. Tests run in the folder that README.md is in. */
#include "tests/support/csv_file.h"
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"

#define CLIENTS 4

static struct recipe recipe;
static struct simulation simulation;
static struct trial_plan plan;
static struct trial_result *result;

/* What the law of the second release has one too many, or too few, of. */
static enum tally_kind wrong_kind;
static void (*right_release)(const struct law_view *view, struct tally *cost);

static void wrong_release(const struct law_view *view, struct tally *cost)
{
    right_release(view, cost);
    if (view->releases == 1)
        tally_add(cost, wrong_kind, 1);
}

static void wrong_the_other_way(const struct law_view *view, struct tally *cost)
{
    right_release(view, cost);
    if (view->releases == 1)
        cost->of[wrong_kind]--;
}

static void run(void)
{
    trial_result_free(result);
    result = simulation_run(&simulation, &plan);
}

FIXTURE(set_up)
{
    simulation_init(&simulation, 1);
    plan = simulation_plan(&simulation, &recipe, CLIENTS);
    return 0;
}

FIXTURE(tear_down)
{
    trial_result_free(result);
    result = NULL;
    return 0;
}

/* Runs the recipe with a law that is wrong at its second release, which opens row 2. */
static const struct violation *run_wrong(const char *name, enum tally_kind kind,
                                         void (*release)(const struct law_view *, struct tally *))
{
    recipe = *registry_find(name);
    right_release = recipe.law.release;
    recipe.law.release = release;
    wrong_kind = kind;
    run();
    assert_int_equal(result->violation_count, 1);
    assert_int_equal(result->memory->violations[0].handoff, 2);
    assert_int_equal(result->memory->violations[0].tally, kind);
    return &result->memory->violations[0];
}

/* However long the last notification of a step is on its way. */
TEST_BETWEEN(test_the_right_law_is_found_right, set_up, tear_down)
{
    static const char *const names[] = {"childwatch", "nonscalable", "scalable"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        recipe = *registry_find(names[i]);
        for (plan.fleet.seed = 1; plan.fleet.seed <= 20; plan.fleet.seed++) {
            run();
            assert_int_equal(result->violation_count, 0);
            assert_int_equal(result->end, END_DONE);
            assert_true(result->has_law);
        }
    }
}

/* Whatever the kind, there are no more of it than the law says, and no fewer. */
TEST_BETWEEN(test_one_message_more_or_less_is_found, set_up, tear_down)
{
    static const enum tally_kind kinds[] = {TALLY_GET_CHILDREN, TALLY_DELETE,
                                            TALLY_NOTIFICATION_SPURIOUS, TALLY_NAMES_LISTED};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct violation *found = run_wrong("childwatch", kinds[i], wrong_release);
        assert_int_equal(found->kind, VIOLATION_LAW);
        assert_int_equal(found->expected, found->found + 1);
        found = run_wrong("childwatch", kinds[i], wrong_the_other_way);
        assert_int_equal(found->kind, VIOLATION_LAW);
        assert_int_equal(found->expected, found->found - 1);
    }
}

/* The lock is held as it should be at the deadline. */
TEST_BETWEEN(test_a_notification_that_nobody_sends_is_the_laws_error, set_up, tear_down)
{
    const struct violation *found = run_wrong("nonscalable", TALLY_NOTIFICATION, wrong_release);
    assert_int_equal(found->kind, VIOLATION_LAW);
    assert_int_equal(found->expected, 3);
    assert_int_equal(found->found, 2);
    assert_int_equal(result->end, END_VIOLATION);
}

static enum recipe_step release_nothing(struct contender *s)
{
    BEGIN;
    RELEASED;
    END;
}

static const int line_of_release = __LINE__ - 4;

/* It wakes nobody: whoever waits has a watch, and the place to look is the release. */
TEST_BETWEEN(test_a_release_that_sends_nothing_is_named, set_up, tear_down)
{
    static const struct {
        const char *recipe, *words;
    } cases[] = {{"scalable", "deletes"}, {"nonscalable", "deletes"}, {"ticket", "multis"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[256], expected[256];
        recipe = *registry_find(cases[i].recipe);
        recipe.release = release_nothing;
        run();
        assert_int_equal(result->violation_count, 1);
        assert_int_equal(result->memory->violations[0].kind, VIOLATION_UNSENT);
        snprintf(
            expected, sizeof expected,
            "lock 0, handoff 1: %s: the law says that a release sends 1, session 0 sent 0, and "
            "ended it at %s:%d",
            cases[i].words, __FILE__, line_of_release);
        assert_string_equal(violation_describe(&result->memory->violations[0], words, sizeof words),
                            expected);
    }
}

/* A queue that is said to be shared: the second that arrives is to hold beside the first. */
TEST_BETWEEN(test_as_many_hold_as_the_law_says, set_up, tear_down)
{
    recipe = *registry_find("childwatch");
    recipe.shares = recipe_all_share;
    run();
    assert_int_equal(result->violation_count, 1);
    assert_int_equal(result->memory->violations[0].kind, VIOLATION_HOLDERS);
    assert_int_equal(result->memory->violations[0].expected, 2);
    assert_int_equal(result->memory->violations[0].found, 1);
}

TEST_BETWEEN(test_there_are_as_many_handoffs_as_were_asked_for, set_up, tear_down)
{
    recipe = *registry_find("scalable");
    plan.workload = WORKLOAD_STEADY;
    for (plan.handoffs = CLIENTS; plan.handoffs <= 3 * CLIENTS; plan.handoffs++) {
        run();
        assert_int_equal(result->handoffs, plan.handoffs);
        assert_int_equal(result->violation_count, 0);
    }
}

/* The holder is told of who arrives: that wakes nobody, and may come when all else is at rest. */
static void too_few(const struct law_view *view, struct tally *cost)
{
    registry_find("childwatch")->law.arrival(view, cost);
    if (view->held)
        cost->of[TALLY_NOTIFICATION] = cost->of[TALLY_NOTIFICATION_SPURIOUS] = 0;
}

/* It is foretold of the release that follows. */
static void too_many(const struct law_view *view, struct tally *cost)
{
    registry_find("childwatch")->law.release(view, cost);
    if (view->waiters > 0) {
        cost->of[TALLY_NOTIFICATION]++;
        cost->of[TALLY_NOTIFICATION_SPURIOUS]++;
    }
}

/* On three servers, of which two are behind: whenever it comes, it is told as what it is, and not
 * as a wake-up that was lost. */
TEST_BETWEEN(test_a_notification_in_the_wrong_step_is_no_lost_wake_up, NULL, tear_down)
{
    simulation_init(&simulation, 3);
    simulation.options.costs.network_jitter_ns = 20 * NS_PER_MS;
    plan = simulation_plan(&simulation, &recipe, 2);
    plan.hold.mean_ns = NS_PER_S; /* until then it has come */
    recipe = *registry_find("childwatch");
    recipe.law.arrival = too_few;
    recipe.law.release = too_many;
    for (plan.fleet.seed = 1; plan.fleet.seed <= 60; plan.fleet.seed++) {
        run();
        const struct violation *first = &result->memory->violations[0];
        assert_int_equal(result->end, END_VIOLATION);
        assert_int_equal(first->kind, VIOLATION_LAW);
        assert_int_equal(first->tally, TALLY_NOTIFICATION);
        assert_int_equal(first->handoff, 0);
        assert_int_equal(first->found - first->expected, 1);
    }
}

/* ------------------------------------------------------------------ docs/recipes.md */

extern const struct recipe recipe_kazoo, recipe_semaphore;

/* The first violation among four clients is this one, and the manual quotes its sentence, as far as
 * chance does not decide which session it strikes. */
static void assert_quoted(const char *manual, const struct recipe *of, enum violation_kind kind)
{
    char sentence[256], *session;
    recipe = *of;
    run();
    assert_true(result->violation_count > 0);
    assert_int_equal(result->memory->violations[0].kind, kind);
    violation_describe(&result->memory->violations[0], sentence, sizeof sentence);
    if ((session = strstr(sentence, "session")) != NULL)
        *session = '\0';
    if (strstr(manual, sentence) == NULL)
        fail_msg("docs/recipes.md does not have this: %s", sentence);
}

/* That the object looks for the folder once. */
static void forgets_a_look(const struct law_view *view, struct tally *cost)
{
    recipe_kazoo.law.arrival(view, cost);
    cost->of[TALLY_EXISTS] = 0;
}

static void wakes_all(const struct law_view *view, struct tally *cost)
{
    recipe_kazoo.law.release(view, cost);
    cost->of[TALLY_NOTIFICATION] = view->waiters;
}

TEST_BETWEEN(test_the_manual_quotes_what_is_found, set_up, tear_down)
{
    char *manual = read_text("docs/recipes.md");
    struct recipe forgetful = recipe_kazoo, herd = recipe_kazoo, generous = recipe_semaphore;
    forgetful.law.arrival = forgets_a_look;
    herd.law.release = wakes_all;
    generous.leases = 2; /* and three may hold */
    assert_quoted(manual, &forgetful, VIOLATION_LAW);
    assert_quoted(manual, &herd, VIOLATION_LAW);
    assert_quoted(manual, &generous, VIOLATION_LEASES);
    assert_quoted(manual, registry_find("broken-nolock"), VIOLATION_TWO_HOLDERS);
    assert_quoted(manual, registry_find("broken-norecheck"), VIOLATION_TWO_HOLDERS);
    assert_quoted(manual, registry_find("broken-wrongpred"), VIOLATION_TWO_HOLDERS);
    assert_quoted(manual, registry_find("broken-nowatch"), VIOLATION_LOST_WAKEUP);
    free(manual);
}

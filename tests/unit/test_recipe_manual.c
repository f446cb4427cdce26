// SPDX-License-Identifier: Apache-2.0
/* docs/recipes.md: its example obeys its law in the simulation, and what it says of wrong laws and
 * broken locks is what zkherd says. Tests run in the folder that README.md is in. */
#include "recipes/law.h"
#include "tests/support/csv_file.h"
#include "tests/support/formula.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#define MANUAL "docs/recipes.md"

extern const struct recipe recipe_kazoo, recipe_semaphore;

/* ------------------------------------------------------------------ the example runs */

/* Under lockstep; steady if there are more handoffs than clients. */
static struct trial_result *run(const struct recipe *recipe, uint32_t clients, uint64_t handoffs)
{
    static struct trial_plan same;
    struct trial_plan plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.root = "/t";
    if (handoffs > clients) {
        plan.workload = WORKLOAD_STEADY;
        plan.handoffs = handoffs;
    }
    return simulate_trial(&plan, &same);
}

TEST(test_the_example_obeys_its_law)
{
    for (uint32_t clients = 1; clients <= 30; clients++) {
        for (uint64_t rounds = 1; rounds <= 3; rounds++) {
            struct trial_result *result = run(&recipe_kazoo, clients, rounds * clients);
            assert_int_equal(result->end, END_DONE);
            assert_true(result->has_law);
            assert_int_equal(result->violation_count, 0);
            assert_int_equal(result->reconciled, RECONCILED_YES);
            assert_int_equal(result->handoffs, rounds * clients);
            trial_result_free(result);
        }
    }
}

/* Of n clients, three of which may hold: the text says so in words. */
TEST(test_a_semaphore_has_its_closed_form)
{
    for (uint64_t n = 1; n <= 64; n++) {
        struct tally total = {0};
        law_total(&recipe_semaphore, n, n, &total);
        assert_int_equal(tally_rpcs(&total), n < 4 ? 6 * n : 9 * n - 11);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n < 4 ? n : 3 * n - 7);
    }
}

/* ------------------------------------------------------------------ its mistakes show */

static char *manual;

static void assert_quoted(const char *sentence)
{
    if (strstr(manual, sentence) == NULL)
        fail_msg("%s does not have this: %s", MANUAL, sentence);
}

/* The first violation among four clients is this one, and the manual quotes its sentence, as far as
 * chance does not decide which session it strikes. */
static void assert_caught(const struct recipe *recipe, enum violation_kind kind)
{
    char sentence[256], *session;
    struct trial_result *result = run(recipe, 4, 4);
    assert_true(result->violation_count > 0);
    assert_int_equal(result->memory->violations[0].kind, kind);
    violation_describe(&result->memory->violations[0], sentence, sizeof sentence);
    if ((session = strstr(sentence, "session")) != NULL)
        *session = '\0';
    assert_quoted(sentence);
    trial_result_free(result);
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

TEST(test_a_wrong_law_is_caught)
{
    struct recipe wrong = recipe_kazoo;
    wrong.law.arrival = forgets_a_look;
    assert_caught(&wrong, VIOLATION_LAW);
    wrong = recipe_kazoo;
    wrong.law.release = wakes_all;
    assert_caught(&wrong, VIOLATION_LAW);
}

TEST(test_a_broken_lock_is_caught)
{
    static const struct {
        const char *recipe;
        enum violation_kind kind;
    } caught[] = {
        {"broken-nolock", VIOLATION_TWO_HOLDERS},
        {"broken-norecheck", VIOLATION_TWO_HOLDERS},
        {"broken-wrongpred", VIOLATION_TWO_HOLDERS},
        {"broken-nowatch", VIOLATION_LOST_WAKEUP},
    };
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        assert_caught(registry_find(caught[i].recipe), caught[i].kind);
}

/* The lock has three leases, and two may hold. */
TEST(test_a_semaphore_that_lets_in_too_many_is_caught)
{
    struct recipe wrong = recipe_semaphore;
    wrong.leases = 2;
    assert_caught(&wrong, VIOLATION_LEASES);
    assert_int_equal(recipe_semaphore.leases, 3);
}

FIXTURE(set_up)
{
    manual = read_text(MANUAL);
    return 0;
}

FIXTURE(tear_down)
{
    free(manual);
    return 0;
}

TEST_GROUP(set_up, tear_down)

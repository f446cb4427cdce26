// SPDX-License-Identifier: Apache-2.0
/* What servers count beside what the sessions do: a request that no session has counted, and the
 * requests of somebody else; and that the figures of a steady trial add up, of a broken one not. */
#include "base/cores.h"
#include "recipes/queue.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include <math.h>

/* Past the client, which would say that it is sent. */
static OPERATION exists_unseen(struct contender *s)
{
    struct client *client = s->client;
    client->outstanding = 1;
    client->sent_ns = client_now_ns(client);
    client->only = (struct client_slot){.operation = OP_EXISTS, .sent_ns = client->sent_ns};
    client->driver->submit(client, &(struct request){.operation = OP_EXISTS, .path = s->lock});
    return (struct recipe_sent){STEP_REPLY};
}

ACQUIRE(unseen)
{
    BEGIN;
    AWAIT(exists_unseen(s));
    AWAIT(queue_create_place(s, QUEUE_PREFIX));
    if (queue_take_place(s))
        GRANTED;
    END;
}

static const struct recipe unseen = {
    .name = "unseen", .acquire = unseen_acquire, .release = contender_delete_own};

TEST(test_a_read_that_is_not_counted_is_found_in_free_pace)
{
    char text[256];
    for (int driver = DRIVER_EVENTS; driver <= DRIVER_THREADS; driver++) {
        struct trial_plan plan = live_plan("scalable", 1);
        plan.recipe = &unseen;
        plan.pace = PACE_FREE;
        plan.fleet.driver = (enum driver)driver;
        struct trial_result *result = live_trial(&plan);
        assert_int_equal(result->reconcile.reconciled, RECONCILED_NO);
        assert_string_equal(
            violation_describe(live_first_violation(result), text, sizeof text),
            "lock 0, handoff 1: the servers counted 1 reads and pings, the sessions account for 0");
        trial_result_free(result);
    }
}

/* Sessions with a short timeout do ping while they wait, and each ping is one that may be. */
TEST(test_pings_are_no_requests)
{
    struct trial_plan plan = live_plan("scalable", 8);
    plan.pace = PACE_FREE;
    plan.fleet.session_timeout_ms = 4000;
    plan.hold.mean_ns = NS_PER_S / 2;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    assert_true(result->servers.reads >
                result->total.of[TALLY_EXISTS] + result->total.of[TALLY_GET_CHILDREN]);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ somebody else */

static struct setup_session *stranger;

/* Whoever has not come before comes now, and asks something. */
static void meddle(void *context, const struct trial_progress *progress)
{
    struct error error = {0};
    bool is_there;
    (void)context;
    if (progress->handoffs == 0)
        return;
    if (stranger == NULL)
        live_expect(setup_session_new(&live_servers, NULL, 10 * NS_PER_S, -1, &stranger, &error),
                    &error);
    live_expect(setup_session_exists(stranger, ROOT, &is_there, &error), &error);
}

static void check_stranger(enum pace pace)
{
    struct trial_plan plan = live_plan("scalable", 5);
    const struct trial_watch watch = {.progress = meddle};
    plan.pace = pace;
    plan.hold.mean_ns = NS_PER_S / 2; /* in which the progress is looked at */
    struct trial_result *result = live_trial_on(&plan, &live_host, &watch);
    live_assert_good(result);
    assert_non_null(stranger);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NA);
    assert_string_equal(result->not_valid,
                        "a client that is not zkherd's was connected to a private server");
    trial_result_free(result);
}

/* It comes while the first trial runs, and is there when the next begin. */
TEST(test_a_stranger_on_a_private_server_is_named)
{
    check_stranger(PACE_LOCKSTEP);
    check_stranger(PACE_LOCKSTEP);
    check_stranger(PACE_FREE);
    setup_session_free(stranger);
    stranger = NULL;
}

/* Nobody is blamed for what has gone. */
TEST(test_a_stranger_that_has_gone_is_forgotten)
{
    struct trial_plan plan = live_plan("scalable", 5);
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    assert_string_equal(result->not_valid, "");
    trial_result_free(result);
}

/* ------------------------------------------------------------------ figures of a steady trial */

static struct trial_plan steady(const char *recipe, uint32_t clients, uint32_t locks)
{
    struct trial_plan plan = live_plan(recipe, clients);
    plan.workload = WORKLOAD_STEADY;
    plan.pace = PACE_FREE;
    plan.locks = locks;
    plan.handoffs = 400;
    plan.hold = (struct hold){.mean_ns = NS_PER_MS, .exponential = true};
    return plan;
}

/* The steady part has neither the first grant of each client nor, of a queue, the last. */
static void take(struct trial_result *result, struct utilisation_figures *figures)
{
    uint32_t clients = result->memory->plan->fleet.sessions;
    live_assert_good(result);
    trial_utilisation_compute(result, cores_allowed(), 0, figures);
    trial_result_free(result);
    assert_in_range(figures->grants, 400 - 2 * clients, 400 - clients);
}

/* In a simulation, where no machine holds anything up; where there are many clients, the time
 * before they have all been granted is long. Of a lock that several share nobody knows how long a
 * handoff takes. */
TEST(test_a_steady_trial_adds_up)
{
    static const struct {
        const char *recipe;
        uint32_t clients, locks;
        bool excludes;
    } cases[] = {{"scalable", 100, 1, true},
                 {"nonscalable", 8, 1, true},
                 {"scalable", 10, 3, true},
                 {"rwlock", 8, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial_plan same, plan = steady(cases[i].recipe, cases[i].clients, cases[i].locks);
        struct utilisation_figures figures;
        char why[UTILISATION_TEXT_SIZE];
        plan.root = ROOT;
        take(simulate_trial(&plan, &same), &figures);
        if (!utilisation_adds_up(&figures, why, sizeof why))
            fail_msg("%s: %s", cases[i].recipe, why);
        assert_true(figures.hold_s >= 1e-4);
        assert_int_equal(!isnan(figures.handoff_s), cases[i].excludes);
        assert_false(figures.handoff_s <= 0 || figures.handoff_s >= figures.acquire_s);
        if (i == 0)
            assert_int_equal(figures.count[UTILISATION_NOTIFICATION], figures.grants);
    }
}

TEST(test_what_servers_use_is_measured)
{
    struct trial_plan plan = steady("scalable", 10, 3);
    struct utilisation_figures figures;
    plan.fleet.processes = 2;
    take(live_trial(&plan), &figures);
    assert_int_equal(figures.servers, 1);
    assert_true(figures.span_s > figures.elapsed_s);
    assert_true(figures.server_cpu_s[0] > 0);
    assert_true(figures.fsync_s[0] >= 0 && figures.fsync_s[0] < figures.span_s);
}

/* Nobody is steady in a drain, and the CPU of somebody else's servers is not known. */
TEST(test_what_was_not_measured_is_not_known)
{
    struct trial_plan plan = live_plan("scalable", 3);
    struct fleet_host host = live_host;
    struct utilisation_figures figures;
    char why[UTILISATION_TEXT_SIZE];
    host.ensemble = NULL;
    plan.pace = PACE_FREE;
    struct trial_result *result = live_trial_on(&plan, &host, NULL);
    live_assert_good(result);
    trial_utilisation_compute(result, 2, 0, &figures);
    trial_result_free(result);
    assert_int_equal(figures.grants, 0);
    assert_int_equal(figures.servers, 1);
    assert_true(isnan(figures.server_cpu_s[0]));
    assert_true(isnan(figures.cores));
    assert_false(utilisation_adds_up(&figures, why, sizeof why));
    assert_has(why, "no handoff in the steady part");
}

FIXTURE(start)
{
    return live_start_with(1, 1000);
}

TEST_GROUP(start, live_stop)

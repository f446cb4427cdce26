// SPDX-License-Identifier: Apache-2.0
/* What servers count beside what the sessions do: a request that no session has counted, and the
 * requests of somebody else. */
#include "recipes/queue.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

/* Past the client, which would say that it is sent. */
static OPERATION exists_unseen(struct contender *s)
{
    struct client *client = s->client;
    client->outstanding = 1;
    client->sent_ns = client_now_ns(client);
    client->only = (struct client_slot){.operation = OP_EXISTS, .sent_ns = client->sent_ns};
    client->driver->submit(client, &(struct request){.operation = OP_EXISTS, .path = s->lock});
    SENT;
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
        assert_int_equal(result->reconciled, RECONCILED_NO);
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
    assert_int_equal(result->reconciled, RECONCILED_YES);
    assert_true(result->servers.reads >
                result->total.of[TALLY_EXISTS] + result->total.of[TALLY_GET_CHILDREN]);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ somebody else */

static struct setup_session *stranger;

static void come(void)
{
    struct error error = {0};
    if (stranger == NULL)
        live_expect(setup_session_new(&live_servers, NULL, 10 * NS_PER_S, -1, &stranger, &error),
                    &error);
}

static void ask_something(void)
{
    struct error error = {0};
    bool is_there;
    live_expect(setup_session_exists(stranger, ROOT, &is_there, &error), &error);
}

/* Whoever has not come before comes now. */
static void meddle(void *context, const struct trial_progress *progress)
{
    (void)context;
    if (progress->handoffs == 0)
        return;
    come();
    ask_something();
}

static void check_stranger(enum pace pace)
{
    struct trial_plan plan = live_plan("scalable", 5);
    struct trial_host host = live_host;
    plan.pace = pace;
    plan.hold.mean_ns = 100 * NS_PER_MS;
    host.watch.progress = meddle;
    struct trial_result *result = live_trial_on(&plan, &host);
    live_assert_good(result);
    assert_non_null(stranger);
    assert_int_equal(result->reconciled, RECONCILED_NA);
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
    assert_int_equal(result->reconciled, RECONCILED_YES);
    assert_string_equal(result->not_valid, "");
    trial_result_free(result);
}

FIXTURE(start)
{
    return live_start_with(1, 1000);
}

TEST_GROUP(start, live_stop)

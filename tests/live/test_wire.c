// SPDX-License-Identifier: Apache-2.0
/* A relay between the sessions under test and the servers reads on the wire what the sessions
 * count, what the law says and what the servers count: each driver, both paces, one process and
 * several, one server and three; with pings, with deaths. */
#include "tests/support/live.h"
#include "tests/support/test.h"

/* Of the group of tests that is running. */
static enum driver driver;

#define TICK_MS 500

static struct witness witness;
static struct witness_reading reading; /* when the trial was over */

/* Runs a trial whose sessions connect through a relay. */
static struct trial_result *relayed_trial(struct trial_plan *plan)
{
    struct trial_host host = live_host;
    struct error error = {0};
    live_expect(witness_start(&live_servers, &witness, &error), &error);
    host.witness = &witness;
    plan->fleet.relay = &witness.connect;
    plan->fleet.driver = driver;
    struct trial_result *result = live_trial_on(plan, &host);
    live_expect(witness_read(&witness, &reading, &error), &error);
    witness_end(&witness);
    return result;
}

static void check_drain(const char *recipe, uint32_t clients, uint32_t processes, enum pace pace)
{
    struct trial_plan plan = live_plan(recipe, clients);
    struct witness_difference difference;
    plan.pace = pace;
    plan.fleet.processes = processes;
    struct trial_result *result = relayed_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->handoffs, clients);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    assert_int_equal(result->wire, RECONCILED_YES);
    /* The law itself; bytes have none. */
    struct tally law = result->law;
    law.of[TALLY_BYTES_SENT] = result->total.of[TALLY_BYTES_SENT];
    law.of[TALLY_BYTES_RECEIVED] = result->total.of[TALLY_BYTES_RECEIVED];
    assert_int_equal(witness_differs(&reading, &law, false, &difference), pace == PACE_FREE);
    trial_result_free(result);
}

/* Every recipe's law is test_law's to show. */
TEST(test_the_wire_has_what_the_law_says)
{
    static const char *const recipes[] = {"nonscalable", "childwatch", "scalable",
                                          "counter",     "rwlock",     "barrier"};
    size_t count = live_servers.count == 1 ? sizeof recipes / sizeof recipes[0] : 3;
    for (size_t i = 0; i < count; i++) {
        check_drain(recipes[i], 2, 1, PACE_LOCKSTEP);
        check_drain(recipes[i], 16, 3, PACE_LOCKSTEP);
        check_drain(recipes[i], 16, 2, PACE_FREE);
    }
}

/* One message more or less of any kind, or one byte. */
TEST(test_a_wrong_tally_is_told_by_the_wire)
{
    struct trial_plan plan = live_plan("nonscalable", 5);
    struct trial_result *result = relayed_trial(&plan);
    for (enum tally_kind kind = 0; kind < TALLY_KINDS; kind++) {
        struct tally more = result->total, less = result->total;
        struct witness_difference difference;
        bool told = kind != TALLY_NOTIFICATION_SPURIOUS;
        more.of[kind]++;
        less.of[kind]--;
        assert_int_equal(witness_differs(&reading, &more, false, &difference), told);
        assert_int_equal(witness_differs(&reading, &less, false, &difference), told);
    }
    trial_result_free(result);
}

/* The waiter is silent for more than a third of its timeout. */
TEST(test_pings_are_no_difference)
{
    struct trial_plan plan = live_plan("scalable", 2);
    plan.fleet.session_timeout_ms = 2 * TICK_MS;
    plan.hold.mean_ns = 600 * NS_PER_MS;
    struct trial_result *result = relayed_trial(&plan);
    live_assert_good(result);
    assert_true(reading.pings[CONVERSATION_CLIENT] > 0);
    assert_int_equal(result->wire, RECONCILED_YES);
    trial_result_free(result);
}

TEST(test_sessions_are_named_by_their_servers)
{
    struct trial_plan plan = live_plan("scalable", 6);
    struct trial_result *result = relayed_trial(&plan);
    live_assert_good(result);
    for (uint32_t i = 0; i < plan.fleet.sessions; i++) {
        const struct shared_session *session = &result->memory->fleet->sessions[i];
        char server[ENDPOINT_TEXT_SIZE];
        endpoint_address(&live_servers.endpoints[i % live_servers.count], server, sizeof server);
        assert_string_equal(session->server, server);
        assert_int_not_equal(session->role, ROLE_UNKNOWN);
    }
    trial_result_free(result);
}

/* What it sent is compared all the same; after a lost reply the connection is another. */
TEST(test_deaths_are_no_difference)
{
    static const struct death deaths[] = {{DEATH_EXIT, DEATH_HOLDER, 0},
                                          {DEATH_EXIT, DEATH_WAITER, 2},
                                          {DEATH_CRASH, DEATH_HOLDER, 1},
                                          {DEATH_LOST_REPLY, DEATH_WAITER, 0}};
    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++) {
        struct trial_plan plan = live_plan("scalable-guid", 6);
        plan.death = deaths[i];
        plan.fleet.session_timeout_ms = 4 * TICK_MS;
        struct trial_result *result = relayed_trial(&plan);
        live_assert_good(result);
        assert_true(result->had_death);
        if (deaths[i].how == DEATH_LOST_REPLY)
            assert_int_not_equal(result->wire, RECONCILED_NO);
        else
            assert_int_equal(result->wire, RECONCILED_YES);
        trial_result_free(result);
    }
}

/* ------------------------------------------------------------------ what nobody counted */

/* While the lock is held somebody writes through the relay. */
static void write_once(void *context, const struct trial_progress *progress)
{
    bool *written = context;
    struct setup_session *stranger = NULL;
    struct error error = {0};
    if (*written || progress->handoffs < 2)
        return;
    live_expect(setup_session_new(&witness.connect, NULL, 10 * NS_PER_S, -1, &stranger, &error),
                &error);
    live_expect(setup_session_create(stranger, ROOT "/stranger", &error), &error);
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/stranger", &error), &error);
    setup_session_free(stranger);
    *written = true;
}

TEST(test_more_on_the_wire_fails_the_trial)
{
    struct trial_plan plan = live_plan("scalable", 4);
    bool written = false, found = false;
    plan.pace = PACE_FREE;
    plan.hold.mean_ns = 300 * NS_PER_MS;
    live_host.watch.progress = write_once;
    live_host.watch.context = &written;
    struct trial_result *result = relayed_trial(&plan);
    live_host.watch.progress = NULL;
    assert_true(written);
    assert_int_equal(result->wire, RECONCILED_NO);
    for (uint32_t i = 0; i < result->violation_count; i++) {
        const struct violation *violation = &result->memory->violations[i];
        char text[256];
        if (violation->kind != VIOLATION_WIRE)
            continue;
        found = true;
        assert_int_equal(violation->tally, TALLY_CREATE);
        assert_int_equal(violation->expected, 4);
        assert_int_equal(violation->found, 5);
        assert_non_null(strstr(violation_describe(violation, text, sizeof text),
                               "creates: the relay read 5 on the wire, the sessions counted 4"));
    }
    assert_true(found);
    trial_result_free(result);
}

static int start_on_events(void **state)
{
    (void)state;
    driver = DRIVER_EVENTS;
    return live_start_with(1, TICK_MS);
}

static int start_on_threads(void **state)
{
    (void)state;
    driver = DRIVER_THREADS;
    return live_start_with(1, TICK_MS);
}

static int start_three_on_events(void **state)
{
    (void)state;
    driver = DRIVER_EVENTS;
    return live_start_with(3, TICK_MS);
}

static int start_three_on_threads(void **state)
{
    (void)state;
    driver = DRIVER_THREADS;
    return live_start_with(3, TICK_MS);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
TEST_GROUP(start_three_on_events, live_stop)
TEST_GROUP(start_three_on_threads, live_stop)

// SPDX-License-Identifier: Apache-2.0
/* Loads on three servers of which some are killed meanwhile: what was measured stands, and says
 * what was lost. */
#include "load/load.h"
#include "tests/support/live.h"

static unsigned loads;

static struct load_plan plan_of(uint32_t seconds)
{
    char why[160];
    struct load_plan plan = {
        .fleet.sessions = 6,
        .fleet.processes = 2,
        .fleet.depth = 4,
        .fleet.timeout_ns = 20 * NS_PER_S,
        .fleet.session_timeout_ms = 6000,
        .fleet.seed = 7,
        .fleet.servers = &live_servers,
        .value_bytes = 100,
        .warm_up_ns = 200 * NS_PER_MS,
        .seconds = seconds,
    };
    if (!mix_parse("get=70,set=30", &plan.mix, why, sizeof why))
        fail_msg("%s", why);
    return plan;
}

/* ensemble: NULL if the servers are somebody else's. */
static struct load_result *load(struct load_plan *plan, struct ensemble *ensemble,
                                struct load_watch watch)
{
    static char root[64];
    const struct load_host host = {live_host.setup, &live_servers, ensemble, NULL, watch};
    struct load_result *result = NULL;
    struct error error = {0};
    snprintf(root, sizeof root, ROOT "/l%u", loads++);
    plan->root = root;
    live_expect(load_run(plan, &host, &result, &error), &error);
    if (result->end != END_DONE)
        fail_msg("%s", result->reason);
    return result;
}

static void assert_nothing_left(void)
{
    const char *const *names;
    size_t count;
    struct error error;
    live_expect(setup_session_list_children(live_host.setup, ROOT, &names, &count, &error), &error);
    assert_int_equal(count, 0);
}

/* A server that serves now, by its role. */
static unsigned find(enum role wanted)
{
    enum role role;
    for (unsigned i = 0; i < live_servers.count; i++) {
        if (ensemble_serves(live_ensemble, i, NS_PER_S, &role) && role == wanted)
            return i;
    }
    fail_msg("no server is a %s", role_word(wanted));
    return 0;
}

static void await_service(unsigned index)
{
    enum role role;
    uint64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
    while (!ensemble_serves(live_ensemble, index, NS_PER_S, &role))
        assert_true(clock_now_ns() < deadline_ns);
}

/* ------------------------------------------------------------------ servers of somebody else */

static void kill_when_measured(void *context, const struct load_progress *progress)
{
    const unsigned *index = context;
    struct error error;
    if (progress->phase == LOAD_MEASURES &&
        !server_was_killed(ensemble_server(live_ensemble, *index)))
        live_expect(ensemble_kill(live_ensemble, *index, &error), &error);
}

static void assert_lacks(const struct load_result *result, unsigned index)
{
    char words[64];
    snprintf(words, sizeof words,
             "127.0.0.1:%u does not answer: ", live_servers.endpoints[index].port);
    assert_non_null(strstr(result->not_valid, words));
    assert_string_equal(result->not_reconciled, result->not_valid);
    assert_int_equal(result->reconciled, RECONCILED_NA);
    assert_false(result->servers.known);
    assert_true(result->answered > 0);
}

/* The sessions of the server go to the others. The next load has none of it, and is as little
 * valid. */
static void a_follower_of_somebody_else_that_goes_is_told(void **state)
{
    (void)state;
    unsigned follower = find(ROLE_FOLLOWER);
    struct load_plan plan = plan_of(1);
    struct load_result *result =
        load(&plan, NULL, (struct load_watch){kill_when_measured, &follower, -1});
    assert_lacks(result, follower);
    assert_int_equal(result->losses, 2);
    assert_int_equal(result->reconnects, 2);
    load_result_free(result);

    result = load(&plan, NULL, (struct load_watch){.interrupt_descriptor = -1});
    assert_lacks(result, follower);
    assert_int_equal(result->losses, 0);
    load_result_free(result);
    assert_nothing_left();

    struct error error;
    live_expect(ensemble_restart(live_ensemble, follower, &error), &error);
    await_service(follower);
    result = load(&plan, NULL, (struct load_watch){.interrupt_descriptor = -1});
    assert_string_equal(result->not_valid, "");
    assert_true(result->servers.known);
    load_result_free(result);
}

/* The second in which this has happened to the server, from 0. */
static uint32_t second_of_mark(const struct load_result *result, enum load_mark_kind kind,
                               unsigned server)
{
    for (uint32_t i = 0; i < result->marks.count; i++) {
        const struct load_mark *mark = &result->marks.list[i];
        if (mark->kind == kind && mark->server == server)
            return (uint32_t)(mark->time_ns / NS_PER_S) - 1;
    }
    fail_msg("of %u marks none is of kind %d and server %u", result->marks.count, (int)kind,
             server + 1);
    return 0;
}

/* The others elect another, which is marked, whoever it is; while they elect, nobody knows what
 * they count. */
static void an_election_is_marked(void **state)
{
    (void)state;
    unsigned leader = find(ROLE_LEADER);
    struct load_plan plan = plan_of(5);
    struct load_result *result =
        load(&plan, NULL, (struct load_watch){kill_when_measured, &leader, -1});
    unsigned next = find(ROLE_LEADER);
    uint32_t lost = second_of_mark(result, LOAD_MARK_LOST, leader),
             elected = second_of_mark(result, LOAD_MARK_LEADS, next);
    assert_lacks(result, leader);
    assert_true(next != leader);
    assert_true(lost <= elected);
    assert_false(result->server_seconds[lost].known);
    assert_false(result->server_seconds[elected].known);
    load_result_free(result);
    assert_nothing_left();

    struct error error;
    live_expect(ensemble_restart(live_ensemble, leader, &error), &error);
    await_service(leader);
}

static int start_three(void **state)
{
    (void)state;
    return live_start_with(3, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_of_somebody_else_that_goes_is_told),
        cmocka_unit_test(an_election_is_marked),
    };
    return cmocka_run_group_tests(tests, start_three, live_stop);
}

// SPDX-License-Identifier: Apache-2.0
/* When silence is a stall of a server: how long it must be, what must be owed, and who else may be
 * the cause. */

#include "recipes/registry.h"
#include "trial/stall.h"

#include "tests/support/test.h"

#define BEGIN_NS (1000 * NS_PER_S)

static struct connect_string servers;
static struct trial_plan plan;
static struct trial_memory *memory;
static struct stall stall;
static uint64_t now_ns;

/* Two workers with two sessions each, on two servers in turn: all parked. */
FIXTURE(set_up)
{
    struct error error;
    servers.count = 2;
    for (uint16_t i = 0; i < 2; i++)
        servers.endpoints[i] = (struct endpoint){.host = "10.0.0.1", .port = i + 1U};
    plan = (struct trial_plan){.recipe = registry_find("scalable"),
                               .fleet.driver = DRIVER_SIMULATED, /* nobody is to be woken */
                               .fleet.sessions = 4,
                               .locks = 1,
                               .fleet.processes = 2,
                               .fleet.servers = &servers};
    if (trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    for (uint32_t i = 0; i < plan.fleet.sessions; i++)
        snprintf(memory->fleet->sessions[i].server, sizeof memory->fleet->sessions[i].server,
                 "10.0.0.1:%u", i % 2 + 1);
    now_ns = BEGIN_NS;
    stall_begin(&stall, memory, now_ns);
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    return 0;
}

/* The coordinator looks ten times a second, and workers answer what they are asked at once. */
static void let_pass(uint64_t ns)
{
    for (uint64_t until_ns = now_ns + ns; now_ns < until_ns;) {
        now_ns += NS_PER_S / 10;
        stall_check(&stall, now_ns, 0);
        if (atomic_load(&memory->fleet->inquiry) > 0)
            atomic_store(&memory->fleet->reported, plan.fleet.processes);
    }
}

static void receive(void)
{
    tally_add(&memory->workers[1].total, TALLY_BYTES_RECEIVED, 40);
    stall_check(&stall, now_ns, 0);
}

static void record(uint64_t latency_ns, unsigned times)
{
    while (times-- > 0)
        histogram_record(&memory->workers[1].latency[ROLE_LEADER][METER_CREATE], latency_ns);
}

/* Ten requests of a millisecond and one that took so long, in a trial that took so long; its drain,
 * and the longest handoff, too. Returns how many stalls were found. */
static uint32_t stalls_of(uint64_t longest_ms, uint64_t trial_ms, uint64_t drain_ms,
                          uint64_t handoff_ms)
{
    stall_begin(&stall, memory, now_ns);
    memset(memory->workers, 0, plan.fleet.processes * sizeof *memory->workers);
    record(NS_PER_MS, 10);
    record(longest_ms * NS_PER_MS, 1);
    now_ns += trial_ms * NS_PER_MS;
    atomic_store(&memory->last_released_ns, now_ns);
    atomic_store(&memory->first_release_ns, now_ns - drain_ms * NS_PER_MS);
    histogram_record(&memory->workers[0].latency[0][METER_HANDOFF], handoff_ms * NS_PER_MS);
    now_ns += NS_PER_S; /* what is read behind the last release is none of the trial's time */
    stall_end(&stall, now_ns, false);
    return stall.found.count;
}

TEST_BETWEEN(test_most_of_a_short_trial_is_a_stall, set_up, tear_down)
{
    assert_int_equal(stalls_of(100, 112, 12, 2), 1);
    assert_true(stall.found.total_ns == 100 * NS_PER_MS);
    assert_string_equal(stall.found.server, "");
    assert_int_equal(stalls_of(99, 112, 12, 2), 0);
    assert_int_equal(stalls_of(800, 812, 812, 800), 1);
    assert_int_equal(stalls_of(100, 200, 12, 2), 0);
    assert_int_equal(stalls_of(101, 200, 12, 2), 1);
    servers.count = 1;
    assert_int_equal(stalls_of(101, 200, 12, 2), 1);
    assert_string_equal(stall.found.server, "10.0.0.1:1");
    plan.tolerates_brief_stalls = true;
    assert_int_equal(stalls_of(101, 200, 12, 2), 0);
}

/* The arrivals took longer: the stall is most of the drain if it lies in that. */
TEST_BETWEEN(test_most_of_a_drain_is_a_stall, set_up, tear_down)
{
    assert_int_equal(stalls_of(100, 900, 112, 101), 1);
    assert_int_equal(stalls_of(100, 900, 112, 99), 0);
    assert_int_equal(stalls_of(100, 900, 200, 101), 0);
}

/* Of a trial of 112 ms with ten requests that took as usual, and one time of 100 ms. A release
 * whose notification is late is owed an answer; one that a death has caused comes when the servers
 * end the session. At a barrier clients wait for each other, as does an arrival for those before
 * it. */
TEST_BETWEEN(test_what_is_a_stall_of_a_short_trial, set_up, tear_down)
{
    static const struct {
        const char *recipe;
        uint64_t usual_ms;
        enum meter_kind kind;
        bool had_death;
        uint32_t stalls;
    } cases[] = {
        {"scalable", 1, METER_NOTIFICATION, false, 1}, {"scalable", 1, METER_NOTIFICATION, true, 0},
        {"barrier", 1, METER_NOTIFICATION, false, 0},  {"scalable", 1, METER_ACQUIRE, false, 0},
        {"scalable", 10, METER_CREATE, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stall_begin(&stall, memory, now_ns);
        memset(memory->workers, 0, plan.fleet.processes * sizeof *memory->workers);
        plan.recipe = registry_find(cases[i].recipe);
        record(cases[i].usual_ms * NS_PER_MS, 10);
        histogram_record(&memory->workers[0].latency[ROLE_FOLLOWER][cases[i].kind],
                         100 * NS_PER_MS);
        atomic_store(&memory->died_ns, cases[i].had_death);
        now_ns += 112 * NS_PER_MS;
        stall_end(&stall, now_ns, false);
        assert_int_equal(stall.found.count, cases[i].stalls);
    }
}

/* Nor is what a worker that did not run has not read; before the gate nothing is timed. */
TEST_BETWEEN(test_a_worker_that_does_not_run_accuses_nobody, set_up, tear_down)
{
    shared_raise(&memory->fleet->workers[1].absent_ns, 60 * NS_PER_MS);
    assert_int_equal(stalls_of(110, 122, 12, 2), 1);
    stall_begin(&stall, memory, now_ns);
    shared_raise(&memory->fleet->workers[1].absent_ns, 60 * NS_PER_MS);
    now_ns += 122 * NS_PER_MS;
    atomic_store(&memory->last_released_ns, now_ns);
    stall_end(&stall, now_ns, false);
    assert_int_equal(stall.found.count, 0);
}

TEST_BETWEEN(test_all_stalls_are_counted_and_the_longest_named, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    let_pass(4 * NS_PER_S);
    receive();
    memory->fleet->sessions[0].asked = false;
    memory->fleet->sessions[1].asked = true;
    let_pass(2 * NS_PER_S);
    stall_end(&stall, now_ns, false); /* in the middle of the second */
    assert_int_equal(stall.found.count, 2);
    assert_int_equal(stall.found.total_ns, 6 * NS_PER_S);
    assert_int_equal(stall.found.longest_ns, 4 * NS_PER_S);
    assert_string_equal(stall.found.server, "10.0.0.1:1");
}

TEST_BETWEEN(test_as_long_as_the_bound_is_no_stall, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    for (int i = 0; i < 5; i++) {
        let_pass(STALL_LEAST_NS);
        receive();
    }
    assert_int_equal(stall.found.count, 0);
    let_pass(STALL_LEAST_NS + NS_PER_S / 10);
    receive();
    assert_int_equal(stall.found.count, 1);
}

/* A notification, a request and a step are news as well. */
TEST_BETWEEN(test_whatever_moves_ends_the_silence, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    for (int i = 0; i < 6; i++) {
        let_pass(STALL_LEAST_NS - NS_PER_S / 10);
        if (i % 3 == 1)
            atomic_fetch_add(&memory->fleet->workers[1].steps, 1);
        else
            tally_add(&memory->workers[0].total, i % 3 == 0 ? TALLY_NOTIFICATION : TALLY_GET, 1);
    }
    stall_end(&stall, now_ns, false);
    assert_int_equal(stall.found.count, 0);
}

/* Servers whose answers take 100 ms are waited for 5 s, one that took long once is not. */
TEST_BETWEEN(test_the_bound_is_by_what_requests_take, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    record(NS_PER_S / 10, 10);
    record(3 * NS_PER_S, 2);
    let_pass(4900 * NS_PER_MS);
    receive();
    assert_int_equal(stall.found.count, 0);
    let_pass(5200 * NS_PER_MS);
    receive();
    assert_int_equal(stall.found.count, 1);
    /* What took long because of a stall does not hide the next one. */
    record(5 * NS_PER_S, 100);
    let_pass(5200 * NS_PER_MS);
    receive();
    assert_int_equal(stall.found.count, 2);
}

/* Sessions by bits. Who holds does not excuse a server that owes a reply; a reply that has come and
 * was not read is not owed, nor is what a dead session waits for before it expires. At the deadline
 * a notification is not owed: the recipe may have lost a wake-up. */
TEST_BETWEEN(what_is_owed, set_up, tear_down)
{
    static const struct {
        unsigned asked, answered, dead, pauses;
        unsigned servers, expires_s, pass_s;
        enum { GOES_ON, ENDS, AT_DEADLINE, FINISHED } end;
        unsigned stalls, stalled_s;
        const char *server;
    } cases[] = {
        {.servers = 2, .pass_s = 2, .stalls = 1, .stalled_s = 2, .server = ""},
        {.servers = 1, .pass_s = 3, .stalls = 1, .stalled_s = 3, .server = "10.0.0.1:1"},
        {.pauses = 4, .servers = 2, .pass_s = 20},
        {8, .pauses = 4, .servers = 2, .pass_s = 2, .stalls = 1, .stalled_s = 2},
        {2, .servers = 2, .expires_s = 8, .pass_s = 2, .stalls = 1, .stalled_s = 2},
        {4, .dead = 4, .pauses = 4, .servers = 2, .expires_s = 8, .pass_s = 8},
        {4, 0, 4, 4, 2, 8, .pass_s = 11, .stalls = 1, .stalled_s = 3},
        {2, 2, .servers = 2, .pass_s = 5},
        {11, 10, 0, 0, 2, 0, 2, GOES_ON, 1, 2, "10.0.0.1:1"},
        {.servers = 2, .pass_s = 5, .end = AT_DEADLINE},
        {.servers = 2, .pass_s = 5, .end = ENDS, .stalls = 1, .stalled_s = 5},
        {1, 0, 0, 0, 2, 0, 5, AT_DEADLINE, 1, 5, "10.0.0.1:1"},
        {.servers = 2, .pass_s = 5, .end = FINISHED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tear_down(state);
        assert_int_equal(set_up(state), 0);
        servers.count = cases[i].servers;
        for (uint32_t s = 0; s < plan.fleet.sessions; s++) {
            memory->fleet->sessions[s].asked = cases[i].asked >> s & 1;
            memory->fleet->sessions[s].answered = cases[i].answered >> s & 1;
            atomic_store(&memory->fleet->sessions[s].dead, cases[i].dead >> s & 1);
            memory->sessions[s].pauses = cases[i].pauses >> s & 1;
        }
        if (cases[i].expires_s > 0)
            atomic_store(&memory->fleet->expires_ns, now_ns + cases[i].expires_s * NS_PER_S);
        if (cases[i].end == FINISHED)
            atomic_store(&memory->fleet->finished, plan.fleet.sessions);
        let_pass(cases[i].pass_s * NS_PER_S);
        if (cases[i].end == GOES_ON)
            receive();
        else
            stall_end(&stall, now_ns, cases[i].end == AT_DEADLINE);
        assert_int_equal(stall.found.count, cases[i].stalls);
        assert_int_equal(stall.found.total_ns, cases[i].stalled_s * NS_PER_S);
        if (cases[i].server != NULL)
            assert_string_equal(stall.found.server, cases[i].server);
    }
}

/* A wait that the trial plans, as for its rate, is asked about by nobody and owed by nobody; what
 * is owed before or after it is. */
TEST_BETWEEN(test_a_planned_wait_is_no_stall, set_up, tear_down)
{
    for (int i = 0; i < 50; i++) {
        let_pass(NS_PER_S / 10);
        stall_rest(&stall, now_ns);
    }
    assert_int_equal(atomic_load(&memory->fleet->inquiry), 0);
    assert_int_equal(stall.found.count, 0);
    memory->fleet->sessions[0].asked = true;
    let_pass(2 * NS_PER_S);
    tally_add(&memory->workers[1].total, TALLY_SET, 1);
    stall_rest(&stall, now_ns);
    assert_int_equal(stall.found.count, 1);
    assert_int_equal(stall.found.total_ns, 2 * NS_PER_S);
}

/* Of what happened meanwhile nothing is known: it may have been zkherd that did not receive. */
TEST_BETWEEN(test_a_coordinator_that_does_not_run_accuses_nobody, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    plan.pace = PACE_FREE;
    now_ns += 5 * NS_PER_S;
    stall_check(&stall, now_ns, 5 * NS_PER_S);
    let_pass(STALL_LEAST_NS);
    receive();
    assert_int_equal(stall.found.count, 0);
    assert_int_equal(stall.found.absent_ns, 5 * NS_PER_S);
    let_pass(STALL_LEAST_NS + NS_PER_S / 10);
    receive();
    assert_int_equal(stall.found.count, 1);
}

/* In free pace the sessions go on without it; under lockstep they wait for it. */
TEST_BETWEEN(test_the_coordinator_is_missed_under_lockstep, set_up, tear_down)
{
    for (plan.pace = PACE_LOCKSTEP; plan.pace <= PACE_FREE; plan.pace++) {
        stall_begin(&stall, memory, now_ns);
        atomic_fetch_add(&memory->fleet->workers[0].steps, 1);
        now_ns += 2 * NS_PER_S;
        stall_check(&stall, now_ns, 2 * NS_PER_S);
        assert_int_equal(stall.found.absent_ns, plan.pace == PACE_LOCKSTEP ? 2 * NS_PER_S : 0);
        assert_int_equal(stall.found.count, 0);
    }
}

TEST_BETWEEN(test_workers_that_do_not_answer_do_not_run, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    atomic_store(&memory->fleet->sessions[3].dead, true); /* its actor reports all the same */
    for (int i = 0; i < 30; i++) {
        now_ns += NS_PER_S / 10;
        stall_check(&stall, now_ns, 0);
        atomic_store(&memory->fleet->reported, plan.fleet.processes - 1);
    }
    stall_end(&stall, now_ns, true);
    assert_int_equal(atomic_load(&memory->fleet->inquiry), 1);
    assert_int_equal(stall.found.count, 0);
    assert_true(stall.found.absent_ns > 2 * NS_PER_S);
}

/* The late answer to a question of before is not taken for this one's. */
TEST_BETWEEN(test_an_answer_is_to_its_own_question, set_up, tear_down)
{
    now_ns += STALL_LEAST_NS;
    stall_check(&stall, now_ns, 0);
    assert_int_equal(atomic_load(&memory->fleet->inquiry), 1);
    receive();
    now_ns += STALL_LEAST_NS;
    stall_check(&stall, now_ns, 0);
    assert_int_equal(atomic_load(&memory->fleet->inquiry), 1);
    atomic_store(&memory->fleet->reported, plan.fleet.processes);
    stall_check(&stall, now_ns, 0);
    assert_int_equal(atomic_load(&memory->fleet->inquiry), 2);
    assert_int_equal(atomic_load(&memory->fleet->reported), 0);
}

TEST_BETWEEN(test_a_server_that_does_not_answer_the_coordinator_stalls, set_up, tear_down)
{
    stall_question(&stall, now_ns, STALL_LEAST_NS);
    assert_int_equal(stall.found.count, 0);
    stall_question(&stall, now_ns, STALL_LEAST_NS + 1);
    assert_int_equal(stall.found.count, 1);
    assert_int_equal(stall.found.total_ns, STALL_LEAST_NS + 1);
    stall_begin(&stall, memory, now_ns);
    record(NS_PER_S / 10, 10);
    stall_question(&stall, now_ns, 49 * NS_PER_S / 10);
    assert_int_equal(stall.found.count, 0);
}

/* Either the question is counted or the silence that it was asked in. */
TEST_BETWEEN(test_a_stall_is_counted_once, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = true;
    now_ns += 3 * NS_PER_S;
    stall_question(&stall, now_ns, 3 * NS_PER_S);
    let_pass(STALL_LEAST_NS);
    receive();
    assert_int_equal(stall.found.count, 1);
    assert_int_equal(stall.found.total_ns, 3 * NS_PER_S);
    let_pass(2 * NS_PER_S);
    now_ns += 3 * NS_PER_S;
    stall_question(&stall, now_ns, 3 * NS_PER_S);
    receive();
    assert_int_equal(stall.found.count, 2);
    assert_int_equal(stall.found.total_ns, 8 * NS_PER_S);
}

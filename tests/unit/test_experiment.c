// SPDX-License-Identifier: Apache-2.0
/* What ends an experiment too early, of a fleet whose workers do nothing, in the time of a
 * simulation; and what is known of it when its counts are compared with the servers'. */

#include "fleet/experiment.h"

#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_NS (10 * NS_PER_S)
#define ROOT       "/root"

static struct connect_string servers;
static struct fleet_plan plan;
static struct fleet_host host;
static struct shared *shared;
static struct setup_session *setup;
static struct sim *sim;
static struct experiment experiment;

/* Of the kind of run. */
static uint64_t own_movement;
static enum fleet_end verdict;
static unsigned looks;
static bool owed;

/* What the servers have sent does not come. */
static struct tally counted(void *context)
{
    (void)context;
    return (struct tally){{[TALLY_GET] = own_movement}};
}

static enum fleet_end waited(void *context, uint64_t now_ns, uint64_t absent_ns)
{
    (void)context;
    assert_int_equal(now_ns, sim_now_ns(sim));
    assert_int_equal(absent_ns, 0); /* a simulation is never kept from running */
    looks++;
    return verdict;
}

static bool is_owed(void *context)
{
    (void)context;
    return owed;
}

static const struct experiment_kind kind = {
    .counted = counted, .waited = waited, .is_owed = is_owed};

static int set_up_with(unsigned count)
{
    const struct sim_options options = {.servers = count};
    struct error error;
    servers = (struct connect_string){.endpoints = {{.port = 1}, {.port = 2}, {.port = 3}},
                                      .count = options.servers};
    plan = (struct fleet_plan){.driver = DRIVER_SIMULATED,
                               .sessions = 2,
                               .processes = 2,
                               .timeout_ns = TIMEOUT_NS,
                               .servers = &servers};
    host = (struct fleet_host){.interrupt_descriptor = -1};
    own_movement = looks = 0;
    verdict = END_DONE;
    owed = true;
    if (shared_new(&plan, &shared, &error) != ERROR_NONE ||
        sim_new(&options, &sim, &error) != ERROR_NONE ||
        setup_session_new_simulated(sim, TIMEOUT_NS, &setup, &error) != ERROR_NONE ||
        setup_session_create(setup, ROOT, "", &error) != ERROR_NONE)
        return -1;
    experiment = (struct experiment){.plan = &plan,
                                     .host = &host,
                                     .root = ROOT,
                                     .kind = &kind,
                                     .requests_move = true,
                                     .setup = setup,
                                     .shared = shared,
                                     .workers.fleet = {.shared = shared},
                                     .counters = {.servers = &servers, .sim = sim}};
    experiment_rest(&experiment);
    return 0;
}

FIXTURE(set_up)
{
    return set_up_with(1);
}

FIXTURE(set_up_three)
{
    return set_up_with(3);
}

FIXTURE(tear_down)
{
    setup_session_free(setup);
    sim_free(sim);
    shared_free(shared);
    return 0;
}

/* Waits for so long, whatever has ended before, and returns how that ends. */
static enum fleet_end wait_ns(uint64_t ns)
{
    uint64_t until_ns = sim_now_ns(sim) + ns;
    experiment.end = END_DONE;
    while (experiment_goes_on(&experiment) && sim_now_ns(sim) < until_ns)
        experiment_wait(&experiment, EXPERIMENT_TURN_NS);
    return experiment.end;
}

TEST_BETWEEN(test_a_run_in_which_nothing_moves_ends_at_the_deadline, set_up, tear_down)
{
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DEADLINE);
    assert_int_equal(looks, TIMEOUT_NS / EXPERIMENT_TURN_NS + 1);
}

TEST_BETWEEN(test_whatever_moves_puts_the_deadline_off, set_up, tear_down)
{
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    atomic_fetch_add(&shared->workers[1].steps, 1);
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    own_movement++;
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    experiment_rest(&experiment);
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    assert_int_equal(wait_ns(2 * EXPERIMENT_TURN_NS), END_DEADLINE);
}

/* Of the servers nothing was asked meanwhile: this process was not run. */
TEST_BETWEEN(test_time_between_two_waits_is_no_silence_of_the_servers, set_up, tear_down)
{
    struct server_counters_count reading;
    assert_int_equal(wait_ns(TIMEOUT_NS / 2), END_DONE);
    sim_advance(sim, sim_now_ns(sim) + 2 * TIMEOUT_NS);
    assert_int_equal(wait_ns(TIMEOUT_NS / 2), END_DONE);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DEADLINE);
    experiment_rest(&experiment);
    assert_int_equal(wait_ns(TIMEOUT_NS / 2), END_DONE);
    assert_int_equal(server_counters_read(&experiment.counters, &reading, &experiment.error),
                     ERROR_NONE);
    sim_advance(sim, sim_now_ns(sim) + TIMEOUT_NS);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DEADLINE);
}

/* Of an ensemble that owes an answer; one alone has no commits of others to wait for. */
TEST_BETWEEN(test_servers_are_woken_after_each_two_seconds_of_silence, set_up_three, tear_down)
{
    uint64_t writes = setup->traffic.writes;
    assert_int_equal(wait_ns(2 * NS_PER_S - EXPERIMENT_TURN_NS), END_DONE);
    experiment_rest(&experiment);
    assert_int_equal(wait_ns(2 * NS_PER_S - EXPERIMENT_TURN_NS), END_DONE);
    assert_int_equal(setup->traffic.writes, writes);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DONE);
    assert_int_equal(setup->traffic.writes, writes + 1);
    assert_int_equal(wait_ns(4 * NS_PER_S), END_DONE);
    assert_int_equal(setup->traffic.writes, writes + 3);
    experiment_await_setup(&experiment);
    assert_int_equal(experiment.end, END_DONE);
    assert_int_equal(setup->reply.status, ZK_OK);
    experiment_rest(&experiment);
    owed = false;
    assert_int_equal(wait_ns(3 * NS_PER_S), END_DONE);
    assert_int_equal(setup->traffic.writes, writes + 3);
    owed = true;
    servers.count = 1;
    assert_int_equal(wait_ns(3 * NS_PER_S), END_DONE);
    assert_int_equal(setup->traffic.writes, writes + 3);
    shared->roles[0] = ROLE_FOLLOWER;
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DONE);
    assert_int_equal(setup->traffic.writes, writes + 4);
}

TEST_BETWEEN(test_the_replies_to_the_set_up_session_are_waited_for, set_up, tear_down)
{
    setup_session_wake(setup, ROOT);
    assert_false(setup_session_is_idle(setup));
    experiment_await_setup(&experiment);
    assert_int_equal(experiment.end, END_DONE);
    assert_true(setup_session_is_idle(setup));
    assert_true(setup_session_stayed(setup, sim_now_ns(sim)));
}

TEST_BETWEEN(test_the_deadline_counts_from_the_expiry_of_dead_sessions, set_up, tear_down)
{
    atomic_store(&shared->expires_ns, sim_now_ns(sim) + TIMEOUT_NS / 2);
    assert_int_equal(wait_ns(TIMEOUT_NS / 2 + TIMEOUT_NS), END_DONE);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DEADLINE);
}

TEST_BETWEEN(test_a_verdict_is_the_end_even_if_a_session_is_lost, set_up, tear_down)
{
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DONE);
    atomic_fetch_add(&shared->lost, 1);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_LOST);
    verdict = END_VIOLATION;
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_VIOLATION);
}

TEST_BETWEEN(test_an_interrupted_run_is_an_error, set_up, tear_down)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    host.interrupt_descriptor = ends[0];
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_DONE);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_ERROR);
    assert_int_equal(experiment.error.kind, ERROR_INTERRUPTED);
    close(ends[0]);
    close(ends[1]);
}

TEST_BETWEEN(test_a_worker_that_died_is_an_error, set_up, tear_down)
{
    pid_t worker = fork();
    if (worker == 0)
        _exit(3);
    siginfo_t end;
    assert_int_equal(waitid(P_PID, (id_t)worker, &end, WEXITED | WNOWAIT), 0);
    experiment.workers.pids = &worker;
    experiment.workers.count = 1;
    assert_int_equal(wait_ns(EXPERIMENT_TURN_NS), END_ERROR);
    assert_int_equal(experiment.error.kind, ERROR_WORKER_DIED);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
}

/* Notifications that are under way are waited for, but not against the user's will. */
TEST_BETWEEN(test_notifications_that_do_not_come_are_waited_for_until_interrupted, set_up,
             tear_down)
{
    int ends[2];
    struct server_counters_count *at_start = &experiment.at_start;
    assert_int_equal(pipe(ends), 0);
    host.interrupt_descriptor = ends[0];
    assert_int_equal(server_counters_read(&experiment.counters, at_start, &experiment.error),
                     ERROR_NONE);
    at_start->notifications -= 5; /* so that five have been sent since */
    uint64_t began_ns = sim_now_ns(sim);
    experiment_await_notifications(&experiment);
    assert_int_equal(experiment.end, END_DONE);
    assert_true(sim_now_ns(sim) - began_ns >= 2 * NS_PER_S);
    assert_int_equal(write(ends[1], "", 1), 1);
    began_ns = sim_now_ns(sim);
    experiment_await_notifications(&experiment);
    assert_int_equal(experiment.end, END_ERROR);
    assert_int_equal(experiment.error.kind, ERROR_INTERRUPTED);
    assert_true(sim_now_ns(sim) - began_ns < NS_PER_S);
    close(ends[0]);
    close(ends[1]);
}

/* ------------------------------------------------------------------ compared with the servers */

/* The servers have counted a write more than the sessions. */
static struct reconcile_result reconcile_one_more(void)
{
    static const struct tally sessions = {{[TALLY_CREATE] = 1}};
    experiment.at_start =
        (struct server_counters_count){.known = true, .connections = plan.sessions};
    experiment.started_ns = sim_now_ns(sim);
    return experiment_reconcile(
        &experiment,
        (struct reconcile_facts){.servers = {.known = true, .writes = 2, .packets_received = 2},
                                 .sessions = &sessions});
}

TEST_BETWEEN(test_what_the_fleet_knows_explains_a_difference, set_up, tear_down)
{
    assert_int_equal(reconcile_one_more().reconciled, RECONCILED_NO);
    experiment.counters.companions = 1;
    assert_string_equal(reconcile_one_more().why,
                        "the servers count the requests of other sessions of zkherd, too");
    assert_int_equal(reconcile_one_more().others_packets, -1);
    experiment.counters.companions = 0;
    atomic_store(&shared->losses, 1);
    assert_string_equal(reconcile_one_more().why, "sessions lost their connections, and the "
                                                  "messages in transit on them");
    atomic_store(&shared->losses, 0);
    atomic_store(&shared->workers[1].reconnects, 1);
    assert_string_equal(reconcile_one_more().why, "sessions lost their connections, and the "
                                                  "messages in transit on them");
    atomic_store(&shared->workers[1].reconnects, 0);
    assert_int_equal(reconcile_one_more().others_packets, 1);
}

// SPDX-License-Identifier: Apache-2.0
/* What ends a run too early, of a fleet whose workers do nothing, in the time of a simulation. */

#include "fleet/watchdog.h"

#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_NS (10 * NS_PER_S)
#define ROOT       "/root"

static struct connect_string servers;
static struct fleet_plan plan;
static struct workers workers;
static struct server_counters counters;
static struct setup_session *setup;
static struct sim *sim;
static struct watchdog watchdog;
static struct error error;

/* Of the kind of run. */
static uint64_t own_movement;
static enum fleet_end verdict;
static unsigned looks;
static bool owed;

static uint64_t movement(void *context)
{
    (void)context;
    return own_movement;
}

static enum fleet_end look(void *context, uint64_t now_ns, uint64_t absent_ns)
{
    (void)context;
    assert_int_equal(now_ns, sim_now_ns(sim));
    assert_int_equal(absent_ns, 0); /* a simulation is never kept from running */
    looks++;
    return verdict;
}

/* What the servers have sent does not come. */
static uint64_t received(void *context)
{
    (void)context;
    return 0;
}

static bool is_owed(void *context)
{
    (void)context;
    return owed;
}

static const struct watchdog_kind kind = {
    .movement = movement, .look = look, .received = received, .is_owed = is_owed};

static int set_up_with(unsigned count)
{
    const struct sim_options options = {.servers = count};
    servers = (struct connect_string){.endpoints = {{.port = 1}, {.port = 2}, {.port = 3}},
                                      .count = options.servers};
    plan = (struct fleet_plan){.driver = DRIVER_SIMULATED,
                               .sessions = 2,
                               .processes = 2,
                               .timeout_ns = TIMEOUT_NS,
                               .servers = &servers};
    workers = (struct workers){0};
    own_movement = looks = 0;
    verdict = END_DONE;
    owed = true;
    if (shared_new(&plan, &workers.fleet.shared, &error) != ERROR_NONE ||
        sim_new(&options, &sim, &error) != ERROR_NONE ||
        setup_session_new_simulated(sim, TIMEOUT_NS, &setup, &error) != ERROR_NONE ||
        setup_session_create(setup, ROOT, &error) != ERROR_NONE)
        return -1;
    workers.fleet.root = ROOT;
    counters = (struct server_counters){.servers = &servers, .sim = sim};
    watchdog = (struct watchdog){.workers = &workers,
                                 .counters = &counters,
                                 .setup = setup,
                                 .interrupt_descriptor = -1,
                                 .kind = &kind,
                                 .error = &error};
    watchdog_rest(&watchdog);
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
    shared_free(workers.fleet.shared);
    return 0;
}

/* Waits for so long, and returns how that ends. */
static enum fleet_end wait_ns(uint64_t ns)
{
    uint64_t until_ns = sim_now_ns(sim) + ns;
    enum fleet_end end = END_DONE;
    while (end == END_DONE && sim_now_ns(sim) < until_ns)
        end = watchdog_wait(&watchdog, WATCHDOG_TURN_NS);
    return end;
}

TEST_BETWEEN(test_a_run_in_which_nothing_moves_ends_at_the_deadline, set_up, tear_down)
{
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DEADLINE);
    assert_int_equal(looks, TIMEOUT_NS / WATCHDOG_TURN_NS + 1);
}

TEST_BETWEEN(test_whatever_moves_puts_the_deadline_off, set_up, tear_down)
{
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    atomic_fetch_add(&workers.fleet.shared->workers[1].steps, 1);
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    own_movement++;
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    watchdog_rest(&watchdog);
    assert_int_equal(wait_ns(TIMEOUT_NS), END_DONE);
    assert_int_equal(wait_ns(2 * WATCHDOG_TURN_NS), END_DEADLINE);
}

/* Of the servers nothing was asked meanwhile: this process was not run. */
TEST_BETWEEN(test_time_between_two_waits_is_no_silence_of_the_servers, set_up, tear_down)
{
    struct server_counters_reading reading;
    assert_int_equal(wait_ns(TIMEOUT_NS / 2), END_DONE);
    sim_advance(sim, sim_now_ns(sim) + 2 * TIMEOUT_NS);
    assert_int_equal(wait_ns(TIMEOUT_NS / 2), END_DONE);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DEADLINE);
    watchdog_rest(&watchdog);
    assert_int_equal(wait_ns(TIMEOUT_NS / 2), END_DONE);
    assert_int_equal(server_counters_read(&counters, &reading, &error), ERROR_NONE);
    sim_advance(sim, sim_now_ns(sim) + TIMEOUT_NS);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DEADLINE);
}

/* Of an ensemble that owes an answer; one alone has no commits of others to wait for. */
TEST_BETWEEN(test_servers_are_woken_after_each_two_seconds_of_silence, set_up_three, tear_down)
{
    uint64_t writes = setup->session.traffic.writes;
    assert_int_equal(wait_ns(2 * NS_PER_S - WATCHDOG_TURN_NS), END_DONE);
    watchdog_rest(&watchdog);
    assert_int_equal(wait_ns(2 * NS_PER_S - WATCHDOG_TURN_NS), END_DONE);
    assert_int_equal(setup->session.traffic.writes, writes);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DONE);
    assert_int_equal(setup->session.traffic.writes, writes + 1);
    assert_int_equal(wait_ns(4 * NS_PER_S), END_DONE);
    assert_int_equal(setup->session.traffic.writes, writes + 3);
    assert_int_equal(under_way_settle(&watchdog), END_DONE);
    assert_int_equal(setup->session.reply.status, ZK_OK);
    watchdog_rest(&watchdog);
    owed = false;
    assert_int_equal(wait_ns(3 * NS_PER_S), END_DONE);
    assert_int_equal(setup->session.traffic.writes, writes + 3);
    owed = true;
    servers.count = 1;
    assert_int_equal(wait_ns(3 * NS_PER_S), END_DONE);
    assert_int_equal(setup->session.traffic.writes, writes + 3);
    workers.fleet.shared->roles[0] = ROLE_FOLLOWER;
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DONE);
    assert_int_equal(setup->session.traffic.writes, writes + 4);
}

TEST_BETWEEN(test_the_replies_to_the_set_up_session_are_waited_for, set_up, tear_down)
{
    setup_session_wake(setup, ROOT);
    assert_false(setup_session_is_idle(setup));
    assert_int_equal(under_way_settle(&watchdog), END_DONE);
    assert_true(setup_session_is_idle(setup));
    assert_true(setup_session_stayed(setup, sim_now_ns(sim)));
}

TEST_BETWEEN(test_the_deadline_counts_from_the_expiry_of_dead_sessions, set_up, tear_down)
{
    atomic_store(&workers.fleet.shared->expires_ns, sim_now_ns(sim) + TIMEOUT_NS / 2);
    assert_int_equal(wait_ns(TIMEOUT_NS / 2 + TIMEOUT_NS), END_DONE);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DEADLINE);
}

TEST_BETWEEN(test_a_verdict_is_the_end_even_if_a_session_is_lost, set_up, tear_down)
{
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DONE);
    atomic_fetch_add(&workers.fleet.shared->lost, 1);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_LOST);
    verdict = END_VIOLATION;
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_VIOLATION);
}

TEST_BETWEEN(test_an_interrupted_run_is_an_error, set_up, tear_down)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    watchdog.interrupt_descriptor = ends[0];
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_DONE);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_ERROR);
    assert_int_equal(error.kind, ERROR_INTERRUPTED);
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
    workers.pids = &worker;
    workers.count = 1;
    assert_int_equal(wait_ns(WATCHDOG_TURN_NS), END_ERROR);
    assert_int_equal(error.kind, ERROR_WORKER_DIED);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
}

/* Notifications that are under way are waited for, but not against the user's will. */
TEST_BETWEEN(test_notifications_that_do_not_come_are_waited_for_until_interrupted, set_up,
             tear_down)
{
    int ends[2];
    struct server_counters_reading at_start;
    assert_int_equal(pipe(ends), 0);
    watchdog.interrupt_descriptor = ends[0];
    assert_int_equal(server_counters_read(&counters, &at_start, &error), ERROR_NONE);
    at_start.notifications -= 5; /* so that five have been sent since */
    uint64_t began_ns = sim_now_ns(sim);
    assert_int_equal(under_way_receive(&watchdog, &at_start), END_DONE);
    assert_true(sim_now_ns(sim) - began_ns >= 2 * NS_PER_S);
    assert_int_equal(write(ends[1], "", 1), 1);
    began_ns = sim_now_ns(sim);
    assert_int_equal(under_way_receive(&watchdog, &at_start), END_ERROR);
    assert_int_equal(error.kind, ERROR_INTERRUPTED);
    assert_true(sim_now_ns(sim) - began_ns < NS_PER_S);
    close(ends[0]);
    close(ends[1]);
}

/* An order stays in its place until each worker has taken it. */
TEST_BETWEEN(test_an_order_is_taken_when_all_workers_have, set_up, tear_down)
{
    struct shared *shared = workers.fleet.shared;
    assert_true(shared_have_taken(shared));
    shared_tell_all(shared, ORDER_OWN);
    assert_false(shared_have_taken(shared));
    atomic_store(&shared->workers[0].command, 0);
    assert_false(shared_have_taken(shared));
    atomic_store(&shared->workers[1].command, 0);
    assert_true(shared_have_taken(shared));
}

// SPDX-License-Identifier: Apache-2.0
/* What every actor counts of its session, and the pings that it may send; and what a session draws,
 * which depends on the fleet's seed and on the session's number, not on how the sessions are spread
 * over processes. */

#include "base/clock.h"
#include "fleet/workers.h"
#include "tests/support/ignore.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <sys/mman.h>
#include <unistd.h>

static struct shared *shared;

FIXTURE(set_up)
{
    static const struct connect_string servers = {.count = 1, .endpoints = {{.host = "simulated"}}};
    static const struct fleet_plan plan = {
        .driver = DRIVER_SIMULATED, .sessions = 6, .processes = 1, .servers = &servers};
    struct error error;
    return shared_new(&plan, &shared, &error) == ERROR_NONE ? 0 : -1;
}

FIXTURE(tear_down)
{
    shared_free(shared);
    return 0;
}

/* ------------------------------------------------------------------ one session */

static uint32_t timeout_ms(const struct client *client)
{
    (void)client;
    return 30000;
}

static int64_t session_id(const struct client *client)
{
    (void)client;
    return 77;
}

static const char *connected_to = "simulated:2"; /* "": not connected */

static void server(const struct client *client, char *text, size_t size)
{
    (void)client;
    snprintf(text, size, "%s", connected_to);
}

static struct client client = {.driver = &(const struct client_driver){.timeout_ms = timeout_ms,
                                                                       .session_id = session_id,
                                                                       .server = server}};

static struct actor actor_of_client(void)
{
    return (struct actor){
        .shared = shared, .worker = &shared->workers[0], .client = &client, .session = 5};
}

/* Of thirty seconds' timeout: a ping each ten seconds of silence. */
TEST_BETWEEN(test_the_silences_of_a_session_say_how_many_pings_there_can_be, set_up, tear_down)
{
    struct actor actor = actor_of_client();
    const uint64_t requests_s[] = {5, 6, 17, 50};
    for (size_t i = 0; i < sizeof requests_s / sizeof requests_s[0]; i++) {
        client.sent_ns = requests_s[i] * NS_PER_S;
        actor_spoke(&actor);
    }
    assert_int_equal(actor.pings, 0 + 0 + 1 + 3);
    assert_int_equal(actor.spoke_ns, 50 * NS_PER_S);
}

TEST_BETWEEN(test_a_session_is_established_once_and_reconnects_after_that, set_up, tear_down)
{
    struct actor actor = actor_of_client();
    atomic_store(&shared->connecting, 1);
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_state_changed(&actor, CLIENT_ESTABLISHED);
    assert_int_equal(atomic_load(&shared->connecting), 0);
    assert_int_equal(atomic_load(&shared->established), 1);
    assert_string_equal(shared->sessions[5].server, "simulated:2");
    shared->sessions[5].role = ROLE_LEADER;
    actor_pass_gate(&actor);
    assert_int_equal(actor.role, ROLE_LEADER);
    assert_int_equal(atomic_load(&shared->losses), 0);
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_state_changed(&actor, CLIENT_ESTABLISHED);
    assert_int_equal(atomic_load(&shared->established), 1);
    assert_int_equal(atomic_load(&shared->losses), 1);
    assert_int_equal(atomic_load(&shared->workers[0].reconnects), 1);
    assert_int_equal(actor.role, ROLE_RECONNECTED);
}

/* ------------------------------------------------------------------ pings */

#define TIMEOUT_MS 30000
#define THIRD_NS   (10 * NS_PER_S)

/* The library waits for a third of the timeout; what is asked late may make that seem a tenth less.
 */
TEST(test_a_ping_for_each_third)
{
    assert_int_equal(pings_most(THIRD_NS * 8 / 10, TIMEOUT_MS), 0);
    assert_int_equal(pings_most(THIRD_NS * 95 / 100, TIMEOUT_MS), 1);
    for (uint64_t thirds = 0; thirds < 100; thirds++) {
        assert_int_equal(pings_most(thirds * THIRD_NS, TIMEOUT_MS), thirds);
        assert_int_equal(pings_most(thirds * THIRD_NS + THIRD_NS / 2, TIMEOUT_MS), thirds);
    }
    assert_int_equal(pings_most(60 * NS_PER_S, 2 * TIMEOUT_MS), 3);
    assert_int_equal(pings_most(60 * NS_PER_S, 4000), 45);
    assert_true(pings_most(NS_PER_S, 0) >= 1000);
    assert_int_equal(pings_most(100 * NS_PER_S, 300), 1010); /* each a millisecond early */
}

/* ------------------------------------------------------------------ seeds */

#define SESSIONS 11

/* Written by the workers: in memory that all share. */
struct drawn {
    _Atomic uint32_t count;
    uint64_t seeds[SESSIONS];
    uint32_t times[SESSIONS];
};

static void note_seed(void *actor, void *kind, uint64_t seed)
{
    struct drawn *drawn = kind;
    uint32_t session = ((struct actor *)actor)->number;
    drawn->seeds[session] = seed;
    drawn->times[session]++;
    atomic_fetch_add(&drawn->count, 1);
}

static void obey(void *actor, int order)
{
    (void)actor;
    (void)order;
}

static void ring(void *actor, uint64_t late_ns)
{
    (void)actor;
    (void)late_ns;
}

static const struct client_listener listener = {.state_changed = ignore_state};
static const struct actor_ops ops = {sizeof(struct actor), &listener, note_seed, obey, ring};

static struct drawn *new_drawn(void)
{
    struct drawn *drawn =
        mmap(NULL, sizeof *drawn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(drawn != MAP_FAILED);
    return drawn;
}

/* Runs the workers of this plan until `wanted` sessions have their seeds. Nobody listens where they
 * connect to. */
static void draw(struct fleet_plan plan, struct drawn *drawn, uint32_t wanted)
{
    struct connect_string servers = {.count = 1};
    struct shared *fleet_memory;
    struct workers workers;
    struct setup_session setup = {.interrupts = -1};
    struct error error = {0};
    int port = port_take(&servers.endpoints[0].port);
    snprintf(servers.endpoints[0].host, sizeof servers.endpoints[0].host, "127.0.0.1");
    assert_int_equal(event_loop_new(1, NULL, &setup.loop.event_loop, &error), ERROR_NONE);
    plan.servers = &servers;
    if (plan.sessions == 0)
        plan.sessions = SESSIONS;
    plan.depth = 1;
    plan.session_timeout_ms = 4000;
    plan.timeout_ns = NS_PER_S;
    assert_int_equal(shared_new(&plan, &fleet_memory, &error), ERROR_NONE);
    const struct fleet fleet = {.shared = fleet_memory, .ops = &ops, .kind = drawn};
    assert_int_equal(workers_start(&workers, &fleet, &setup, NULL, &error), ERROR_NONE);
    while (atomic_load(&drawn->count) < wanted) {
        if (workers_check(&workers, &error) != ERROR_NONE)
            fail_msg("%s: %s: %s", error.subject, error_words(error.kind), error.detail);
        pause_ms(1);
    }
    workers_end(&workers);
    assert_int_equal(atomic_load(&drawn->count), wanted);
    event_loop_free(setup.loop.event_loop);
    shared_free(fleet_memory);
    close(port);
}

static void assert_same_seeds(const struct drawn *a, const struct drawn *b)
{
    for (uint32_t i = 0; i < SESSIONS; i++) {
        assert_int_equal(a->times[i], 1);
        assert_int_equal(b->times[i], 1);
        if (a->seeds[i] != b->seeds[i])
            fail_msg("session %u has another seed", i);
    }
}

static void forget(struct drawn *drawn)
{
    munmap(drawn, sizeof *drawn);
}

TEST(a_sessions_seed_does_not_depend_on_the_processes)
{
    static const uint32_t processes[] = {2, 3, SESSIONS};
    struct drawn *alone = new_drawn();
    draw((struct fleet_plan){.processes = 1, .seed = 7}, alone, SESSIONS);
    for (size_t i = 0; i < sizeof processes / sizeof processes[0]; i++) {
        struct drawn *spread = new_drawn();
        draw((struct fleet_plan){.processes = processes[i], .seed = 7}, spread, SESSIONS);
        assert_same_seeds(alone, spread);
        forget(spread);
    }
    forget(alone);
}

/* Three hosts have each session once, with its seed on one host. */
TEST(a_sessions_seed_does_not_depend_on_the_hosts)
{
    struct drawn *alone = new_drawn(), *dealt = new_drawn();
    uint32_t sessions = 0;
    draw((struct fleet_plan){.processes = 1, .seed = 7}, alone, SESSIONS);
    for (uint32_t rank = 0; rank < 3; rank++) {
        struct fleet_plan plan = {.processes = 2,
                                  .seed = 7,
                                  .sessions = SESSIONS / 3 + (rank < SESSIONS % 3),
                                  .first = sessions,
                                  .all = SESSIONS};
        sessions += plan.sessions;
        draw(plan, dealt, sessions);
    }
    assert_same_seeds(alone, dealt);
    forget(alone);
    forget(dealt);
}

/* ------------------------------------------------------------------ reports */

/* As one whose sessions could not be opened yet: else its end would be taken for a worker's that
 * hangs. What it used before the gate is no CPU time of the run. */
TEST_BETWEEN(test_a_worker_without_a_session_reports, set_up, tear_down)
{
    static struct drawn drawn;
    const struct sim_options options = {.servers = 1, .seed = 1};
    const struct fleet fleet = {.shared = shared, .ops = &ops, .kind = &drawn};
    struct workers workers;
    struct error error;
    struct loop loop = {.sim = NULL};
    assert_int_equal(sim_new(&options, &loop.sim, &error), ERROR_NONE);
    assert_int_equal(workers_start(&workers, &fleet, NULL, loop.sim, &error), ERROR_NONE);
    atomic_store(&shared->connecting, 1000); /* of other workers: the servers take no more */
    uint64_t cpu_before_ns = clock_cpu_ns();
    shared_enter(shared, PHASE_RUN);
    assert_int_equal(workers_turn(&workers, &loop, NS_PER_MS, &error), ERROR_NONE);
    assert_true(shared_inquire(shared, true));
    assert_int_equal(workers_turn(&workers, &loop, NS_PER_MS, &error), ERROR_NONE);
    assert_true(shared_has_reports(shared));
    assert_int_equal(atomic_load(&drawn.count), 6);
    assert_true(shared->workers[0].cpu_ns <= clock_cpu_ns() - cpu_before_ns);
    workers_end(&workers);
    sim_free(loop.sim);
}

// SPDX-License-Identifier: Apache-2.0
/* What a session draws depends on the fleet's seed and on the session's number, not on how the
 * sessions are spread over processes. */
#include "base/clock.h"
#include "fleet/workers.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <sys/mman.h>
#include <unistd.h>

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
    uint32_t session = ((struct actor *)actor)->session;
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

static void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    (void)state;
}

static const struct client_listener listener = {.state_changed = state_changed};
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
    struct shared *shared;
    struct workers workers;
    struct setup_session setup = {.interrupts = -1};
    struct error error = {0};
    int port = port_take(&servers.endpoints[0].port);
    snprintf(servers.endpoints[0].host, sizeof servers.endpoints[0].host, "127.0.0.1");
    assert_int_equal(event_loop_new(1, NULL, &setup.session.loop.event_loop, &error), ERROR_NONE);
    plan.servers = &servers;
    plan.sessions = SESSIONS;
    plan.depth = 1;
    plan.session_timeout_ms = 4000;
    plan.timeout_ns = NS_PER_S;
    assert_int_equal(shared_new(&plan, &shared, &error), ERROR_NONE);
    const struct fleet fleet = {.shared = shared, .ops = &ops, .kind = drawn};
    assert_int_equal(workers_start(&workers, &fleet, &setup, NULL, NULL, &error), ERROR_NONE);
    while (atomic_load(&drawn->count) < wanted) {
        if (workers_check(&workers, &error) != ERROR_NONE)
            fail_msg("%s: %s: %s", error.subject, error_words(error.kind), error.detail);
        pause_ms(1);
    }
    workers_end(&workers);
    assert_int_equal(atomic_load(&drawn->count), wanted);
    event_loop_free(setup.session.loop.event_loop);
    shared_free(shared);
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

TEST(every_session_has_another_seed_and_so_has_every_fleet)
{
    struct drawn *one = new_drawn(), *other = new_drawn();
    draw((struct fleet_plan){.processes = 3, .seed = 7}, one, SESSIONS);
    draw((struct fleet_plan){.processes = 3, .seed = 8}, other, SESSIONS);
    for (uint32_t i = 0; i < SESSIONS; i++) {
        for (uint32_t j = 0; j < SESSIONS; j++) {
            assert_true(one->seeds[i] != other->seeds[j]);
            assert_true(i == j || one->seeds[i] != one->seeds[j]);
        }
    }
    forget(one);
    forget(other);
}

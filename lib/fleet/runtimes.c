// SPDX-License-Identifier: Apache-2.0
#include "fleet/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "client/event_loop.h"
#include "client/thread_sessions.h"
#include "sim/sim.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ one event loop */

struct own {
    struct event_loop *events;
    struct timers timers;
};

static void set_alarm_events(void *timers, uint64_t due_ns, struct actor *actor)
{
    timers_set(timers, due_ns, actor);
}

static void timers_due(void *timers)
{
    timers_ring(timers);
}

static enum error_kind set_up_events(struct worker *worker, struct actor_timer *timer,
                                     struct error *error)
{
    struct own *own = memory_new(1, sizeof *own);
    worker->own = own;
    *timer = (struct actor_timer){set_alarm_events, &own->timers};
    enum error_kind kind = timers_init(&own->timers, worker->count, worker->ops->alarm, error);
    if (kind == ERROR_NONE)
        kind = event_loop_new(worker->count, worker->shared->plan->servers->identity, &own->events,
                              error);
    if (kind == ERROR_NONE)
        kind = event_loop_watch(own->events, worker->place->wake_descriptor, worker_woken, worker,
                                error);
    if (kind == ERROR_NONE)
        kind =
            event_loop_watch(own->events, own->timers.descriptor, timers_due, &own->timers, error);
    return kind;
}

static enum error_kind open_events(struct worker *worker, struct actor *actor, const char *hosts,
                                   struct error *error)
{
    struct own *own = worker->own;
    return event_loop_open(own->events, hosts, worker->shared->plan->session_timeout_ms,
                           fleet_plan_depth(worker->shared->plan), worker->ops->listener, actor,
                           &actor->client, error);
}

static enum error_kind wait_for_events(struct worker *worker, uint64_t most_ns, struct error *error)
{
    struct own *own = worker->own;
    enum error_kind kind = event_loop_poll(own->events, clock_now_ns() + most_ns, error);
    shared_tell_rest(worker->shared);
    return kind;
}

static bool tear_down_events(struct worker *worker, uint64_t until_ns)
{
    struct own *own = worker->own;
    if (own == NULL)
        return true;
    if (own->events != NULL)
        event_loop_close(own->events, until_ns);
    event_loop_free(own->events);
    timers_deinit(&own->timers);
    free(own);
    return true;
}

const struct runtime runtime_events = {
    .set_up = set_up_events,
    .open = open_events,
    .tell = worker_carry_out,
    .wait = wait_for_events,
    .tear_down = tear_down_events,
};

/* ------------------------------------------------------------------ a thread for each actor */

static void set_alarm_threads(void *context, uint64_t due_ns, struct actor *actor)
{
    (void)context;
    thread_session_alarm(actor->client, due_ns);
}

static void carry_out(void *actor, int order)
{
    worker_carry_out(actor, order);
}

static void waits(void *actor)
{
    shared_tell_rest(((struct actor *)actor)->shared);
}

static enum error_kind set_up_threads(struct worker *worker, struct actor_timer *timer,
                                      struct error *error)
{
    const struct thread_session_hooks hooks = {carry_out, worker->ops->alarm, waits};
    struct thread_sessions *sessions = NULL;
    *timer = (struct actor_timer){set_alarm_threads, NULL};
    enum error_kind kind = thread_sessions_new(
        worker->count, worker->shared->plan->servers->identity, &hooks, &sessions, error);
    worker->own = sessions;
    return kind;
}

static enum error_kind open_threads(struct worker *worker, struct actor *actor, const char *hosts,
                                    struct error *error)
{
    return thread_sessions_open(worker->own, hosts, worker->shared->plan->session_timeout_ms,
                                fleet_plan_depth(worker->shared->plan), worker->ops->listener,
                                actor, &actor->client, error);
}

static void tell(struct actor *actor, int order)
{
    thread_session_order(actor->client, order);
}

static enum error_kind wait_for_coordinator(struct worker *worker, uint64_t most_ns,
                                            struct error *error)
{
    struct pollfd wake = {.fd = worker->place->wake_descriptor, .events = POLLIN};
    int ready = poll(&wake, 1, (int)((most_ns + NS_PER_MS - 1) / NS_PER_MS));
    if (ready < 0 && errno != EINTR)
        return error_from_errno(error, errno, "worker", "poll");
    if (ready > 0)
        worker_woken(worker);
    return ERROR_NONE;
}

static bool tear_down_threads(struct worker *worker, uint64_t until_ns)
{
    if (worker->own == NULL)
        return true;
    if (thread_sessions_close(worker->own, until_ns) > 0)
        return false;
    thread_sessions_free(worker->own);
    return true;
}

const struct runtime runtime_threads = {
    .set_up = set_up_threads,
    .open = open_threads,
    .tell = tell,
    .wait = wait_for_coordinator,
    .tear_down = tear_down_threads,
};

/* ------------------------------------------------------------------ a simulation */

/* Events in a turn: the coordinator's own checks cost little beside so many. */
#define TURN_EVENTS 4096

static void ring(void *context)
{
    struct actor *actor = context;
    actor->ops->alarm(actor, 0); /* a simulation is never late */
}

static void set_alarm_simulated(void *sim, uint64_t due_ns, struct actor *actor)
{
    sim_at(sim, due_ns, ring, actor);
}

static enum error_kind set_up_simulated(struct worker *worker, struct actor_timer *timer,
                                        struct error *error)
{
    (void)error;
    *timer = (struct actor_timer){set_alarm_simulated, worker->sim};
    return ERROR_NONE;
}

static enum error_kind open_simulated(struct worker *worker, struct actor *actor, const char *hosts,
                                      struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    (void)hosts;
    const struct endpoint *place = &plan->servers->endpoints[actor->session % plan->servers->count];
    return sim_open(worker->sim, place->port - 1U, plan->session_timeout_ms, fleet_plan_depth(plan),
                    worker->ops->listener, actor, &actor->client, error);
}

/* Whether the coordinator may take its next step. */
static bool is_at_rest(const struct shared *shared)
{
    return shared->in_steps && atomic_load(&shared->busy) == 0;
}

static enum error_kind live(struct worker *worker, uint64_t most_ns, struct error *error)
{
    struct sim *sim = worker->sim;
    uint64_t until_ns = sim_now_ns(sim) + most_ns;
    (void)error;
    worker_woken(worker);
    for (int i = 0; i < TURN_EVENTS && (i == 0 || !is_at_rest(worker->shared)); i++) {
        if (sim_next_ns(sim) > until_ns) {
            sim_advance(sim, until_ns);
            break;
        }
        sim_step(sim);
    }
    return ERROR_NONE;
}

static bool tear_down_simulated(struct worker *worker, uint64_t until_ns)
{
    (void)worker;
    (void)until_ns;
    return true; /* the sessions end with the simulation */
}

const struct runtime runtime_sim = {
    .set_up = set_up_simulated,
    .open = open_simulated,
    .tell = worker_carry_out,
    .wait = live,
    .tear_down = tear_down_simulated,
};

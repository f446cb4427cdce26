// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "client/event_loop.h"
#include "fleet/runtime.h"
#include "fleet/timers.h"

#include <stdlib.h>

struct own {
    struct event_loop *events;
    struct timers timers;
};

static void set_alarm(void *timers, uint64_t due_ns, struct actor *actor)
{
    timers_set(timers, due_ns, actor);
}

static void timers_due(void *timers)
{
    timers_ring(timers);
}

static enum error_kind set_up(struct worker *worker, struct actor_timer *timer, struct error *error)
{
    struct own *own = calloc(1, sizeof *own);
    if (own == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "%s", "");
    worker->own = own;
    *timer = (struct actor_timer){set_alarm, &own->timers};
    enum error_kind kind = timers_init(&own->timers, worker->count, worker->ops->alarm, error);
    if (kind == ERROR_NONE)
        kind = event_loop_new(worker->count, &own->events, error);
    if (kind == ERROR_NONE)
        kind = event_loop_watch(own->events, worker->place->wake_descriptor, worker_woken, worker,
                                error);
    if (kind == ERROR_NONE)
        kind =
            event_loop_watch(own->events, own->timers.descriptor, timers_due, &own->timers, error);
    return kind;
}

static enum error_kind open_session(struct worker *worker, struct actor *actor, const char *hosts,
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

static bool tear_down(struct worker *worker, uint64_t until_ns)
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
    .set_up = set_up,
    .open = open_session,
    .tell = worker_carry_out,
    .wait = wait_for_events,
    .tear_down = tear_down,
};

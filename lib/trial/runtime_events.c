// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "client/event_loop.h"
#include "fleet/timers.h"
#include "trial/runtime.h"

#include <stdlib.h>

struct own {
    struct event_loop *events;
    struct timers timers;
};

static void set_alarm(void *timers, uint64_t due_ns, struct lock_session *session)
{
    timers_set(timers, due_ns, session);
}

static void timers_due(void *timers)
{
    timers_ring(timers);
}

static enum error_kind set_up(struct worker *worker, struct session_timer *timer,
                              struct error *error)
{
    struct own *own = calloc(1, sizeof *own);
    if (own == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "%s", "");
    worker->own = own;
    *timer = (struct session_timer){set_alarm, &own->timers};
    enum error_kind kind = timers_init(&own->timers, worker->count, lock_session_alarm_rang, error);
    if (kind == ERROR_NONE)
        kind = event_loop_new(worker->count, &own->events, error);
    if (kind == ERROR_NONE)
        kind = event_loop_watch(own->events, worker->share->wake_descriptor, worker_woken, worker,
                                error);
    if (kind == ERROR_NONE)
        kind =
            event_loop_watch(own->events, own->timers.descriptor, timers_due, &own->timers, error);
    return kind;
}

static enum error_kind open_session(struct worker *worker, struct lock_session *session,
                                    const char *hosts, struct error *error)
{
    struct own *own = worker->own;
    return event_loop_open(own->events, hosts, worker->board->plan->session_timeout_ms,
                           &lock_session_listener, session, &session->contender.client, error);
}

static enum error_kind wait_for_events(struct worker *worker, uint64_t most_ns, struct error *error)
{
    struct own *own = worker->own;
    enum error_kind kind = event_loop_poll(own->events, clock_now_ns() + most_ns, error);
    worker_tell_coordinator(worker->board);
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

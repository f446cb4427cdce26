// SPDX-License-Identifier: Apache-2.0
#include "trial/alarms.h"
#include "trial/seating.h"
#include "zk/events.h"

#include <stdlib.h>

struct own {
    struct events *events;
    struct alarms alarms;
};

static void set_alarm(void *alarms, uint64_t due_ns, struct seat *seat)
{
    alarms_set(alarms, due_ns, seat);
}

static void alarms_due(void *alarms)
{
    alarms_ring(alarms);
}

static enum fault_kind set_up(struct worker *worker, struct seat_timer *timer, struct fault *fault)
{
    struct own *own = calloc(1, sizeof *own);
    if (own == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "worker", "%s", "");
    worker->own = own;
    *timer = (struct seat_timer){set_alarm, &own->alarms};
    enum fault_kind kind = alarms_init(&own->alarms, worker->count, seat_alarm_rang, fault);
    if (kind == FAULT_NONE)
        kind = events_new(worker->count, &own->events, fault);
    if (kind == FAULT_NONE)
        kind =
            events_watch(own->events, worker->share->wake_descriptor, worker_woken, worker, fault);
    if (kind == FAULT_NONE)
        kind = events_watch(own->events, own->alarms.descriptor, alarms_due, &own->alarms, fault);
    return kind;
}

static enum fault_kind open_session(struct worker *worker, struct seat *seat, const char *hosts,
                                    struct fault *fault)
{
    struct own *own = worker->own;
    return events_open(own->events, hosts, worker->board->plan->session_timeout_ms, &seat_listener,
                       seat, &seat->contender.client, fault);
}

static enum fault_kind wait_for_events(struct worker *worker, uint64_t until_ns,
                                       struct fault *fault)
{
    struct own *own = worker->own;
    enum fault_kind kind = events_poll(own->events, until_ns, fault);
    worker_tell_conductor(worker->board);
    return kind;
}

static bool tear_down(struct worker *worker, uint64_t until_ns)
{
    struct own *own = worker->own;
    if (own == NULL)
        return true;
    if (own->events != NULL)
        events_close(own->events, until_ns);
    events_free(own->events);
    alarms_deinit(&own->alarms);
    free(own);
    return true;
}

const struct seating seating_on_events = {
    .set_up = set_up,
    .open = open_session,
    .tell = worker_carry_out,
    .wait = wait_for_events,
    .tear_down = tear_down,
};

// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "trial/seating.h"
#include "zk/threads.h"

#include <errno.h>
#include <poll.h>

static void set_alarm(void *context, uint64_t due_ns, struct seat *seat)
{
    (void)context;
    threads_alarm(seat->contender.client, due_ns);
}

static void carry_out(void *seat, int order)
{
    worker_carry_out(seat, (enum seat_order)order);
}

static void waits(void *seat)
{
    worker_tell_conductor(((struct seat *)seat)->meter.board);
}

static enum fault_kind set_up(struct worker *worker, struct seat_timer *timer, struct fault *fault)
{
    static const struct threads_hooks hooks = {carry_out, seat_alarm_rang, waits};
    struct threads *threads = NULL;
    *timer = (struct seat_timer){set_alarm, NULL};
    enum fault_kind kind = threads_new(worker->count, &hooks, &threads, fault);
    worker->own = threads;
    return kind;
}

static enum fault_kind open_session(struct worker *worker, struct seat *seat, const char *hosts,
                                    struct fault *fault)
{
    return threads_open(worker->own, hosts, worker->board->plan->session_timeout_ms, &seat_listener,
                        seat, &seat->contender.client, fault);
}

/* A dead session's thread has ended. */
static void tell(struct seat *seat, enum seat_order order)
{
    if (atomic_load(&seat->meter.board->sessions[seat->session].dead))
        worker_carry_out(seat, order);
    else
        threads_order(seat->contender.client, (int)order);
}

static enum fault_kind wait_for_conductor(struct worker *worker, uint64_t most_ns,
                                          struct fault *fault)
{
    struct pollfd wake = {.fd = worker->share->wake_descriptor, .events = POLLIN};
    int ready = poll(&wake, 1, (int)((most_ns + NS_PER_MS - 1) / NS_PER_MS));
    if (ready < 0 && errno != EINTR)
        return fault_from_errno(fault, errno, "worker", "poll");
    if (ready > 0)
        worker_woken(worker);
    return FAULT_NONE;
}

static bool tear_down(struct worker *worker, uint64_t until_ns)
{
    if (worker->own == NULL)
        return true;
    if (threads_close(worker->own, until_ns) > 0)
        return false;
    threads_free(worker->own);
    return true;
}

const struct seating seating_on_threads = {
    .set_up = set_up,
    .open = open_session,
    .tell = tell,
    .wait = wait_for_conductor,
    .tear_down = tear_down,
};

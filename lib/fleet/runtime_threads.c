// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "client/thread_sessions.h"
#include "fleet/runtime.h"

#include <errno.h>
#include <poll.h>

static void set_alarm(void *context, uint64_t due_ns, struct actor *actor)
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

static enum error_kind set_up(struct worker *worker, struct actor_timer *timer, struct error *error)
{
    const struct thread_session_hooks hooks = {carry_out, worker->ops->alarm, waits};
    struct thread_sessions *sessions = NULL;
    *timer = (struct actor_timer){set_alarm, NULL};
    enum error_kind kind = thread_sessions_new(worker->count, &hooks, &sessions, error);
    worker->own = sessions;
    return kind;
}

static enum error_kind open_session(struct worker *worker, struct actor *actor, const char *hosts,
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

static bool tear_down(struct worker *worker, uint64_t until_ns)
{
    if (worker->own == NULL)
        return true;
    if (thread_sessions_close(worker->own, until_ns) > 0)
        return false;
    thread_sessions_free(worker->own);
    return true;
}

const struct runtime runtime_threads = {
    .set_up = set_up,
    .open = open_session,
    .tell = tell,
    .wait = wait_for_coordinator,
    .tear_down = tear_down,
};

// SPDX-License-Identifier: Apache-2.0
#include "fleet/watchdog.h"

#include <poll.h>

/* A wait that takes so much longer than it may was not run meanwhile; any takes a little longer. */
#define ABSENCE_NS WATCHDOG_TURN_NS

static void woken(void *context)
{
    shared_woken(((struct shared *)context)->coordinator_descriptor);
}

/* In a simulation the actors move in the coordinator's own turns, and nobody is to be woken. */
enum error_kind watchdog_start(struct watchdog *watchdog)
{
    struct shared *shared = watchdog->workers->fleet.shared;
    if (shared->coordinator_descriptor < 0)
        return ERROR_NONE;
    return event_loop_watch(watchdog->loop->event_loop, shared->coordinator_descriptor, woken,
                            shared, watchdog->error);
}

void watchdog_stop(struct watchdog *watchdog)
{
    struct shared *shared = watchdog->workers->fleet.shared;
    if (shared->coordinator_descriptor >= 0)
        event_loop_unwatch(watchdog->loop->event_loop, shared->coordinator_descriptor);
}

static bool is_interrupted(const struct watchdog *watchdog)
{
    struct pollfd descriptor = {.fd = watchdog->interrupt_descriptor, .events = POLLIN};
    return watchdog->interrupt_descriptor >= 0 && poll(&descriptor, 1, 0) > 0;
}

/* A private server that ends while sessions connect, or while all of them pause, is noticed by
 * nothing else. */
static enum error_kind check_servers(struct watchdog *watchdog)
{
    uint64_t now_ns = clock_now_ns();
    if (now_ns - watchdog->checked_ns < WATCHDOG_TURN_NS)
        return ERROR_NONE;
    watchdog->checked_ns = now_ns;
    return ensemble_check(watchdog->counters->ensemble, watchdog->error);
}

static enum error_kind check(struct watchdog *watchdog)
{
    enum error_kind kind = workers_check(watchdog->workers, watchdog->error);
    if (kind == ERROR_NONE)
        kind = check_servers(watchdog);
    if (kind == ERROR_NONE && is_interrupted(watchdog))
        kind = error_raise(watchdog->error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    return kind;
}

static bool is_stuck(struct watchdog *watchdog)
{
    const struct shared *shared = watchdog->workers->fleet.shared;
    uint64_t movement = shared_steps(shared) + watchdog->kind->movement(watchdog->context);
    uint64_t now_ns = loop_now_ns(watchdog->loop);
    if (movement != watchdog->movement) {
        watchdog->movement = movement;
        watchdog->moved_ns = now_ns;
    }
    /* Until the servers have ended a dead session others may wait for its ephemeral znodes. */
    uint64_t expires_ns = atomic_load(&shared->expires_ns);
    uint64_t since_ns = expires_ns > watchdog->moved_ns ? expires_ns : watchdog->moved_ns;
    return now_ns > since_ns && now_ns - since_ns > shared->plan->timeout_ns;
}

void watchdog_rest(struct watchdog *watchdog)
{
    watchdog->moved_ns = loop_now_ns(watchdog->loop);
}

enum fleet_end watchdog_wait(struct watchdog *watchdog, uint64_t most_ns)
{
    uint64_t until_ns = loop_now_ns(watchdog->loop) + most_ns;
    enum error_kind kind =
        workers_turn(watchdog->workers, watchdog->loop, most_ns, watchdog->error);
    uint64_t now_ns = loop_now_ns(watchdog->loop);
    uint64_t absent_ns = now_ns > until_ns + ABSENCE_NS ? now_ns - until_ns : 0;
    if (kind != ERROR_NONE || check(watchdog) != ERROR_NONE)
        return END_ERROR;
    enum fleet_end end = watchdog->kind->look(watchdog->context, now_ns, absent_ns);
    if (end != END_DONE)
        return end;
    if (atomic_load(&watchdog->workers->fleet.shared->lost) > 0)
        return END_LOST;
    return is_stuck(watchdog) ? END_DEADLINE : END_DONE;
}

// SPDX-License-Identifier: Apache-2.0
#include "trial/watchdog.h"

#include "base/clock.h"

#include <poll.h>

/* How long a server that is behind is left alone before it is asked again. */
#define FOLLOW_NS NS_PER_MS
/* A turn that takes so much longer than it may was not run meanwhile; any takes a little longer. */
#define ABSENCE_NS WATCHDOG_TURN_NS

/* Under lockstep all arrive, one after another, before the first release. */
static uint64_t arrivals_due(const struct lock_board *board)
{
    bool arriving =
        board->plan->pace == PACE_LOCKSTEP && atomic_load(&board->first_release_ns) == 0;
    return arriving ? board->plan->fleet.sessions : 0;
}

static void show_progress(struct watchdog *watchdog)
{
    const struct trial_watch *watch = watchdog->watch;
    uint64_t now_ns = clock_now_ns();
    if (watch->progress == NULL || now_ns - watchdog->shown_ns < WATCHDOG_TURN_NS)
        return;
    watchdog->shown_ns = now_ns;
    struct lock_board *board = watchdog->board;
    struct trial_progress progress = {
        .rpcs = lock_board_requests(board),
        .established = atomic_load(&board->shared->established),
        .elapsed_ns = watchdog->opened_ns == 0 ? 0 : now_ns - watchdog->opened_ns,
        .stalled_ns = stall_lasts_ns(&watchdog->stall, now_ns),
        .stalled_at = watchdog->stall.server,
        .arrivals_due = arrivals_due(board),
    };
    for (uint32_t lock = 0; lock < board->plan->locks; lock++) {
        uint64_t due = plan_handoffs_of(board->plan, lock);
        progress.arrivals += atomic_load(&board->locks[lock].arrivals);
        progress.handoffs += atomic_load(&board->locks[lock].grants);
        progress.handoffs_due = due == UINT64_MAX ? due : progress.handoffs_due + due;
    }
    watch->progress(watch->context, &progress);
}

static bool is_interrupted(const struct trial_watch *watch)
{
    struct pollfd descriptor = {.fd = watch->interrupt_descriptor, .events = POLLIN};
    return watch->interrupt_descriptor >= 0 && poll(&descriptor, 1, 0) > 0;
}

static bool is_stuck(struct watchdog *watchdog)
{
    struct lock_board *board = watchdog->board;
    uint64_t steps = shared_steps(board->shared);
    /* A step of lockstep sets off all the messages of a herd; in free pace messages alone are no
     * progress. */
    if (board->plan->pace == PACE_LOCKSTEP)
        steps += lock_board_requests(board);
    uint64_t now_ns = loop_now_ns(watchdog->loop);
    if (steps != watchdog->steps) {
        watchdog->steps = steps;
        watchdog->moved_ns = now_ns;
    }
    /* What a session that died has left behind may be waited for until the servers have ended it.
     */
    uint64_t expires_ns = atomic_load(&board->expires_ns);
    uint64_t since_ns = expires_ns > watchdog->moved_ns ? expires_ns : watchdog->moved_ns;
    return now_ns > since_ns && now_ns - since_ns > board->plan->fleet.timeout_ns;
}

/* A private server that ends while sessions connect, or a lock is held, shows in nothing else. */
static enum error_kind check_server(struct watchdog *watchdog)
{
    uint64_t now_ns = clock_now_ns();
    if (now_ns - watchdog->checked_ns < WATCHDOG_TURN_NS)
        return ERROR_NONE;
    watchdog->checked_ns = now_ns;
    return server_counters_check(watchdog->counters, watchdog->error);
}

enum error_kind watchdog_turn(const struct watchdog *watchdog, uint64_t most_ns)
{
    return workers_turn(watchdog->workers, watchdog->loop, most_ns, watchdog->error);
}

/* The turn, and a look at what has moved in it. */
static enum error_kind take_turn(struct watchdog *watchdog, uint64_t most_ns)
{
    uint64_t until_ns = loop_now_ns(watchdog->loop) + most_ns;
    enum error_kind kind = watchdog_turn(watchdog, most_ns);
    uint64_t now_ns = loop_now_ns(watchdog->loop);
    stall_look(&watchdog->stall, now_ns, now_ns > until_ns + ABSENCE_NS ? now_ns - until_ns : 0);
    return kind;
}

enum trial_end watchdog_wait(struct watchdog *watchdog, uint64_t most_ns)
{
    struct lock_board *board = watchdog->board;
    enum error_kind kind = take_turn(watchdog, most_ns);
    if (kind == ERROR_NONE)
        kind = workers_check(watchdog->workers, watchdog->error);
    if (kind == ERROR_NONE)
        kind = check_server(watchdog);
    if (kind == ERROR_NONE && is_interrupted(watchdog->watch))
        kind = error_raise(watchdog->error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    if (kind != ERROR_NONE)
        return END_ERROR;
    show_progress(watchdog);
    if (lock_board_violation_count(board) > 0)
        return END_VIOLATION;
    if (atomic_load(&board->shared->lost) > 0)
        return END_LOST;
    return is_stuck(watchdog) ? END_DEADLINE : END_DONE;
}

enum error_kind watchdog_follow(struct watchdog *watchdog, uint64_t *mark, bool *reached)
{
    uint64_t longest_ns;
    enum error_kind kind =
        server_counters_follow(watchdog->counters, mark, reached, &longest_ns, watchdog->error);
    if (kind == ERROR_NONE)
        stall_question(&watchdog->stall, loop_now_ns(watchdog->loop), longest_ns);
    return kind;
}

enum trial_end watchdog_catch_up(struct watchdog *watchdog)
{
    uint64_t mark = 0;
    bool reached = watchdog->board->plan->fleet.servers->count == 1;
    enum trial_end end = END_DONE;
    while (end == END_DONE && !reached) {
        end = trial_end_of(watchdog_follow(watchdog, &mark, &reached));
        if (end == END_DONE && !reached)
            end = watchdog_wait(watchdog, FOLLOW_NS);
    }
    return end;
}

void watchdog_close_in_time(const struct watchdog *watchdog)
{
    if (loop_now_ns(watchdog->loop) >= watchdog->closes_ns)
        atomic_store(&watchdog->board->closed, true);
}

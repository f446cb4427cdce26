// SPDX-License-Identifier: Apache-2.0
#include "trial/vigil.h"

#include "base/clock.h"

#include <poll.h>

/* How long a server that is behind is left alone before it is asked again. */
#define FOLLOW_NS NS_PER_MS
/* A turn that takes so much longer than it may was not run meanwhile; any takes a little longer. */
#define ABSENCE_NS VIGIL_TURN_NS

/* Under lockstep all arrive, one after another, before the first release. */
static uint64_t arrivals_due(const struct board *board)
{
    bool arriving =
        board->plan->pace == PACE_LOCKSTEP && atomic_load(&board->first_release_ns) == 0;
    return arriving ? board->plan->clients : 0;
}

static void show_progress(struct vigil *vigil)
{
    const struct trial_watch *watch = vigil->watch;
    uint64_t now_ns = clock_now_ns();
    if (watch->progress == NULL || now_ns - vigil->shown_ns < VIGIL_TURN_NS)
        return;
    vigil->shown_ns = now_ns;
    struct board *board = vigil->board;
    struct trial_progress progress = {
        .rpcs = atomic_load(&board->rpcs),
        .established = atomic_load(&board->established),
        .elapsed_ns = vigil->opened_ns == 0 ? 0 : now_ns - vigil->opened_ns,
        .stalled_ns = stall_lasts_ns(&vigil->stall, now_ns),
        .stalled_at = vigil->stall.server,
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

static bool is_stuck(struct vigil *vigil)
{
    struct board *board = vigil->board;
    uint64_t steps = atomic_load(&board->steps);
    /* A step of lockstep sets off all the messages of a herd; in free pace messages alone are no
     * progress. */
    if (board->plan->pace == PACE_LOCKSTEP)
        steps += atomic_load(&board->rpcs);
    uint64_t now_ns = stage_now_ns(vigil->stage);
    if (steps != vigil->steps) {
        vigil->steps = steps;
        vigil->moved_ns = now_ns;
    }
    /* What a session that died has left behind may be waited for until the servers have ended it.
     */
    uint64_t expires_ns = atomic_load(&board->expires_ns);
    uint64_t since_ns = expires_ns > vigil->moved_ns ? expires_ns : vigil->moved_ns;
    return now_ns > since_ns && now_ns - since_ns > board->plan->timeout_ns;
}

/* A private server that ends while sessions connect, or a lock is held, shows in nothing else. */
static enum fault_kind check_server(struct vigil *vigil)
{
    uint64_t now_ns = clock_now_ns();
    if (now_ns - vigil->checked_ns < VIGIL_TURN_NS)
        return FAULT_NONE;
    vigil->checked_ns = now_ns;
    return oracle_check(vigil->oracle, vigil->fault);
}

enum fault_kind vigil_turn(const struct vigil *vigil, uint64_t most_ns)
{
    return crew_turn(vigil->crew, vigil->stage, most_ns, vigil->fault);
}

/* The turn, and a look at what has moved in it. */
static enum fault_kind take_turn(struct vigil *vigil, uint64_t most_ns)
{
    uint64_t until_ns = stage_now_ns(vigil->stage) + most_ns;
    enum fault_kind kind = vigil_turn(vigil, most_ns);
    uint64_t now_ns = stage_now_ns(vigil->stage);
    stall_look(&vigil->stall, now_ns, now_ns > until_ns + ABSENCE_NS ? now_ns - until_ns : 0);
    return kind;
}

enum fault_kind vigil_wait(struct vigil *vigil, uint64_t most_ns, bool *goes_on)
{
    struct board *board = vigil->board;
    enum fault_kind kind = take_turn(vigil, most_ns);
    if (kind == FAULT_NONE)
        kind = crew_check(vigil->crew, vigil->fault);
    if (kind == FAULT_NONE)
        kind = check_server(vigil);
    if (kind != FAULT_NONE)
        return kind;
    if (is_interrupted(vigil->watch))
        return fault_raise(vigil->fault, FAULT_INTERRUPTED, 0, "run", "%s", "");
    show_progress(vigil);
    *goes_on = false;
    if (board_violation_count(board) > 0)
        vigil->end = END_VIOLATION;
    else if (atomic_load(&board->lost) > 0)
        vigil->end = END_LOST;
    else if (is_stuck(vigil))
        vigil->end = END_DEADLINE;
    else
        *goes_on = true;
    return FAULT_NONE;
}

enum fault_kind vigil_follow(struct vigil *vigil, uint64_t *mark, bool *reached)
{
    uint64_t longest_ns;
    enum fault_kind kind = oracle_follow(vigil->oracle, mark, reached, &longest_ns, vigil->fault);
    if (kind == FAULT_NONE)
        stall_question(&vigil->stall, stage_now_ns(vigil->stage), longest_ns);
    return kind;
}

enum fault_kind vigil_catch_up(struct vigil *vigil, bool *goes_on)
{
    uint64_t mark = 0;
    bool reached = vigil->board->plan->servers->count == 1;
    enum fault_kind kind = FAULT_NONE;
    while (kind == FAULT_NONE && !reached && *goes_on) {
        kind = vigil_follow(vigil, &mark, &reached);
        if (kind == FAULT_NONE && !reached)
            kind = vigil_wait(vigil, FOLLOW_NS, goes_on);
    }
    return kind;
}

void vigil_close_in_time(const struct vigil *vigil)
{
    if (stage_now_ns(vigil->stage) >= vigil->closes_ns)
        atomic_store(&vigil->board->closed, true);
}

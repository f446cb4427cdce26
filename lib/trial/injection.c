// SPDX-License-Identifier: Apache-2.0
#include "trial/injection.h"

#include "trial/handoff.h"

const struct death *injection_planned(const struct lock_board *board)
{
    const struct trial_plan *plan = board->plan;
    return plan->death.how != DEATH_NONE ? &plan->death : &plan->recipe->death;
}

bool injection_none_yet(const struct lock_board *board)
{
    return atomic_load(&board->died_ns) == 0;
}

/* In a drain everybody arrives once, in the order of the sessions' numbers. */
static bool find_waiter(const struct lock_board *board, uint64_t place, uint32_t *session)
{
    const struct trial_plan *plan = board->plan;
    for (uint32_t i = 0; i < plan->fleet.sessions; i += plan->locks) {
        if (board->sessions[i].acquisitions > 0)
            continue;
        if (place-- == 0) {
            *session = i;
            return true;
        }
    }
    return false;
}

bool injection_due(const struct lock_board *board, uint32_t *session)
{
    const struct death *death = injection_planned(board);
    uint32_t holder = handoff_holder(board, 0);
    if ((death->how != DEATH_EXIT && death->how != DEATH_CRASH) || !injection_none_yet(board) ||
        handoff_number(board, 0) != death->handoff)
        return false;
    uint64_t waiting = handoff_waiting(board, 0);
    if (death->who == DEATH_WAITER && waiting > 0)
        return find_waiter(board, (waiting - 1) / 2, session);
    if (death->who != DEATH_HOLDER || holder == 0)
        return false;
    *session = holder - 1;
    return true;
}

bool injection_crashes_work(const struct lock_board *board, uint32_t lock)
{
    const struct death *death = injection_planned(board);
    return death->how == DEATH_CRASH && death->who == DEATH_WORKER && lock == 0 &&
           injection_none_yet(board) && handoff_number(board, lock) >= death->handoff;
}

bool injection_loses_reply(const struct lock_board *board, uint32_t session)
{
    const struct trial_plan *plan = board->plan;
    const struct death *death = injection_planned(board);
    uint32_t place = death->who == DEATH_WAITER ? plan_clients_of(plan, 0) / 2 : 0;
    return death->how == DEATH_LOST_REPLY && injection_none_yet(board) &&
           session == place * plan->locks;
}

void injection_begun(struct lock_board *board, uint32_t lock, uint64_t now_ns)
{
    uint64_t nobody = 0;
    if (injection_none_yet(board))
        atomic_store(&board->died_lock, lock); /* who sees that one died sees where */
    atomic_compare_exchange_strong(&board->died_ns, &nobody, now_ns);
}

void injection_dead(struct lock_board *board, uint32_t session, uint64_t expires_ns)
{
    shared_raise(&board->shared->expires_ns, expires_ns);
    board->sessions[session].unfinished = board->sessions[session].parked = false;
    atomic_store(&board->shared->sessions[session].dead, true);
}

// SPDX-License-Identifier: Apache-2.0
#include "trial/checker.h"

static uint64_t present_handoff(const struct board *board, uint32_t lock)
{
    return atomic_load(&board->locks[lock].releases);
}

void checker_granted(struct board *board, uint32_t lock, uint32_t session, int64_t order)
{
    struct board_lock *state = &board->locks[lock];
    uint32_t before = atomic_exchange(&state->holder, session + 1);
    if (before != 0)
        board_violate(board, &(struct violation){.kind = VIOLATION_TWO_HOLDERS,
                                                 .lock = lock,
                                                 .handoff = present_handoff(board, lock),
                                                 .session = session + 1,
                                                 .other = before});
    int64_t last = atomic_exchange(&state->last_order, order);
    if (last < order)
        return;
    atomic_fetch_add(&state->inversions, 1);
    if (board->plan->recipe->fifo)
        board_violate(board, &(struct violation){.kind = VIOLATION_ORDER,
                                                 .lock = lock,
                                                 .handoff = present_handoff(board, lock),
                                                 .session = session + 1,
                                                 .expected = last,
                                                 .found = order});
}

void checker_released(struct board *board, uint32_t lock, uint32_t session)
{
    uint32_t holder = session + 1;
    if (atomic_compare_exchange_strong(&board->locks[lock].holder, &holder, 0))
        return;
    board_violate(board, &(struct violation){.kind = VIOLATION_NOT_HOLDER,
                                             .lock = lock,
                                             .handoff = present_handoff(board, lock),
                                             .session = session + 1,
                                             .other = holder});
}

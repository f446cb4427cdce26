// SPDX-License-Identifier: Apache-2.0
#include "trial/checker.h"

#include "base/clock.h"

static uint64_t present_handoff(const struct board *board, uint32_t lock)
{
    return atomic_load(&board->locks[lock].releases);
}

static bool has_lapsed(const struct board *board, uint32_t lock, uint32_t holder, uint64_t now_ns)
{
    return atomic_load(&board->sessions[holder - 1].dead) &&
           now_ns >= atomic_load(&board->locks[lock].lapses_ns);
}

static void check_deserter(struct board *board, uint32_t lock, uint32_t session, uint64_t now_ns)
{
    uint32_t deserter = atomic_exchange(&board->locks[lock].deserter, 0);
    uint64_t released_ns = atomic_load(&board->locks[lock].released_ns);
    if (deserter != 0)
        board_violate(board,
                      &(struct violation){.kind = VIOLATION_DESERTED,
                                          .lock = lock,
                                          .handoff = present_handoff(board, lock),
                                          .session = session + 1,
                                          .other = deserter,
                                          .expected = board->sessions[deserter - 1].timeout_ms,
                                          .found = (int64_t)((now_ns - released_ns) / NS_PER_MS)});
}

void checker_granted(struct board *board, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns)
{
    struct board_lock *state = &board->locks[lock];
    uint32_t before = atomic_exchange(&state->holder, session + 1);
    check_deserter(board, lock, session, now_ns);
    if (before != 0 && !has_lapsed(board, lock, before, now_ns))
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

void checker_crashed(struct board *board, uint32_t lock, uint64_t lapses_ns)
{
    atomic_store(&board->locks[lock].lapses_ns, lapses_ns);
}

void checker_deserted(struct board *board, uint32_t lock, uint32_t session)
{
    atomic_store(&board->locks[lock].deserter, session + 1);
}

// SPDX-License-Identifier: Apache-2.0
#include "trial/checker.h"

#include "base/clock.h"
#include "trial/handoff.h"

static void violate(struct lock_board *board, enum violation_kind kind, uint32_t lock,
                    uint32_t session, struct violation violation)
{
    violation.kind = kind;
    violation.lock = lock;
    violation.handoff = handoff_number(board, lock);
    violation.session = session + 1;
    lock_board_violate(board, &violation);
}

/* ------------------------------------------------------------------ who holds */

static bool has_lapsed(const struct lock_board *board, uint32_t lock, uint32_t holder,
                       uint64_t now_ns)
{
    return atomic_load(&board->shared->sessions[holder - 1].dead) &&
           now_ns >= atomic_load(&board->locks[lock].lapses_ns);
}

static void check_undeleted(struct lock_board *board, uint32_t lock, uint32_t session,
                            uint64_t now_ns)
{
    uint32_t ended = atomic_exchange(&board->locks[lock].undeleted, 0);
    uint64_t released_ns = atomic_load(&board->locks[lock].released_ns);
    if (ended != 0)
        violate(board, VIOLATION_UNDELETED, lock, session,
                (struct violation){.other = ended,
                                   .expected = board->shared->sessions[ended - 1].timeout_ms,
                                   .found = (int64_t)((now_ns - released_ns) / NS_PER_MS)});
}

/* Of two that are granted at once, each writes its own word before it reads the other's, so at
 * least one of them detects the other. */
static void take_alone(struct lock_board *board, uint32_t lock, uint32_t session, uint64_t now_ns)
{
    struct lock_state *state = &board->locks[lock];
    uint32_t before = atomic_exchange(&state->holder, session + 1);
    uint32_t sharers = atomic_load(&state->sharers);
    bool held = before != 0 && !has_lapsed(board, lock, before, now_ns);
    if (held || sharers != 0)
        violate(board, VIOLATION_TWO_HOLDERS, lock, session,
                (struct violation){.other = held ? before : 0, .found = sharers});
}

static void take_shared(struct lock_board *board, uint32_t lock, uint32_t session)
{
    struct lock_state *state = &board->locks[lock];
    atomic_fetch_add(&state->sharers, 1);
    uint32_t alone = atomic_load(&state->holder);
    if (alone != 0)
        violate(board, VIOLATION_TWO_HOLDERS, lock, session, (struct violation){.other = alone});
}

/* ------------------------------------------------------------------ in which order */

static void out_of_turn(struct lock_board *board, uint32_t lock, uint32_t session, int64_t last,
                        int64_t order)
{
    atomic_fetch_add(&board->locks[lock].inversions, 1);
    if (board->plan->recipe->fifo)
        violate(board, VIOLATION_ORDER, lock, session,
                (struct violation){.expected = last, .found = order});
}

static void order_alone(struct lock_board *board, uint32_t lock, uint32_t session, int64_t order)
{
    struct lock_state *state = &board->locks[lock];
    int64_t last = atomic_exchange(&state->last_order, order);
    atomic_store(&state->last_alone, order);
    if (last >= order)
        out_of_turn(board, lock, session, last, order);
}

static void order_shared(struct lock_board *board, uint32_t lock, uint32_t session, int64_t order)
{
    struct lock_state *state = &board->locks[lock];
    int64_t last = atomic_load(&state->last_order);
    while (last < order && !atomic_compare_exchange_weak(&state->last_order, &last, order))
        continue;
    int64_t last_alone = atomic_load(&state->last_alone);
    if (last_alone >= order)
        out_of_turn(board, lock, session, last_alone, order);
}

/* ------------------------------------------------------------------ grants and releases */

static bool shares(const struct lock_board *board, uint32_t session)
{
    return recipe_shares(board->plan->recipe, plan_number_of(board->plan, session));
}

/* At a barrier nobody goes on before all have come. */
static void check_barrier(struct lock_board *board, uint32_t lock, uint32_t session,
                          enum violation_kind kind, uint64_t have_come)
{
    uint64_t clients = plan_clients_of(board->plan, lock);
    if (board->plan->recipe->barrier && have_come < clients)
        violate(board, kind, lock, session,
                (struct violation){.expected = (int64_t)clients, .found = (int64_t)have_come});
}

void checker_granted(struct lock_board *board, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns)
{
    check_undeleted(board, lock, session, now_ns);
    if (shares(board, session)) {
        take_shared(board, lock, session);
        order_shared(board, lock, session, order);
    } else {
        take_alone(board, lock, session, now_ns);
        order_alone(board, lock, session, order);
    }
    check_barrier(board, lock, session, VIOLATION_ENTERED_EARLY,
                  atomic_load(&board->locks[lock].arrivals));
}

void checker_released(struct lock_board *board, uint32_t lock, uint32_t session)
{
    struct lock_state *state = &board->locks[lock];
    uint32_t holder = session + 1;
    bool held = shares(board, session) ? atomic_fetch_sub(&state->sharers, 1) != 0
                                       : atomic_compare_exchange_strong(&state->holder, &holder, 0);
    if (!held)
        violate(board, VIOLATION_NOT_HOLDER, lock, session,
                (struct violation){.other = shares(board, session) ? 0 : holder});
}

void checker_left(struct lock_board *board, uint32_t lock, uint32_t session)
{
    check_barrier(board, lock, session, VIOLATION_LEFT_EARLY, handoff_number(board, lock));
}

uint32_t checker_holders(const struct lock_board *board, uint32_t lock)
{
    const struct lock_state *state = &board->locks[lock];
    return atomic_load(&state->sharers) + (atomic_load(&state->holder) != 0 ? 1 : 0);
}

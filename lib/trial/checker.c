// SPDX-License-Identifier: Apache-2.0
/*
 * Checks at every grant and release, in all processes, that the lock is a lock: two atomic words
 * per lock contain who holds it alone and how many share it, as their recipe says. No client may
 * hold beside one that holds alone, and no more share than the recipe has leases. A session that
 * crashes while it holds counts as the holder until the earliest time at which the servers may have
 * deleted its znodes.
 *
 * Order: the sequence numbers of a queue's grants must rise, but not among clients that share. For
 * a lock without a queue the number is that of the arrival; an inversion is counted, and is no
 * violation, because such a lock promises no order.
 *
 * No client may have entered a barrier before all have begun to enter it, or have left it before
 * all have begun to leave it. One count for all barriers of a lock is sufficient: a client begins
 * with the next one only when it is through, so whoever is through first finds that count too low.
 */
#include "trial/internal.h"

static void violate(struct trial_memory *memory, enum violation_kind kind, uint32_t lock,
                    uint32_t session, struct violation violation)
{
    violation.kind = kind;
    violation.session = session + 1;
    trial_memory_violate(memory, lock, handoff_number(memory, lock), violation);
}

/* ------------------------------------------------------------------ grants and releases */

static bool shares(const struct trial_memory *memory, uint32_t session)
{
    return recipe_shares(memory->plan->recipe, plan_number_of(memory->plan, session));
}

static void out_of_turn(struct trial_memory *memory, uint32_t lock, uint32_t session, int64_t last,
                        int64_t order)
{
    atomic_fetch_add(&memory->locks[lock].inversions, 1);
    if (memory->plan->recipe->fifo)
        violate(memory, VIOLATION_ORDER, lock, session,
                (struct violation){.expected = last, .found = order});
}

/* A session that is granted writes its own word before it reads the other's: of two at once, one
 * detects it. */
static void grant_alone(struct trial_memory *memory, uint32_t lock, uint32_t session, int64_t order,
                        uint64_t now_ns)
{
    struct lock_state *state = &memory->locks[lock];
    uint32_t before = atomic_exchange(&state->holder, session + 1);
    uint32_t sharers = atomic_load(&state->sharers);
    bool held = before != 0 && !(atomic_load(&memory->fleet->sessions[before - 1].dead) &&
                                 now_ns >= atomic_load(&state->lapses_ns));
    if (held || sharers != 0)
        violate(memory, held ? VIOLATION_TWO_HOLDERS : VIOLATION_SHARED, lock, session,
                (struct violation){.other = before, .found = sharers});
    int64_t last = atomic_exchange(&state->last_order, order);
    atomic_store(&state->last_alone, order);
    if (last >= order)
        out_of_turn(memory, lock, session, last, order);
}

static void grant_shared(struct trial_memory *memory, uint32_t lock, uint32_t session,
                         int64_t order)
{
    struct lock_state *state = &memory->locks[lock];
    uint32_t others = atomic_fetch_add(&state->sharers, 1), leases = memory->plan->recipe->leases;
    if (leases != 0 && others >= leases)
        violate(memory, VIOLATION_LEASES, lock, session,
                (struct violation){.expected = leases, .found = others});
    uint32_t alone = atomic_load(&state->holder);
    if (alone != 0)
        violate(memory, VIOLATION_TWO_HOLDERS, lock, session, (struct violation){.other = alone});
    int64_t last = atomic_load(&state->last_order);
    while (last < order && !atomic_compare_exchange_weak(&state->last_order, &last, order))
        continue;
    int64_t last_alone = atomic_load(&state->last_alone);
    if (last_alone >= order)
        out_of_turn(memory, lock, session, last_alone, order);
}

void checker_granted(struct trial_memory *memory, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns)
{
    uint32_t ended = atomic_exchange(&memory->locks[lock].undeleted, 0);
    uint64_t released_ns = atomic_load(&memory->locks[lock].released_ns);
    if (ended != 0)
        violate(memory, VIOLATION_UNDELETED, lock, session,
                (struct violation){.other = ended,
                                   .expected = memory->fleet->sessions[ended - 1].timeout_ms,
                                   .found = (int64_t)((now_ns - released_ns) / NS_PER_MS)});
    if (shares(memory, session))
        grant_shared(memory, lock, session, order);
    else
        grant_alone(memory, lock, session, order, now_ns);
}

void checker_released(struct trial_memory *memory, uint32_t lock, uint32_t session)
{
    struct lock_state *state = &memory->locks[lock];
    uint32_t holder = session + 1;
    bool held = shares(memory, session)
                    ? atomic_fetch_sub(&state->sharers, 1) != 0
                    : atomic_compare_exchange_strong(&state->holder, &holder, 0);
    if (!held)
        violate(memory, VIOLATION_NOT_HOLDER, lock, session,
                (struct violation){.other = shares(memory, session) ? 0 : holder});
}

/* ------------------------------------------------------------------ barriers */

void checker_begins(struct trial_memory *memory, uint32_t lock, enum passage passage)
{
    if (memory->plan->recipe->barrier)
        atomic_fetch_add(&memory->locks[lock].passages[passage], 1);
}

void checker_ends(struct trial_memory *memory, uint32_t lock, uint32_t session, uint32_t barrier,
                  enum passage passage)
{
    uint64_t clients = plan_clients_of(memory->plan, lock);
    uint64_t before = clients * barrier,
             have_come = atomic_load(&memory->locks[lock].passages[passage]);
    if (memory->plan->recipe->barrier && have_come < before + clients)
        violate(memory, passage == PASSAGE_IN ? VIOLATION_ENTERED_EARLY : VIOLATION_LEFT_EARLY,
                lock, session,
                (struct violation){.expected = (int64_t)clients,
                                   .found = (int64_t)(have_come - before)});
}

/* ------------------------------------------------------------------ holders */

uint32_t checker_holders(const struct trial_memory *memory, uint32_t lock)
{
    const struct lock_state *state = &memory->locks[lock];
    return atomic_load(&state->sharers) + (atomic_load(&state->holder) != 0 ? 1 : 0);
}

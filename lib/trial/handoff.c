// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"

uint64_t handoff_number(const struct trial_memory *memory, uint32_t lock)
{
    return atomic_load(&memory->locks[lock].releases);
}

struct ledger_row *handoff_row(const struct trial_memory *memory, uint32_t lock)
{
    return ledger_row(&memory->ledger, lock, handoff_number(memory, lock));
}

uint64_t handoff_waiting(const struct trial_memory *memory, uint32_t lock)
{
    const struct lock_state *state = &memory->locks[lock];
    /* A session arrives before it is granted: read in this order, the difference is never negative.
     */
    uint64_t gone = atomic_load(&state->grants) + atomic_load(&state->abandoned);
    return atomic_load(&state->arrivals) - gone;
}

uint32_t handoff_holder(const struct trial_memory *memory, uint32_t lock)
{
    uint32_t holder = atomic_load(&memory->locks[lock].holder);
    return holder != 0 && atomic_load(&memory->fleet->sessions[holder - 1].dead) ? 0 : holder;
}

bool handoff_admits(struct trial_memory *memory, uint32_t lock, uint32_t session)
{
    if (plan_takes_every_lock(memory->plan))
        return memory->sessions[session].acquisitions < plan_acquisitions(memory->plan);
    uint64_t most = plan_handoffs_of(memory->plan, lock);
    return !atomic_load(&memory->closed) &&
           atomic_fetch_add(&memory->locks[lock].admissions, 1) < most;
}

/* ------------------------------------------------------------------ its beginning */

/* In a steady trial that ends by time the ledger may run out of rows before. Every session in line
 * still needs one. */
static void close_before_overflow(struct trial_memory *memory, uint64_t handoff)
{
    const struct trial_plan *plan = memory->plan;
    if (plan->workload != WORKLOAD_STEADY || plan->handoffs != 0 ||
        handoff + plan->fleet.sessions + 1 < memory->ledger.rows_per_lock)
        return;
    atomic_store(&memory->overflowed, true);
    atomic_store(&memory->closed, true);
}

void handoff_begin(struct trial_memory *memory, uint32_t lock, uint64_t now_ns, bool holder_died)
{
    struct lock_state *state = &memory->locks[lock];
    uint64_t waiters = handoff_waiting(memory, lock);
    atomic_store(&state->joined, false);
    atomic_store(&state->holder_died, holder_died);
    atomic_store(&state->released_ns, now_ns);
    uint64_t handoff = atomic_fetch_add(&state->releases, 1) + 1; /* others may release as well */
    struct ledger_row *row = ledger_row(&memory->ledger, lock, handoff);
    row->released_ns = now_ns;
    row->waiters = (uint32_t)waiters;
    close_before_overflow(memory, handoff);
    uint64_t none = 0;
    atomic_compare_exchange_strong(&memory->first_release_ns, &none, now_ns);
}

/* ------------------------------------------------------------------ what follows from it */

/* HANDOFF_NONE before the first release, and if another process has sent one since now_ns was read:
 * the message did not follow from that one. */
static uint64_t since_release_ns(const struct lock_state *state, uint64_t now_ns)
{
    uint64_t released_ns = atomic_load(&state->released_ns);
    return released_ns != 0 && released_ns <= now_ns ? now_ns - released_ns : HANDOFF_NONE;
}

uint64_t handoff_notification_ns(const struct trial_memory *memory, uint32_t lock,
                                 enum client_event event, uint64_t now_ns)
{
    const struct lock_state *state = &memory->locks[lock];
    /* After an arrival a change of the children may be the arrival's. */
    bool of_release =
        event == EVENT_DELETED || (event == EVENT_CHILD && !atomic_load(&state->joined));
    return of_release ? since_release_ns(state, now_ns) : HANDOFF_NONE;
}

/* A barrier hands nothing on. A session that arrived after the release, at a lock that others
 * share, was not granted because of the release. */
uint64_t handoff_grant_ns(const struct trial_memory *memory, uint32_t lock, uint64_t arrived_ns,
                          uint64_t now_ns)
{
    const struct lock_state *state = &memory->locks[lock];
    uint64_t grant_ns = since_release_ns(state, now_ns);
    if (grant_ns == HANDOFF_NONE || memory->plan->recipe->barrier)
        return HANDOFF_NONE;
    bool joins = arrived_ns > now_ns - grant_ns && atomic_load(&state->sharers) > 1;
    return joins ? HANDOFF_NONE : grant_ns;
}

void handoff_granted(struct trial_memory *memory, uint32_t lock, uint32_t session,
                     uint64_t grant_ns, uint64_t now_ns)
{
    struct ledger_row *row = handoff_row(memory, lock);
    if (grant_ns != HANDOFF_NONE)
        shared_raise(&row->handoff_ns, grant_ns);
    uint64_t died_ns = atomic_load(&memory->died_ns), none = 0; /* the first grant after a death */
    if (died_ns != 0 && died_ns <= now_ns && atomic_load(&memory->died_lock) == lock)
        atomic_compare_exchange_strong(&memory->recovery_ns, &none, now_ns - died_ns);
    if (atomic_fetch_add(&row->granted, 1) == 0)
        atomic_store(&row->holder, session + 1);
    struct lock_state *state = &memory->locks[lock];
    if (atomic_fetch_add(&state->grants, 1) + 1 == plan_clients_of(memory->plan, lock))
        atomic_store(&state->steady_from_ns, now_ns);
}

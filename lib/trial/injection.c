// SPDX-License-Identifier: Apache-2.0
/*
 * Deaths on purpose: which session dies, or loses a reply, and when, as the plan says
 * (recipes/recipe.h). Under lockstep the coordinator orders the holder or a waiter to die between
 * two steps. A session that loses a reply, or dies at its work, decides so itself.
 *
 * Invariant: a death is in the shared memory before the session ends.
 */
#include "trial/internal.h"

bool injection_none_yet(const struct trial_memory *memory)
{
    return atomic_load(&memory->died_ns) == 0;
}

/* In a drain each session arrives once, in the order of the sessions' numbers. */
static bool find_waiter(const struct trial_memory *memory, uint64_t place, uint32_t *session)
{
    const struct trial_plan *plan = memory->plan;
    for (uint32_t i = 0; i < plan->fleet.sessions; i += plan->locks) {
        if (memory->sessions[i].acquisitions > 0)
            continue;
        if (place-- == 0) {
            *session = i;
            return true;
        }
    }
    return false;
}

bool injection_due(const struct trial_memory *memory, uint32_t *session)
{
    const struct death *death = plan_death(memory->plan);
    uint32_t holder = handoff_holder(memory, 0);
    if ((death->how != DEATH_EXIT && death->how != DEATH_CRASH) || !injection_none_yet(memory) ||
        handoff_number(memory, 0) != death->handoff)
        return false;
    uint64_t waiting = handoff_waiting(memory, 0);
    if (death->who == DEATH_WAITER && waiting > 0)
        return find_waiter(memory, (waiting - 1) / 2, session);
    if (death->who != DEATH_HOLDER || holder == 0)
        return false;
    *session = holder - 1;
    return true;
}

bool injection_crashes_work(const struct trial_memory *memory, uint32_t lock)
{
    const struct death *death = plan_death(memory->plan);
    return death->how == DEATH_CRASH && death->who == DEATH_WORKER && lock == 0 &&
           injection_none_yet(memory) && handoff_number(memory, lock) >= death->handoff;
}

bool injection_loses_reply(const struct trial_memory *memory, uint32_t session)
{
    const struct trial_plan *plan = memory->plan;
    const struct death *death = plan_death(memory->plan);
    uint32_t place = death->who == DEATH_WAITER ? plan_clients_of(plan, 0) / 2 : 0;
    return death->how == DEATH_LOST_REPLY && injection_none_yet(memory) &&
           session == place * plan->locks;
}

void injection_begun(struct trial_memory *memory, uint32_t lock, uint32_t session, uint64_t now_ns)
{
    uint64_t none = 0;
    if (injection_none_yet(memory)) { /* stored before died_ns, so that its readers see the lock */
        atomic_store(&memory->died_lock, lock);
        atomic_store(&memory->died_session, session);
        atomic_store(&memory->died_handoff, handoff_number(memory, lock));
    }
    atomic_compare_exchange_strong(&memory->died_ns, &none, now_ns);
}

void injection_dead(struct trial_memory *memory, uint32_t session, uint64_t expires_ns)
{
    shared_raise(&memory->fleet->expires_ns, expires_ns);
    memory->sessions[session].unfinished = memory->sessions[session].parked = false;
    atomic_store(&memory->fleet->sessions[session].dead, true);
}

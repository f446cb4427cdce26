// SPDX-License-Identifier: Apache-2.0
/*
 * trial_plan: what one trial is to do. Layer: trial.
 */
#ifndef TRIAL_TRIAL_PLAN_H
#define TRIAL_TRIAL_PLAN_H

#include "fleet/fleet_plan.h"
#include "recipes/recipe.h"

enum workload {
    WORKLOAD_DRAIN, /* each client acquires once */
    WORKLOAD_STEADY /* each queues again after its release, as long as handoffs or time are left */
};

enum pace {
    PACE_LOCKSTEP, /* one step at a time, everything at rest in between: counts are exact */
    PACE_FREE      /* all arrive when the gate opens: real contention */
};

/* The longest holding time drawn, in means, below a trial's timeout: one in 500 million is cut. */
#define HOLD_LONGEST_MEANS 20

struct hold {
    uint64_t mean_ns;
    bool exponential; /* else fixed */
};

#define TRACE_HANDOFFS_MAX 64 /* the most handoffs of each lock that are traced */

struct trial_plan {
    struct fleet_plan fleet; /* a session is a client of the locks */
    const struct recipe *recipe;
    enum workload workload;
    enum pace pace;
    struct hold hold;  /* from a grant to the release, which comes in a later turn in any case */
    uint32_t locks;    /* at most as many as clients; client i contends (first) for i mod locks */
    uint64_t handoffs; /* steady: grants in all, at least clients; 0: the time decides */
    uint64_t duration_ns; /* steady, when handoffs is 0 */
    /* Double barriers of a lock, for a recipe that is one: each client enters them in turn, and
     * then leaves them in the same order. 0: one. More only in a drain in free pace, because who
     * lists before whom is left to chance from the second barrier on. */
    uint32_t barriers;
    uint64_t max_rate;      /* lockstep: requests a second since the gate, at most; 0: no limit */
    struct death death;     /* DEATH_NONE: the recipe's, if any. In drains where no clients share,
                               and under lockstep, but for a worker's */
    const uint64_t *traced; /* handoffs of each lock whose messages are kept, ascending */
    size_t traced_count;    /* at most TRACE_HANDOFFS_MAX */
    bool tolerates_brief_stalls; /* below a second: the machine is not watched */
    const char *root;            /* as in struct experiment */
};

static inline bool plan_takes_every_lock(const struct trial_plan *plan)
{
    return plan->recipe->every_lock && plan->workload == WORKLOAD_DRAIN;
}

/* The lock that a session contends for after this number of acquisitions. */
static inline uint32_t plan_lock_of(const struct trial_plan *plan, uint32_t session,
                                    uint64_t acquisitions)
{
    uint64_t from = session + (plan_takes_every_lock(plan) ? acquisitions : 0);
    return (uint32_t)(from % plan->locks); // NOLINT(*DivideZero): a plan has a lock at least
}

/* A session's number among those that contend for the same lock, from 0. */
static inline uint32_t plan_number_of(const struct trial_plan *plan, uint32_t session)
{
    return plan_takes_every_lock(plan) ? session : session / plan->locks;
}

static inline uint32_t plan_clients_of(const struct trial_plan *plan, uint32_t lock)
{
    if (plan_takes_every_lock(plan))
        return plan->fleet.sessions;
    return plan->fleet.sessions / plan->locks + (lock < plan->fleet.sessions % plan->locks ? 1 : 0);
}

/* Grants that this lock is to make: UINT64_MAX when the time decides. */
static inline uint64_t plan_handoffs_of(const struct trial_plan *plan, uint32_t lock)
{
    if (plan->workload == WORKLOAD_DRAIN)
        return plan_clients_of(plan, lock);
    if (plan->handoffs == 0)
        return UINT64_MAX;
    uint64_t share = plan->handoffs / plan->locks + (lock < plan->handoffs % plan->locks ? 1 : 0);
    return share < plan_clients_of(plan, lock) ? plan_clients_of(plan, lock) : share;
}

/* Nested acquires and releases per grant: one barrier each. */
static inline uint32_t plan_nesting(const struct trial_plan *plan)
{
    uint32_t nesting = plan->recipe->barrier ? plan->barriers : plan->recipe->nesting;
    return nesting > 0 ? nesting : 1;
}

/* The plan's death, or the recipe's if the plan has none. */
static inline const struct death *plan_death(const struct trial_plan *plan)
{
    return plan->death.how != DEATH_NONE ? &plan->death : &plan->recipe->death;
}

/* A recipe's folders at each lock: the lock's own, or in it one for each of several barriers. */
static inline uint32_t plan_folders(const struct trial_plan *plan)
{
    return plan->barriers > 1 ? plan->barriers : 1;
}

#endif

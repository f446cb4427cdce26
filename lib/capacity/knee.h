// SPDX-License-Identifier: Apache-2.0
/*
 * knee: how many hot locks an ensemble carries before one more makes all of them slower. Layer:
 * capacity.
 *
 * One lock is serial: it makes at most 1/(handoff + hold) handoffs a second. All locks together use
 * the same servers, so X handoffs a second of H locks obey the asymptotic bounds of a closed
 * queueing network (Denning and Buzen 1978; Lazowska et al. 1984, chapter 5):
 *
 *   X(H) <= min(H / (handoff + hold), 1 / demand)        knee = (handoff + hold) / demand
 *
 * handoff: of one lock alone, with its waiters; demand: the largest time that a handoff takes of
 * any one server, core or the driver (utilisation_largest_demand). Below the knee the locks do not
 * yet meet at that resource; above it, more locks share the same number of handoffs.
 *
 * The demand must be measured with many hot locks: servers and driver that have little to do take
 * more CPU time for each handoff, because they wake up for each message. With the demand of fewer
 * locks than the knee, such as one, the knee is a lower bound.
 *
 * The interval is over trials, of logarithms. Invariant: a value that cannot be computed is NaN.
 */
#ifndef CAPACITY_KNEE_H
#define CAPACITY_KNEE_H

#include "capacity/utilisation.h"
#include "measure/statistics.h"

#include <stdbool.h>
#include <stddef.h>

#define KNEE_TRIALS_MAX 64

/* Trials with the same clients for each lock; the caller's. */
struct knee_trials {
    const struct utilisation_figures *of[KNEE_TRIALS_MAX];
    size_t count;
};

/* Appends a trial; the first KNEE_TRIALS_MAX are taken. */
void knee_trials_add(struct knee_trials *trials, const struct utilisation_figures *trial);

struct knee {
    struct interval locks;      /* H*: the knee */
    struct interval most_per_s; /* 1 / demand: handoffs of all locks together, at most */
    struct interval cycle_s;    /* handoff + hold, of one lock alone */
    enum utilisation_limit of;  /* what has the largest demand, in most trials */
    uint32_t demand_locks;      /* the most hot locks with which the demand was measured */
    bool at_least; /* these are fewer than the knee: knee and handoffs are only lower bounds */
};

/* The knee from trials of one lock (`lone`) and of many locks (`busy`); if no demand of these is
 * known, the demand is that of the lone ones. A trial whose handoff, or whose demand, is not known
 * is left out. No interval: fewer than STATISTICS_TRIALS_MIN trials are left of either. */
struct knee knee_find(const struct knee_trials *lone, const struct knee_trials *busy);

#endif

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
 * Each trial gives one knee; the interval is over trials, of logarithms. Invariant: a value that
 * cannot be computed is NaN.
 */
#ifndef CAPACITY_KNEE_H
#define CAPACITY_KNEE_H

#include "capacity/utilisation.h"
#include "measure/statistics.h"

#include <stddef.h>

#define KNEE_TRIALS_MAX 64

struct knee {
    struct interval locks;      /* H*: the knee; no interval: fewer than STATISTICS_TRIALS_MIN */
    struct interval most_per_s; /* 1 / demand: handoffs of all locks together, at most */
    double cycle_s;             /* handoff + hold: the geometric mean */
    enum utilisation_limit of;  /* what has the largest demand, in most trials */
    size_t trials;              /* that told both */
};

/* The knee from trials of one lock, or few, that are far from being full: the first KNEE_TRIALS_MAX
 * are taken, and those left out whose demand or handoff is not known. */
struct knee knee_of_trials(const struct utilisation_figures *trials, size_t count);

/* The most handoffs a second that so many hot locks make together. */
double knee_bound_per_s(const struct knee *knee, double locks);

#endif

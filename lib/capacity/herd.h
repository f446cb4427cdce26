// SPDX-License-Identifier: Apache-2.0
/*
 * herd: the herd coefficient of a recipe, from steady trials with several numbers of waiters.
 * Layer: capacity.
 *
 * A mutex is serial, so a handoff with W waiters takes bare·(1 + beta·W): beta is the cost of one
 * more waiter, in handoffs without a waiter. The line handoff = intercept + slope·W goes through
 * one point of each trial, with the weights 1/y² of measure/fit.h, and beta = slope/intercept.
 *
 * The interval of beta is Fieller's (1954): the values b for which slope - b·intercept is not
 * significantly different from zero. It needs no normal quotient, and there is none if the
 * intercept is not significantly above zero: then the trials do not tell what a bare handoff costs,
 * and slope alone is told. The unit is the trial: its handoffs are correlated.
 *
 * Invariant: a value that the trials do not determine is NaN.
 */
#ifndef CAPACITY_HERD_H
#define CAPACITY_HERD_H

#include "measure/statistics.h"

#include <stdbool.h>
#include <stddef.h>

#define HERD_CONFIDENCE 0.95

/* X(name) What the trials tell. */
enum herd_state {
    HERD_KNOWN,          /* beta with its interval */
    HERD_ONE_SIZE,       /* nothing: all trials have the same number of waiters, or none is left */
    HERD_FEW_TRIALS,     /* beta without an interval: fewer than STATISTICS_TRIALS_MIN trials */
    HERD_BARE_NOT_KNOWN, /* the slope: the intercept is not significantly above zero */
};

/* One valid trial. */
struct herd_trial {
    double waiters;   /* W: the mean at its releases */
    double handoff_s; /* its median; > 0 */
};

struct herd {
    enum herd_state state;
    struct interval beta;
    struct interval bare_s;  /* the intercept */
    struct interval slope_s; /* a waiter */
    bool bends; /* a line is no good description: the quadratic term is more than a quarter of the
                   value at the most waiters (fit_bends), and is not by chance (F-test) */
    size_t trials;
    double least, most; /* waiters of the trials */
};

/* The coefficient of these trials, at most HERD_TRIALS_MAX, of which the first are taken; a trial
 * whose time is not positive is left out. */
#define HERD_TRIALS_MAX 256
struct herd herd_fit(const struct herd_trial *trials, size_t count);

#endif

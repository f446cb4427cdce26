// SPDX-License-Identifier: Apache-2.0
/*
 * plan_bounds: sentences about what gave out, the herd coefficient and the knee, in lines of 80
 * columns. Layer: bench/answer.
 *
 * Invariant: a number that the trials do not determine is said not to be known, with the reason.
 */
#ifndef BENCH_ANSWER_PLAN_BOUNDS_H
#define BENCH_ANSWER_PLAN_BOUNDS_H

#include "bench/answer/plan_knee.h"
#include "capacity/herd.h"
#include "capacity/utilisation.h"

#include <stdio.h>

/* What gave out first, with the evidence: of trials of this name, such as "scalable, 200 waiters".
 */
void plan_bounds_write_limit(const char *name, const struct utilisation_finding *finding,
                             FILE *stream);

/* The herd coefficient of a recipe. */
void plan_bounds_write_herd(const char *recipe, const struct herd *herd, FILE *stream);

/* How many locks of a recipe may be hot, each with so many clients; or why it is not known. */
void plan_bounds_write_knee(const char *recipe, const struct plan_knee *knee, FILE *stream);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * ensembles: an experiment on throughput: what servers add to an ensemble, which is reads and not
 * writes, and how long barriers take. Layer: bench/claims.
 */
#ifndef BENCH_CLAIMS_ENSEMBLES_H
#define BENCH_CLAIMS_ENSEMBLES_H

#include "bench/claims/claim.h"
#include "bench/claims/ensemble_pair.h"

/* From the first number of servers of the claim to the second reads rise and writes fall. Without
 * ensembles side by side, and in a simulation for writes, that part is undetermined. Of the claim's
 * recipe, a barrier: the time is linear (bench/claims/barriers.h). */
experiment_function ensembles_scale_reads;

/* For a larger experiment, and for tests: what follows from rounds of loads: of reads alone, and
 * operations a second are to rise, or of writes alone, and they are to fall. */
void ensembles_judge(const struct ensemble_pair *pair, const struct ensemble_pair_rates *rates,
                     struct finding *finding);

#endif

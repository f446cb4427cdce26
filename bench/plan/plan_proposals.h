// SPDX-License-Identifier: Apache-2.0
/*
 * plan_proposals: the sizes at which the searches of `zkherd plan --slo` begin: --costs FILE.
 * Layer: bench/plan.
 *
 * Invariant: a search for which there is no proposal begins at the least size.
 */
#ifndef BENCH_PLAN_PLAN_PROPOSALS_H
#define BENCH_PLAN_PLAN_PROPOSALS_H

#include "base/error.h"
#include "bench/cli/progress.h"
#include "bench/model/costs_file.h"
#include "bench/probe/plan_options.h"
#include "bench/target/target.h"

#include <stdio.h>

/*
 * Reads the file of --costs into *costs, the caller's to free; NULL if nothing is to be proposed:
 * without --costs, and if the trials themselves are simulated, with these costs. Gives options that
 * name no servers as many private ones as the costs hold for. Errors of costs_file_read.
 */
MUST_CHECK enum error_kind plan_proposals_read(struct plan_options *options,
                                               struct costs_file **costs, struct error *error);

/* ERROR_OTHER_COSTS unless the costs hold for the open servers. */
MUST_CHECK enum error_kind plan_proposals_check(const struct costs_file *costs,
                                                const struct plan_options *options,
                                                const struct target *target, struct error *error);

/* Fills options->proposals, with as many servers as the costs hold for. interrupts: readable when
 * to give up, or -1. Errors of plan_proposal_make. */
MUST_CHECK enum error_kind plan_proposals_make(const struct costs_file *costs,
                                               struct plan_options *options,
                                               const struct progress *progress, int interrupts,
                                               struct error *error);

/* Writes a sentence for each recipe that something was to be proposed for. */
void plan_proposals_write(const struct plan_options *options, FILE *stream);

/* The size that is proposed for a recipe; 0: none, and for a recipe that is not asked about. */
uint64_t plan_proposals_size(const struct plan_options *options, const struct recipe *recipe);

#endif

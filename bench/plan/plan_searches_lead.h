// SPDX-License-Identifier: Apache-2.0
/*
 * plan_searches_lead: leads the searches of `zkherd plan --slo` (plan_searches.h) from the start of
 * the servers to the exit status, as a user of a series. Layer: bench/plan.
 *
 * Invariant: no trial begins before the guard is there, and none goes on after it has ended.
 */
#ifndef BENCH_PLAN_PLAN_SEARCHES_LEAD_H
#define BENCH_PLAN_PLAN_SEARCHES_LEAD_H

#include "bench/probe/plan_options.h"

/* Returns the exit status; errors have been complained about. argv[0] is the subcommand. */
int plan_searches_lead(struct plan_options *options, int argc, char **argv);

#endif

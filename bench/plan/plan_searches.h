// SPDX-License-Identifier: Apache-2.0
/*
 * plan_searches: leads the searches of `zkherd plan --slo`, one for each recipe on each topology of
 * servers, from the start of the servers to the exit status. Layer: bench/plan.
 *
 * The searches take turns, a trial each, so that a drift of the machine or of the servers affects
 * all of them alike.
 *
 * Invariant: a trial is reported to its search only when the files have it.
 */
#ifndef BENCH_PLAN_PLAN_SEARCHES_H
#define BENCH_PLAN_PLAN_SEARCHES_H

#include "bench/plan/plan_command_line.h"

/* Returns the exit status; errors have been complained about. argv[0] is the subcommand. */
int plan_searches_lead(struct plan_options *options, int argc, char **argv);

#endif

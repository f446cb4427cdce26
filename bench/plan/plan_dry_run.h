// SPDX-License-Identifier: Apache-2.0
/*
 * plan_dry_run: says what the searches of `zkherd plan --slo` would demand of the servers. Layer:
 * bench/plan.
 *
 * Invariant: no server is started or asked.
 */
#ifndef BENCH_PLAN_PLAN_DRY_RUN_H
#define BENCH_PLAN_PLAN_DRY_RUN_H

#include "bench/probe/plan_options.h"

/* Prints the demand; returns the exit status. */
int plan_dry_run(struct plan_options *options);

#endif

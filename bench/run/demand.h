// SPDX-License-Identifier: Apache-2.0
/*
 * demand: what a run demands of the servers of --connect, in a message before the run begins.
 * Layer: bench/run.
 */
#ifndef BENCH_RUN_DEMAND_H
#define BENCH_RUN_DEMAND_H

#include "bench/cli/options.h"
#include "bench/run/cells.h"
#include "client/connect.h"

/* Prints the number of sessions at a time, and the requests and bytes in all, with the discarded
 * trials and without zkherd's own session; then the sessions and the rate of --background. */
void demand_tell(const struct options *options, const struct cells *cells,
                 const struct connect_string *servers);

#endif

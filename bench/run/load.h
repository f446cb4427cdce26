// SPDX-License-Identifier: Apache-2.0
/*
 * load: what a run puts on servers that are somebody's, in a sentence before it begins.
 * Layer: bench/run.
 */
#ifndef BENCH_RUN_LOAD_H
#define BENCH_RUN_LOAD_H

#include "bench/cli/options.h"
#include "bench/run/cells.h"
#include "client/connect.h"

/* Tells how many sessions there will be at a time, and how many requests and bytes in all, the
 * discarded trials included; what zkherd's own session sends is not. */
void load_tell(const struct options *options, const struct cells *cells,
               const struct connect_string *servers);

#endif

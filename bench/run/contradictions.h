// SPDX-License-Identifier: Apache-2.0
/*
 * contradictions: what options of `zkherd run` do not allow together. Layer: bench/run, below
 * options.
 *
 * Each of them is allowed by itself (bench/cli/option_table.h). What is asked of a recipe that it
 * cannot do is a contradiction too.
 */
#ifndef BENCH_RUN_CONTRADICTIONS_H
#define BENCH_RUN_CONTRADICTIONS_H

#include "bench/cli/options.h"

#include <stdbool.h>

/* Looks for one in options that are complete, defaults included. True if there is one: the first
 * has been complained about. */
bool contradictions_found(const struct options *options);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * core_shares: how much of this machine each private server gets, so that servers do not take the
 * cores from each other. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_CORE_SHARES_H
#define BENCH_PAPER_CORE_SHARES_H

#include "bench/cli/load_options.h"

#include <stdint.h>

/* What each of so many servers gets of the cores that the driver leaves, with one core for each of
 * its processes but half of the cores at most: percent of one core; 0 if that is less than a server
 * can live on (SERVER_CPU_MIN_PERCENT). */
uint32_t core_shares_of(double cores, uint32_t processes, uint64_t servers);

/* Sets the share of each server that the options leave open, if this machine can limit the CPU of a
 * process. Returns a warning if it cannot: a static text or one in `text`; else NULL. */
const char *core_shares_choose(struct load_options *options, char *text, size_t size);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * table: the end of a run for the terminal: a line a recipe and n, aligned. Layer: bench.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/options.h"
#include "bench/sample.h"

#include <stdio.h>

/* Counts are the medians over the trials (under lockstep all are alike), times too. */
void table_write(const struct samples *samples, const struct options *options, FILE *stream);

/* One line for each recipe that left watches or ephemerals behind on the servers. */
void table_write_leaks(const struct samples *samples, const struct options *options, FILE *stream);

/* One line for each recipe in whose trials a session died, and another was granted after that. */
void table_write_recoveries(const struct samples *samples, const struct options *options,
                            FILE *stream);

/* Where sessions were on servers of several roles: one line for each recipe, its median handoff at
 * the largest number of clients by the role of the server of the session granted. */
void table_write_roles(const struct samples *samples, const struct options *options, FILE *stream);

/* One line for each trial whose verdict failed or that is not valid; of a simulation the seed, too:
 * with it the same options fail in the same way. */
void table_write_failures(const struct samples *samples, const struct options *options,
                          FILE *stream);

#endif

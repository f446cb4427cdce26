// SPDX-License-Identifier: Apache-2.0
/*
 * table: the end of a run for the terminal: a line a recipe and n, aligned. Layer: bench/run.
 */
#ifndef BENCH_RUN_TABLE_H
#define BENCH_RUN_TABLE_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/sample.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Counts are the medians over the complete trials (under lockstep all are alike), times those over
 * the valid ones; a line below the table names each cell of which a trial is left out. RPCs are
 * told to the last one; where a row would be wider than `width`, other counts are rounded, and the
 * least important columns left out. A verdict that all cells share is a line below the table, else
 * a column. ERROR_NO_MEMORY, with nothing written.
 */
MUST_CHECK enum error_kind table_write(const struct samples *samples, const struct options *options,
                                       size_t width, FILE *stream, struct error *error);

/* A line if servers stalled in any trial that was led to its end all the same. */
void table_write_stalls(const struct samples *samples, FILE *stream);

/* One line for each recipe that left watches or ephemerals behind on the servers. */
void table_write_leaks(const struct samples *samples, const struct options *options, FILE *stream);

/* One line for each recipe in whose trials a session died, and another was granted after that. */
void table_write_recoveries(const struct samples *samples, const struct options *options,
                            FILE *stream);

/* Where sessions were on servers of several roles: one line for each recipe, its median handoff at
 * the largest number of clients by the role of the server of the session granted. */
void table_write_roles(const struct samples *samples, const struct options *options, FILE *stream);

/* To stderr, a line for each way in which trials of a recipe failed or were not valid, with `where`
 * before it, the first such trial, and how many there are: ways that differ in numbers alone are
 * one. Of a simulation the seed, too: with it the same options fail in the same way. */
void table_complain(const struct samples *samples, const struct options *options,
                    const char *where);

#endif

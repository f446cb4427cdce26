// SPDX-License-Identifier: Apache-2.0
/*
 * table: the table and the sentences that a run prints at its end, and its cells in JSON. Layer:
 * bench/run.
 */
#ifndef BENCH_RUN_TABLE_H
#define BENCH_RUN_TABLE_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/trial_rows.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes a row for each recipe and number of clients. Counts are medians over the complete trials
 * (under lockstep all are equal), times are medians over the valid trials; a line below the table
 * names each cell of which a trial is left out. Where a row would be wider than `width`, all counts
 * but RPCs are rounded, and the least important columns are left out, which lines below it say. A
 * verdict that all cells
 * share is left to the conclusion (conclusion.h), else it is a column. ERROR_NO_MEMORY, with
 * nothing written.
 */
MUST_CHECK enum error_kind table_write(const struct table *rows, const struct options *options,
                                       size_t width, FILE *stream, struct error *error);

/* A line if servers stalled in a trial that ran to its end. */
void table_write_stalls(const struct table *rows, FILE *stream);

/* A line for each recipe that left watches or ephemeral znodes behind on the servers. */
void table_write_leaks(const struct table *rows, const struct options *options, FILE *stream);

/* A line for each recipe with trials in which a session died and another was granted after that. */
void table_write_recoveries(const struct table *rows, const struct options *options, FILE *stream);

/* If sessions were on servers of several roles: a line for each recipe, with the median handoff at
 * the largest number of clients, by the role of the server of the granted session. */
void table_write_roles(const struct table *rows, const struct options *options, FILE *stream);

/* Writes to stderr a line for each reason for which trials of a recipe failed or were not valid:
 * `where`, the first such trial, their number, and in a simulation the seed, which repeats the
 * failure. Reasons that differ only in numbers are one reason. */
void table_complain(const struct table *rows, const struct options *options, const char *where);

/* A new list of the cells for --json, in the order of the table, with the keys of
 * docs/schema/run.schema.json; json_decref frees. */
json_t *table_json(const struct table *rows, const struct options *options);

/* The stalls of all trials, for the manifest. */
json_t *table_json_stalls(const struct table *rows);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * trial_rows: the trials of a run as rows of trials.csv, and its cells: a recipe at a number of
 * clients. Layer: bench/run.
 *
 * Invariant: a trial whose times are not those of the servers alone is not valid, and says why; its
 * counts stand if it is complete. Counts of a cell are medians over its complete trials (under
 * lockstep all are equal), or over all trials if none is complete; times are medians over its valid
 * trials.
 */
#ifndef BENCH_RUN_TRIAL_ROWS_H
#define BENCH_RUN_TRIAL_ROWS_H

#include "bench/background/background.h"
#include "bench/cli/options.h"
#include "bench/output/trial_columns.h"
#include "trial/trial.h"

/* What a trial is of. */
struct cell {
    const struct recipe *recipe;
    uint32_t clients;
    uint32_t trial;  /* from 1 */
    size_t topology; /* index of the target */
    uint64_t rpcs;   /* by the law: exact under lockstep, an estimate otherwise */
    uint64_t bytes;  /* sent and received: an upper bound for the messages of the law */
};

/* The columns that are equal in all rows of a run. */
struct trial_row_context {
    const char *run;
    const char *target;
    size_t servers;
    const struct options *options;
};

/* Fills the row of a finished trial and of the load beside it, without beta, which waiters_add
 * computes. cores_allowed: the cores that the trial's processes could use (cores.h). */
void trial_row_take(const struct cell *cell, const struct trial_result *result,
                    const struct background_figures *background,
                    const struct trial_row_context *context, double cores_allowed,
                    struct table_value *row);

/* A percentile for the files of a run: among values above the range the largest of them, exactly
 * (lib/measure/histogram.h); NaN of an empty histogram. */
double trial_row_percentile_us(const struct histogram *histogram, double percent);

/* Whether the trial of a row is of this recipe. */
bool trial_row_is_of(const struct table_value *row, const struct recipe *recipe);

/* The exit status that a row deserves: 0; 1: its verdict fails; 4: not valid. */
int trial_row_verdict(const struct table_value *row);

/* Whether the counts of a row can be used: the trial is complete, and its verdict does not fail. */
bool trial_row_counts(const struct table_value *row);

/* ------------------------------------------------------------------ cells */

struct run_cell {
    const struct recipe *recipe;
    uint64_t clients;
    struct table_cell trials;
    size_t complete, valid;
    bool fails;   /* the verdict of a trial does */
    bool has_law; /* each complete trial has one */
};

struct run_cells {
    struct table_cells cells;
    struct run_cell *list;
    size_t count;
};

/* The cells that have a trial, in the order of the plan; run_cells_deinit frees. */
struct run_cells run_cells_of(const struct table *rows, const struct options *options);
void run_cells_deinit(struct run_cells *cells);

/* The cell of a recipe at a number of clients; NULL: it has no trial. */
const struct run_cell *run_cells_find(const struct run_cells *cells, const struct recipe *recipe,
                                      uint64_t clients);

/* The median of a column: of a count, and of a time. */
double run_cell_count(const struct run_cell *cell, size_t column);
double run_cell_time(const struct run_cell *cell, size_t column);

#endif

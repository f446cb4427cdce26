// SPDX-License-Identifier: Apache-2.0
/*
 * plan_prediction_cells: predicted cells, with what was measured of them: table, file, verdict.
 * Layer: bench/predict.
 *
 * Invariant: a time that was not measured is in no score.
 */
#ifndef BENCH_PREDICT_PLAN_PREDICTION_CELLS_H
#define BENCH_PREDICT_PLAN_PREDICTION_CELLS_H

#include "base/error.h"
#include "bench/model/drain_series.h"
#include "bench/model/prediction.h"
#include "measure/csv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plan_prediction_cell {
    struct drain_cell drain;
    unsigned servers;
    struct prediction predicted;
    struct drain_summary measured; /* trials 0: it was not */
};

struct plan_prediction_cells {
    const char *costs_path;
    const struct costs_file *costs;
    bool validates;
    struct plan_prediction_cell *list;
    size_t count;
};

/* How many of the intervals cover what was measured. */
struct plan_prediction_score {
    size_t covered;
    size_t count;
    double worst; /* of |predicted / measured - 1|; 0 with count 0 */
};

struct plan_prediction_score plan_prediction_cells_score(const struct plan_prediction_cells *cells);

/* Whether eight of ten are covered, at least; false without any. */
bool plan_prediction_score_passes(const struct plan_prediction_score *score);

/* Writes what to know about the cells: with a measurement the score, else what the costs do not
 * know. */
void plan_prediction_cells_explain(const struct plan_prediction_cells *cells, FILE *stream);

/* Whether a time of a cell was measured, and whether its interval covers what was. */
bool plan_prediction_cells_measured(const struct plan_prediction_cell *cell, size_t time);
bool plan_prediction_cells_covered(const struct plan_prediction_cell *cell, size_t time);

/* The word for a time in files: "drain", "handoff_p50"; a static string. */
const char *plan_prediction_cells_word(enum drain_time time);

/* Prints the table, and what to know about it. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_prediction_cells_print(const struct plan_prediction_cells *cells,
                                                       FILE *stream, struct error *error);

/* Writes a row for each cell and time, with the titles. */
void plan_prediction_cells_write(const struct plan_prediction_cells *cells, struct csv *csv);

#endif

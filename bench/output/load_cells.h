// SPDX-License-Identifier: Apache-2.0
/*
 * load_cells: the figures of the cells of a load: cells.csv. Layer: bench/output.
 *
 * A cell is a mix at a number of sessions and an offered rate. The unit is the trial: a figure is
 * the geometric mean over the trials, with its 95 % interval from STATISTICS_TRIALS_MIN trials on.
 *
 * Invariant: trials that are not valid count only if no trial of the cell is valid. A response time
 * that is not known, because it is above one minute or among those of operations that were never
 * sent, has no value, and its low end is what it is at least.
 */
#ifndef BENCH_OUTPUT_LOAD_CELLS_H
#define BENCH_OUTPUT_LOAD_CELLS_H

#include "bench/output/noise_watch.h"
#include "measure/table.h"

#include <stddef.h>

/* The columns of load.csv of which a cell has a figure, in the order of cells.csv. */
#define LOAD_CELL_FIGURES(F, X, T)                                                                 \
    F(X, T, offered_per_s, "1/s", 2)                                                               \
    F(X, T, achieved_per_s, "1/s", 2)                                                              \
    F(X, T, response_p50_us, "us", 1)                                                              \
    F(X, T, response_p99_us, "us", 1)                                                              \
    F(X, T, service_p50_us, "us", 1)                                                               \
    F(X, T, service_p99_us, "us", 1)                                                               \
    F(X, T, fan_out_mean, "", 3)                                                                   \
    F(X, T, first_notification_p50_us, "us", 1)                                                    \
    F(X, T, notification_p50_us, "us", 1)                                                          \
    F(X, T, last_notification_p50_us, "us", 1)                                                     \
    F(X, T, last_notification_p99_us, "us", 1)                                                     \
    F(X, T, set_service_p50_us, "us", 1)                                                           \
    F(X, T, client_cores, "cores", 3)                                                              \
    F(X, T, server_cores, "cores", 3)
#define LOAD_CELL_FIGURE(X, T, name, unit, decimals)                                               \
    X(T, name, REAL, unit, decimals, NONE, "as in `load.csv`")                                     \
    X(T, name##_low, REAL, unit, decimals, NONE, "lower end of the interval")                      \
    X(T, name##_high, REAL, unit, decimals, NONE, "upper end of the interval")

#define LOAD_CELL_COLUMNS(X, T)                                                                    \
    X(T, run, TEXT, "", 0, NONE, "as in `load.csv`")                                               \
    X(T, target, TEXT, "", 0, KEY, "as in `load.csv`")                                             \
    X(T, servers, COUNT, "", 0, KEY, "as in `load.csv`")                                           \
    X(T, mix, TEXT, "", 0, KEY, "as in `load.csv`")                                                \
    X(T, reads_percent, COUNT, "%", 0, KEY, "as in `load.csv`")                                    \
    X(T, sessions, COUNT, "", 0, KEY, "as in `load.csv`")                                          \
    X(T, rate_per_s, COUNT, "1/s", 0, KEY, "as in `load.csv`")                                     \
    X(T, trials, COUNT, "", 0, NONE, "trials that reached their end")                              \
    X(T, valid, COUNT, "", 0, NONE, "of these, those that are valid")                              \
    X(T, driver_bound, COUNT, "", 0, NONE, "of these, those of which the driver was the limit")    \
    X(T, errors, COUNT, "", 0, NONE, "of all these trials together")                               \
    X(T, unsent, COUNT, "", 0, NONE, "of all these trials together")                               \
    LOAD_CELL_FIGURES(LOAD_CELL_FIGURE, X, T)                                                      \
    X(T, miscounted, COUNT, "", 0, PRIVATE,                                                        \
      "trials whose operations the servers counted otherwise")                                     \
    X(T, disturbed, FLAG, "", 0, PRIVATE, "whether no trial is valid")                             \
    X(T, verdict, TEXT, "", 0, PRIVATE, "valid, FAILS, driver or not valid")                       \
    X(T, between, TEXT, "", 0, PRIVATE, "the interval of the rate, in words")                      \
    X(T, unsent_percent, REAL, "%", 1, PRIVATE, "of what was due; unknown if all was sent")
TABLE_DECLARE(load_cells, LOAD_CELL_COLUMNS);

/* Appends the cells of rows of load.csv in the order of the plan: by reads, rate and sessions. */
void load_cells_add(const struct table *rows, struct table *cells);

/* The exit status of a cell: 0 if it has a complete trial, and all of these are valid. */
int load_cells_status(const struct table_value *cell);

/* Adds what trials and their cells come to; the rest as in trial_findings_add_noise. */
void load_findings_add(const struct table *rows, const struct table *cells,
                       const struct noise_watch *watch, size_t made_again, struct table *findings);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of bench/run share: cells are planned (cells), each trial gives a row
 * (trial_rows), rows give the cells of the results and the growth of each recipe (outcome, growth),
 * and these the findings. Layer: bench/run.
 */
#ifndef BENCH_RUN_INTERNAL_H
#define BENCH_RUN_INTERNAL_H

#include "bench/background/background.h"
#include "bench/output/series.h"
#include "bench/run/outcome.h"

/* Returns ARGUMENTS_GO, with options that can be run and are the caller's to options_deinit, or the
 * exit status: the help is printed, or the mistake has been complained about. */
int command_line_parse(int argc, char **argv, struct options *options);

/* ------------------------------------------------------------------ cells */

/* A recipe at a number of clients on a topology of servers. */
struct cell {
    const struct recipe *recipe;
    uint32_t clients;
    uint32_t trial; /* from 1 */
    /* cost: its requests by the law, exact under lockstep, an estimate otherwise; alike: the index
     * of the recipe among those of all targets. */
    struct rounds_cell place;
};

/* The cells of a run, each once, for the caller to free; their trials, whose time is that of the
 * options with --duration, else follows from their requests, are laid out in the rounds. */
struct cell *cells_new(const struct options *options, struct rounds *rounds);

/* The plan of a trial, without root, servers and seed. */
struct trial_plan cell_plan(const struct options *options, const struct recipe *recipe,
                            uint64_t clients);

/* The discarded trial of recipe `recipe`: a drain of few clients on one lock. */
struct cell cells_warm_up(const struct options *options, size_t recipe, size_t topology,
                          struct trial_plan *plan);

/* What a run demands of the servers of --connect: its trials, and the requests in all, with those
 * of the discarded trials and without zkherd's own session; the load of --background. The caller's
 * to free. */
char *cells_describe_demand(const struct options *options, const struct rounds *rounds);

/* ------------------------------------------------------------------ trial_rows
 *
 * A trial whose times are not those of the servers alone is not valid, and says why; its counts can
 * be used if it is complete. */

/* The row of a finished trial and of its background load, without beta. cores_allowed: the cores
 * that the trial's processes could use (cores.h). */
void trial_row_fill(const struct cell *cell, const struct trial_result *result,
                    const struct background_figures *background, const struct options *options,
                    const struct series_record *record, double cores_allowed,
                    struct table_value *row);

/* Sets the flags of a row that has its violations: complete, valid, and what follows from them. */
void trial_row_judge(struct table_value *row, bool complete, bool valid);

/* Among values above the histogram's range the largest of them, exactly; NaN of too few values
 * (histogram_has_percentile). */
double trial_row_percentile_us(const struct histogram *histogram, double percent);

/* ------------------------------------------------------------------ record */

/* The number of rows that handoffs.csv has at most, about: each trial has an equal share, and a
 * trial with more handoffs is thinned evenly. */
#define RECORD_HANDOFFS_MAX UINT64_C(1000000)

/* The files of a run on one target, beyond those of its series_record (bench/output/series.h). */
struct record {
    const struct options *options;
    struct series_record *base;
    uint64_t rows_per_trial; /* of handoffs.csv, at most */
    uint64_t thinning;       /* handoffs per row, in the trial that is thinned most */
    struct csv handoffs, sessions, latency, trace;
    FILE *hlog;
    struct waiters *waiters[OPTIONS_RECIPES_MAX]; /* of each recipe */
    struct outcome *outcome;                      /* once it is finished */
};

/* Adds the files to a record whose folder is open, trace.csv only with --trace. record_deinit must
 * be called also after an error. options and base must outlive the record. */
MUST_CHECK enum error_kind record_open(struct record *record, const struct options *options,
                                       struct series_record *base, struct error *error);
void record_deinit(struct record *record);

/* Adds a finished trial, with the figures of its background load; of one that is to be made again,
 * the row alone. */
MUST_CHECK enum error_kind record_add(struct record *record, struct series *series,
                                      const struct cell *cell, const struct trial_result *result,
                                      const struct background_figures *background,
                                      struct error *error);

/* Writes a trial into the files. On an error they keep the trials before it. */
MUST_CHECK enum error_kind record_write(struct record *record, const struct table_value *row,
                                        const struct trial_result *result, struct error *error);

/* Finds the outcome of all trials, and adds its findings; whole: writes their files, too. */
MUST_CHECK enum error_kind record_finish(struct record *record, bool whole, struct error *error);

#endif

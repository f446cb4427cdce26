// SPDX-License-Identifier: Apache-2.0
/*
 * outcome: what the trials of a run on one topology come to: the handoffs by their waiters, the
 * cells of the results, the growth of each recipe; and their files, findings and table. Layer:
 * bench/run.
 */
#ifndef BENCH_RUN_OUTCOME_H
#define BENCH_RUN_OUTCOME_H

#include "base/error.h"
#include "base/text.h"
#include "bench/cli/options.h"
#include "bench/output/trial_columns.h"
#include "bench/output/trial_findings.h"
#include "measure/fit.h"
#include "measure/histogram.h"
#include "measure/statistics.h"
#include "measure/table.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A count with separators, until the end of the block. */
#define RUN_COUNT(count) text_format_count((count), (char[32]){0}, 32)

/* ------------------------------------------------------------------ waiters
 *
 * Handoffs by the number W of their waiters, over all trials of a recipe. Counts are kept for each
 * W, latencies for each octave of W (1, 2-3, 4-7, …). Arrivals (handoff 0) and releases without a
 * waiter are no handoffs. */

#define WAITERS_OCTAVES 20

/* Sums over handoffs with one number of waiters, or several: handoffs, their waiters and counts;
 * the handoffs for which the law predicts the two counts behind them; those of trials whose times
 * are valid, and their waiters. timed_us: how long these took. */
enum waiters_sum {
    WAITERS_HANDOFFS,
    WAITERS_WAITING,
    WAITERS_CREATES,
    WAITERS_NOTIFICATIONS,
    WAITERS_RPCS,
    WAITERS_LAWFUL,
    WAITERS_LAW_CREATES,
    WAITERS_LAW_NOTIFICATIONS,
    WAITERS_TIMED,
    WAITERS_TIMED_WAITING,
    WAITERS_SUMS
};
struct waiters_level {
    uint64_t of[WAITERS_SUMS];
    double timed_us;
};

struct waiters_octave {
    struct histogram latency;
    double *medians_us; /* one of each trial, because its handoffs are correlated */
    size_t median_count;
};

struct waiters {
    const struct recipe *recipe;
    struct waiters_octave octaves[WAITERS_OCTAVES];
    size_t level_count;
    struct waiters_level levels[]; /* by W; index 0 is not used */
};

struct waiters *waiters_new(const struct recipe *recipe, uint64_t most_waiters);
void waiters_free(struct waiters *waiters);

/* The times of a trial: the median of each octave, 0 of one without handoffs, and beta, the cost of
 * one more waiter in bare handoffs: that of the line handoff = (1 + beta·W) / gamma through the
 * medians; NaN with fewer than two. */
struct waiters_trial {
    double medians_us[WAITERS_OCTAVES];
    double beta;
};
MUST_CHECK enum error_kind waiters_measure(const struct waiters *waiters,
                                           const struct trial_result *result,
                                           struct waiters_trial *trial, struct error *error);

/* Adds the handoffs of a trial, with their times unless `timed` is NULL. */
void waiters_add(struct waiters *waiters, const struct trial_result *result,
                 const struct waiters_trial *timed);

struct waiters_level waiters_octave_sum(const struct waiters *waiters, size_t octave);

/* The mean of a sum over a number of handoffs, WAITERS_HANDOFFS or WAITERS_TIMED; NaN of none. */
double waiters_mean(const struct waiters_level *level, enum waiters_sum sum,
                    enum waiters_sum handoffs);

/* ------------------------------------------------------------------ cells */

#define RUN_CELL_COLUMNS(X, T)                                                                     \
    X(T, run, TEXT, "", 0, NONE, "as in `trials.csv`")                                             \
    X(T, recipe, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, clients, COUNT, "", 0, KEY, "as in `trials.csv`")                                         \
    X(T, trials, COUNT, "", 0, NONE, "trials of the cell")                                         \
    X(T, trials_complete, COUNT, "", 0, NONE, "led to their end: their counts can be used")        \
    X(T, trials_valid, COUNT, "", 0, NONE, "of these, those whose times can be used")              \
    X(T, disturbed, FLAG, "", 0, NONE,                                                             \
      "whether the times are of complete trials that are not valid, because none is valid")        \
    X(T, verdict, TEXT, "", 0, NONE,                                                               \
      "`holds`, `fails`, or `not valid` if a trial is not, but for noise with `--noise report`")   \
    X(T, has_law, FLAG, "", 0, NONE, "whether the counts were compared with a law")                \
    X(T, rpcs, COUNT, "", 0, NONE,                                                                 \
      "counts: medians over the complete trials, rounded; without one, over all")                  \
    X(T, creates, COUNT, "", 0, NONE, "CREATEs: median, as of `rpcs`")                             \
    X(T, notifications, COUNT, "", 0, NONE, "median, as of `rpcs`")                                \
    X(T, bytes, COUNT, "bytes", 0, NONE, "sent and received: median, as of `rpcs`")                \
    X(T, rpcs_per_handoff, REAL, "", 3, NONE,                                                      \
      "requests by grants, over the complete trials whose verdict holds")                          \
    X(T, drain_s, REAL, "s", 6, NONE,                                                              \
      "times: medians over the valid trials; without one, over the complete ones")                 \
    X(T, handoff_p50_us, REAL, "us", 1, NONE, "median of the trials' medians, as of `drain_s`")    \
    X(T, handoff_p99_us, REAL, "us", 1, NONE,                                                      \
      "the same of their p99; empty with fewer than 100 handoffs")                                 \
    X(T, handoff_max_us, REAL, "us", 1, NONE, "the same of the longest of each trial")             \
    X(T, drain_s_low, REAL, "s", 6, NONE,                                                          \
      "lower end of its 95 % interval, over the valid trials: t interval on logarithms, from "     \
      "five on")                                                                                   \
    X(T, drain_s_high, REAL, "s", 6, NONE, "upper end")                                            \
    X(T, handoff_p50_us_low, REAL, "us", 1, NONE,                                                  \
      "lower end of its interval, as of `drain_s_low`")                                            \
    X(T, handoff_p50_us_high, REAL, "us", 1, NONE, "upper end")
TABLE_DECLARE(run_cell, RUN_CELL_COLUMNS);

/* ------------------------------------------------------------------ growth */

/* The fitted figures, in the order of fits.csv. Totals by the clients, X(name, column, flag, law,
 * kind): a column of trials.csv, the flag of the trials that have it, the column of its law (0: it
 * has none), and the kind of request that the law counts, 0 of RPCs. Figures of a handoff by its
 * waiters, X(name, metric, sum): the sum of which it is the mean; WAITERS_HANDOFFS: its time. */
#define FIGURES_OF_CLIENTS(X)                                                                      \
    X(RPCS, rpcs, counted, trial_row_law_rpcs, 0)                                                  \
    X(NOTIFICATIONS, notifications, counted, trial_row_law_notifications, TALLY_NOTIFICATION)      \
    X(CREATES, creates, counted, trial_row_law_creates, TALLY_CREATE)                              \
    X(NAMES_LISTED, names_listed, counted, trial_row_law_names_listed, TALLY_NAMES_LISTED)         \
    X(BYTES, bytes, counted, 0, 0)                                                                 \
    X(ELAPSED, elapsed_s, timed, 0, 0)                                                             \
    X(DRAIN, drain_s, timed, 0, 0)
#define FIGURES_OF_WAITERS(X)                                                                      \
    X(HANDOFF_RPCS, handoff_rpcs, WAITERS_RPCS)                                                    \
    X(HANDOFF_NOTIFICATIONS, handoff_notifications, WAITERS_NOTIFICATIONS)                         \
    X(HANDOFF_CREATES, handoff_creates, WAITERS_CREATES)                                           \
    X(HANDOFF_US, handoff_us, WAITERS_HANDOFFS)

/* The last, the requests of a handoff by the clients, is in no file. */
enum figure {
#define X(name, ...) FIGURE_##name,
    FIGURES_OF_CLIENTS(X) FIGURES_OF_WAITERS(X)
#undef X
        FIGURES_WRITTEN,
    FIGURE_RPCS_PER_HANDOFF = FIGURES_WRITTEN,
    FIGURES
};

/* How a figure grows: a line of fits.csv. */
struct growth {
    bool known; /* some trial has the figure; else nothing is fitted */
    struct fit_exponent exponent;
    struct fit_polynomial polynomial;
    enum fit_verdict verdict; /* that of the law where it is obeyed and a polynomial */
    bool obeyed; /* lockstep: no trial fails, and each count is that of the recipe's law */
    struct fit_polynomial law; /* if obeyed; exact: the law is this polynomial of the clients, … */
    bool described;            /* … at every level of the run */
};

/* ------------------------------------------------------------------ the outcome */

struct outcome_recipe {
    const struct recipe *recipe;
    const struct table_cell *trials; /* all of the recipe */
    const struct waiters *waiters;
    size_t first, count; /* its rows in `cells`, in the order of their clients */
    struct growth growth[FIGURES];
    struct interval beta; /* the herd coefficient (docs/method.md) at the most clients */
};

struct outcome {
    const struct options *options;
    const struct table *rows;
    const char *run; /* the id of the results */
    struct table_cells by_recipe, by_cell;
    struct table cells;               /* a row each, those of a recipe together, as planned */
    const struct table_cell **trials; /* of each row of `cells` */
    struct outcome_recipe recipes[OPTIONS_RECIPES_MAX];
};

/* rows: the trials; waiters: of each recipe. All of these must outlive the outcome. */
struct outcome *outcome_new(const struct table *rows, struct waiters *const *waiters,
                            const struct options *options, const char *run);
void outcome_free(struct outcome *outcome);

/* Fills the growth and beta of a recipe that has its cells. */
void growth_find(const struct outcome *outcome, struct outcome_recipe *recipe);

/* ------------------------------------------------------------------ files, findings, the screen */

/* Write waiters.csv, fits.csv and background.csv; context: the outcome. */
void waiters_write(FILE *stream, const void *context);
void fits_write(FILE *stream, const void *context);
void background_price_write(FILE *stream, const void *context);

extern const struct trial_kind run_trials;

/* Adds what the trials come to, but for the noise. */
void run_findings_add(const struct outcome *outcome, struct table *findings);

/* Adds how long a drain of each recipe takes beside the first topology of the same run. */
void run_findings_add_topology(const struct outcome *first, const struct outcome *outcome,
                               struct table *findings);

/* Adds, for each recipe and percentile at the most clients, the price of contention for the load of
 * --background; nothing without one. */
void background_price_add(const struct outcome *outcome, struct table *findings);

/* Prints the table of the cells, and the requests of a handoff as bars if both fit into `lines`;
 * brief: only as many cells as fit. */
void screen_print(const struct outcome *outcome, size_t lines, bool brief, FILE *stream);

#endif

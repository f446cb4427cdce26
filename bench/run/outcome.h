// SPDX-License-Identifier: Apache-2.0
/*
 * outcome: what the trials of a run on one target come to: the cells, and how the costs of each
 * recipe grow. Layer: bench/run.
 *
 * Invariant: figures that have no trial to stand on are not known. The growth is that of means over
 * trials; it leaves out each trial with a failed verdict, and of times each that is not valid.
 */
#ifndef BENCH_RUN_OUTCOME_H
#define BENCH_RUN_OUTCOME_H

#include "bench/cli/options.h"
#include "measure/fit.h"
#include "measure/statistics.h"
#include "measure/table.h"

#include <stdbool.h>
#include <stddef.h>

#define RUN_CELL_COLUMNS(X, T)                                                                     \
    X(T, run, TEXT, "", 0, NONE, "as in `trials.csv`")                                             \
    X(T, recipe, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, clients, COUNT, "", 0, KEY, "as in `trials.csv`")                                         \
    X(T, trials, COUNT, "", 0, NONE, "trials of the cell")                                         \
    X(T, trials_complete, COUNT, "", 0, NONE, "led to their end: their counts can be used")        \
    X(T, trials_valid, COUNT, "", 0, NONE, "of these, those whose times can be used")              \
    X(T, disturbed, FLAG, "", 0, NONE,                                                             \
      "whether the times are of complete trials that are not valid, because none is valid")        \
    X(T, verdict, TEXT, "", 0, NONE, "`holds`, `fails`, or `not valid` if a trial is not")         \
    X(T, has_law, FLAG, "", 0, NONE, "whether the counts were compared with a law")                \
    X(T, rpcs, COUNT, "", 0, NONE,                                                                 \
      "counts: medians over the complete trials, rounded; without one, over all")                  \
    X(T, creates, COUNT, "", 0, NONE, "likewise")                                                  \
    X(T, notifications, COUNT, "", 0, NONE, "likewise")                                            \
    X(T, bytes, COUNT, "bytes", 0, NONE, "likewise, sent and received")                            \
    X(T, rpcs_per_handoff, REAL, "", 3, NONE,                                                      \
      "requests by grants, over the complete trials whose verdict holds")                          \
    X(T, drain_s, REAL, "s", 6, NONE,                                                              \
      "times: medians over the valid trials; without one, over the complete ones")                 \
    X(T, handoff_p50_us, REAL, "us", 1, NONE, "likewise")                                          \
    X(T, handoff_p99_us, REAL, "us", 1, NONE, "likewise; empty with fewer than 100 handoffs")      \
    X(T, handoff_max_us, REAL, "us", 1, NONE, "likewise, the longest of a trial")
TABLE_DECLARE(run_cell, RUN_CELL_COLUMNS);

/* The totals whose growth with the clients is fitted, in the order of fits.csv. */
enum figure {
    FIGURE_RPCS,
    FIGURE_NOTIFICATIONS,
    FIGURE_CREATES,
    FIGURE_NAMES_LISTED,
    FIGURE_BYTES,
    FIGURE_ELAPSED,
    FIGURE_DRAIN,
    FIGURES
};

struct fitted {
    struct fit_exponent exponent;
    struct fit_polynomial polynomial;
    enum fit_verdict verdict;
};

/* How a figure grows with the clients. */
struct growth {
    bool known; /* some trial has it; else the fit is not there */
    struct fitted fitted;
    /* Under lockstep, where no trial fails and each count is that of the law: */
    bool obeyed;
    struct fit_polynomial law;
    enum fit_verdict law_verdict; /* FIT_UNDETERMINED: not obeyed, or no polynomial */
    bool described;               /* `law` is the law at every level of the run */
};

struct outcome_recipe {
    const struct recipe *recipe;
    size_t first, count; /* its rows in `cells`, in the order of their clients */
    struct growth growth[FIGURES];
    struct growth per_handoff; /* of its requests */
    struct interval beta;      /* the herd coefficient (docs/counting.md) at the most clients */
};

/* What the trials of a run on one target come to. */
struct outcome {
    const struct options *options;
    const struct table *rows;
    struct table_cells groups;
    struct table cells;        /* a row each, those of a recipe together, as planned */
    struct table_cell *trials; /* of each row of `cells` */
    struct outcome_recipe recipes[OPTIONS_RECIPES_MAX];
};

/* Options and rows must outlive it. run: the results' id. */
struct outcome *outcome_new(const struct table *rows, const struct options *options,
                            const char *run);
void outcome_free(struct outcome *outcome);

/* Fills the growth and beta of a recipe that has its cells. */
void growth_find(const struct outcome *outcome, struct outcome_recipe *recipe);

#endif

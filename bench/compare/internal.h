// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd compare` share. Layer: bench/compare.
 *
 * A run is a side of the comparison. Side A is the first; every other side is compared with its
 * base: side A, or, if both releases of ZooKeeper and numbers of servers differ, the first side
 * with as many servers.
 *
 * Times are compared by the ratio of their geometric means over trials, with its interval. Counts
 * are compared for equality where the plan determines them: under lockstep, without --duration.
 * Elsewhere counts are compared like times. The table, the sentences, the JSON and compare.csv are
 * written from one list of compared cells.
 *
 * Invariants: every run has trials; no two labels are equal; nothing is marked without an interval
 * that excludes 1, or an exact count that differs.
 */
#ifndef BENCH_COMPARE_INTERNAL_H
#define BENCH_COMPARE_INTERNAL_H

#include "bench/output/past_run.h"
#include "bench/output/plots.h"
#include "measure/statistics.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIDE_LABEL_SIZE (PATH_MAX + 128)

struct side {
    struct past_run run;
    char letter[2];      /* "A", "B", … */
    const char *target;  /* points into the run, as the next two do */
    const char *version; /* of ZooKeeper, as the servers answered; NULL: not known, or not one */
    const char *home;    /* of private servers' release; NULL: not known */
    uint64_t servers;
    const struct side *base;  /* with which this one is compared; of side A itself */
    struct table_cells cells; /* its trials, by recipe and number of clients */
    size_t timed;             /* trials whose times can be used */
    size_t failed;            /* trials with a violation */
    char label[SIDE_LABEL_SIZE];
};

enum metric {
    METRIC_RPCS,
    METRIC_NOTIFICATIONS,
    METRIC_CREATES,
    METRIC_NAMES_LISTED,
    METRIC_HANDOFF_P50,
    METRIC_HANDOFF_P99,
    METRIC_DRAIN,
    METRIC_HANDOFFS_PER_S,
    METRIC_SERVER_CPU,
    METRICS
};

#define METRIC_COUNTS METRIC_HANDOFF_P50 /* the metrics before it are counts */

enum ratio_mark { RATIO_UNKNOWN, RATIO_PLAIN, RATIO_MARKED };

struct ratio {
    struct interval a, b;  /* geometric means; exact counts: the least, with lowest and highest */
    struct interval ratio; /* of b to a; the interval is NaN with too few trials */
    size_t trials_a, trials_b;
    bool is_compared; /* there are trials on both sides */
    enum ratio_mark mark;
};

/* One cell: a recipe at a number of clients, of a side against its base. */
struct ratio_cell {
    const char *recipe;
    uint64_t clients;
    const struct side *side;
    struct ratio of[METRICS];
    bool counts_differ; /* an exact count does */
};

/* All zero bytes: without a side. Must not be moved once it has cells. */
struct comparison {
    struct side sides[COMPARED_RUNS_MAX];
    size_t side_count;
    bool releases_vary, servers_vary; /* the sides are not all of one */
    struct ratio_cell *cells;         /* recipe by recipe, clients ascending, side by side */
    size_t cell_count;
    bool exact;       /* counts have to be equal */
    bool per_handoff; /* counts are those of a handoff: the plan has a duration */
};

/* ------------------------------------------------------------------ the sides */

/* Adds the run of a folder. Of its rows sets `complete`, where the counts of a trial can be used:
 * it is complete and has no violation; and `drained`, where the times can be used as well.
 * ERROR_USAGE: there are too many, or it is there already, by whatever name. ERROR_MALFORMED, also
 * if the trials of the run are not all of one target; errors of past_run. */
MUST_CHECK enum error_kind comparison_add(struct comparison *comparison, const char *folder,
                                          struct error *error);

/* Sorts the sides from `first` on by their number of servers, the smallest first, then by their
 * version, the oldest first. */
void comparison_sort(struct comparison *comparison, size_t first);

/* After the last was added: their letters, bases, cells, and labels. A label is the first of these
 * that differs between all sides: the target; the target and its servers; the name of the folder;
 * the folder as it was named. */
void comparison_settle(struct comparison *comparison);

void comparison_deinit(struct comparison *comparison);

/* Whether two sides ran different releases of ZooKeeper; false if that is not known. */
bool sides_differ_in_release(const struct side *one, const struct side *other);

/* ------------------------------------------------------------------ the cells */

/* Compares two or more sides. */
void comparison_find(struct comparison *comparison);

/* The metric's name in compare.csv. */
const char *metric_name(const struct comparison *comparison, enum metric metric);

/* The whole of compare.csv, of a struct comparison. */
void comparison_write_csv(FILE *stream, const void *comparison);

/* The keys "runs" and "cells" of docs/schema/compare.schema.json. */
json_t *comparison_describe_sides(const struct comparison *comparison);
json_t *comparison_describe_cells(const struct comparison *comparison);

/* ------------------------------------------------------------------ what is told */

/* To stdout: a line for each side; a row for each cell, without the least important columns where
 * it would be too wide, and what all cells have in common; a sentence for each recipe and side, at
 * the largest number of clients that can be compared. A difference is stated only where the
 * interval of its ratio excludes 1. */
void comparison_tell(const struct comparison *comparison);

/* To stderr, a line for each side with trials whose verdict failed, and for each exact count that
 * differs. */
void comparison_complain(const struct comparison *comparison);

#endif

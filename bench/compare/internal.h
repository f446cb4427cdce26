// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd compare` share. Layer: bench/compare.
 *
 * A run is a side of the comparison. Side 0 is A; every other side is compared with its base: side
 * A, or, if both releases of ZooKeeper and numbers of servers differ, the first side with as many
 * servers.
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
#include "measure/csv.h"
#include "measure/statistics.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ the sides */

#define COMPARED_RUNS_LABEL_SIZE (PATH_MAX + 128)

struct compared_run {
    struct past_run *run;
    const char *target; /* points into the run */
    uint64_t servers;
    const char *version; /* of ZooKeeper, as the servers answered; points into the run; NULL: not
                            known, or not one */
    const char *home;    /* of private servers' release; points into the run; NULL: not known */
    size_t base;         /* the side with which this one is compared; of side 0 itself */
    struct table_cells cells; /* its trials, by recipe and number of clients */
    size_t timed;             /* trials whose times can be used */
    size_t failed;            /* trials with a violation */
    char label[COMPARED_RUNS_LABEL_SIZE];
};

struct compared_runs {
    struct compared_run list[COMPARED_RUNS_MAX];
    size_t count;
};

/*
 * Adds a run, which must outlive *compared; the list has room. All zero bytes are an empty list. Of
 * the run's rows sets `complete`, where the counts of a trial can be used: it is complete and has
 * no violation; and `drained`, where the times can be used as well. ERROR_MALFORMED, also if the
 * trials of the run are not all of one target.
 */
MUST_CHECK enum error_kind compared_runs_add(struct compared_runs *compared, struct past_run *run,
                                             struct error *error);
void compared_runs_deinit(struct compared_runs *compared);

/* Sorts the runs from side `first` on by their number of servers, the smallest first, then by their
 * version, the oldest first. */
void compared_runs_sort(struct compared_runs *compared, size_t first);

/* Labels the runs, which are in different folders, after the last was added. The label is the first
 * of these that differs between all runs: the target; the target and its servers; the name of the
 * folder; the folder as it was named. */
void compared_runs_label(struct compared_runs *compared);

/* Chooses the base of each side, after the last was added. */
void compared_runs_pair(struct compared_runs *compared);

/* Whether two sides ran different releases of ZooKeeper; false if that is not known. */
bool compared_runs_differ_in_release(const struct compared_run *one,
                                     const struct compared_run *other);

/* Whether all sides do not run one release, or not one number of servers. */
bool compared_runs_vary_in_release(const struct compared_runs *compared);
bool compared_runs_vary_in_servers(const struct compared_runs *compared);

/* 'A', 'B', … */
char compared_runs_letter(size_t side);

/* ------------------------------------------------------------------ the cells */

enum ratio_metric {
    RATIO_RPCS,
    RATIO_NOTIFICATIONS,
    RATIO_CREATES,
    RATIO_NAMES_LISTED,
    RATIO_HANDOFF_P50,
    RATIO_HANDOFF_P99,
    RATIO_DRAIN,
    RATIO_HANDOFFS_PER_S,
    RATIO_SERVER_CPU,
    RATIO_METRICS
};

#define RATIO_COUNTS RATIO_HANDOFF_P50 /* the metrics before it are counts */

enum ratio_mark { RATIO_UNKNOWN, RATIO_PLAIN, RATIO_MARKED };

struct ratio {
    struct interval a, b;  /* geometric means; exact counts: the least, with lowest and highest */
    struct interval ratio; /* of b to a; the interval is NaN with too few trials */
    size_t trials_a, trials_b;
    enum ratio_mark mark;
};

/* One cell: a recipe at a number of clients, and a side against its base. */
struct ratio_cell {
    const char *recipe;
    uint64_t clients;
    size_t side; /* from 1 */
    size_t base; /* of the side (bench/output/compared_runs.h) */
    struct ratio of[RATIO_METRICS];
};

struct ratios {
    struct ratio_cell *list; /* recipe by recipe, clients ascending, side by side */
    size_t count;
    bool exact;       /* counts have to be equal */
    bool per_handoff; /* counts are those of a handoff: the plan has a duration */
    bool drain;       /* the plan's workload */
};

/* Compares two or more runs. On success *ratios is the caller's, to ratios_deinit before *compared
 * is released. */
void ratios_init(const struct compared_runs *compared, struct ratios *ratios);
void ratios_deinit(struct ratios *ratios);

/* The metric's name in compare.csv. */
const char *ratios_name(const struct ratios *ratios, enum ratio_metric metric);

/* The whole of compare.csv. */
void ratios_write(const struct ratios *ratios, const struct compared_runs *compared,
                  struct csv *csv);

/* Whether an exact count of the cell differs. */
bool ratios_counts_differ(const struct ratios *ratios, const struct ratio_cell *cell);

/* Whether there are trials on both sides for this metric. */
bool ratios_is_compared(const struct ratio *ratio);

/* ------------------------------------------------------------------ what is told */

/* A line for each run: its letter and its description. */
void compare_table_write_sides(const struct compared_runs *compared, FILE *stream);

/* A row for each cell and run, and below the rows what all cells have in common. Where a row would
 * be wider than `width`, the least important columns are left out. */
void compare_table_write(const struct ratios *ratios, size_t width, FILE *stream);

/* To stderr, a line for each run with trials whose verdict failed, and for each exact count that
 * differs. */
void compare_table_complain(const struct ratios *ratios, const struct compared_runs *compared);

/* Writes a ratio to text, in four columns at most; "-": it is not known. */
const char *compare_table_ratio(double ratio, char *text, size_t size);

/* A sentence for each recipe and run, at the largest number of clients that can be compared.
 * A difference is stated only where the interval of its ratio excludes 1. */
void compare_sentences_write(const struct ratios *ratios, const struct compared_runs *compared,
                             FILE *stream);

/* Writes one object, with the keys of docs/schema/compare.schema.json. folder: that of compare.csv.
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind compare_json_write(const struct ratios *ratios,
                                              const struct compared_runs *compared,
                                              const char *verdict, const char *folder, FILE *stream,
                                              struct error *error);

#endif

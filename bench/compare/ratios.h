// SPDX-License-Identifier: Apache-2.0
/*
 * ratios: every run of a comparison against its base, cell by cell. Layer: bench/compare.
 *
 * Times are compared by the ratio of their geometric means over trials, with its interval. Counts
 * are compared for equality where the plan determines them: under lockstep, without --duration.
 * Elsewhere counts are compared like times.
 *
 * Invariant: nothing is marked without an interval that excludes 1, or an exact count that differs.
 */
#ifndef BENCH_COMPARE_RATIOS_H
#define BENCH_COMPARE_RATIOS_H

#include "base/error.h"
#include "bench/output/compared_runs.h"
#include "measure/csv.h"
#include "measure/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

extern const char ratios_columns[];

/* Compares two or more runs. On success *ratios is the caller's, to ratios_deinit before *compared
 * is released. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind ratios_init(const struct compared_runs *compared, struct ratios *ratios,
                                       struct error *error);
void ratios_deinit(struct ratios *ratios);

/* The metric's name in compare.csv. */
const char *ratios_name(const struct ratios *ratios, enum ratio_metric metric);

/* The rows of compare.csv. */
void ratios_write(const struct ratios *ratios, const struct compared_runs *compared,
                  struct csv *csv);

/* Whether an exact count of the cell differs. */
bool ratios_counts_differ(const struct ratios *ratios, const struct ratio_cell *cell);

/* Whether there are trials on both sides for this metric. */
bool ratios_is_compared(const struct ratio *ratio);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * sides: what is held against each other: the trials of each run. Layer: bench/output.
 *
 * Side 0 is A, with which the others are compared.
 *
 * Invariants: every side has trials; no two labels are alike.
 */
#ifndef BENCH_OUTPUT_SIDES_H
#define BENCH_OUTPUT_SIDES_H

#include "base/error.h"
#include "bench/output/past_run.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIDES_MAX       16
#define SIDE_LABEL_SIZE (PATH_MAX + 128)

/* X(name, column of trials.csv) */
#define SIDE_FIGURES(X)                                                                            \
    X(RPCS, "rpcs")                                                                                \
    X(NOTIFICATIONS, "notifications")                                                              \
    X(CREATES, "creates")                                                                          \
    X(NAMES_LISTED, "names_listed")                                                                \
    X(HANDOFF_P50_US, "handoff_p50_us")                                                            \
    X(HANDOFF_P99_US, "handoff_p99_us")                                                            \
    X(DRAIN_S, "drain_s")                                                                          \
    X(HANDOFFS_PER_S, "handoffs_per_s")                                                            \
    X(SERVER_CPU_S, "server_cpu_s")                                                                \
    X(HANDOFFS, "handoffs")                                                                        \
    X(CLIENTS, "clients")                                                                          \
    X(SERVERS, "servers")                                                                          \
    X(VIOLATIONS, "violations")                                                                    \
    X(LAW_RPCS, "law_rpcs")

enum side_figure {
#define X(name, column) SIDE_##name,
    SIDE_FIGURES(X)
#undef X
        SIDE_FIGURE_COUNT
};

struct side_trial {
    const char *recipe;                /* the run's */
    double figures[SIDE_FIGURE_COUNT]; /* NaN where trials.csv has nothing */
    bool failed;                       /* its verdict did: it stands for nothing */
    bool counts_stand;                 /* it was led to its end, without a violation */
    bool times_stand;                  /* and is valid */
};

struct side {
    const struct past_run *run;
    const char *target; /* the run's */
    uint64_t servers;
    struct side_trial *trials;
    size_t count;
    size_t failed; /* of them */
    char label[SIDE_LABEL_SIZE];
};

struct sides {
    struct side list[SIDES_MAX];
    size_t count;
};

/*
 * Adds the side of a run, which must outlive it. All zero bytes are no sides.
 * ERROR_MALFORMED, also if its trials are not all of one target; ERROR_NO_MEMORY; ERROR_USAGE if
 * there are more than SIDES_MAX. On an error what was added is still for sides_deinit.
 */
MUST_CHECK enum error_kind sides_add(struct sides *sides, const struct past_run *run,
                                     struct error *error);
void sides_deinit(struct sides *sides);

/* Puts those from side `first` on in order: those with few servers first. */
void sides_sort(struct sides *sides, size_t first);

/* Labels them after the last was added, which are of different folders, by the first of these that
 * tells all apart: the target; the target and its servers; the folder's name; the folder as it was
 * named. */
void sides_label(struct sides *sides);

/* 'A', 'B', … */
char sides_letter(size_t side);

#endif

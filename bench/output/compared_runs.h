// SPDX-License-Identifier: Apache-2.0
/*
 * compared_runs: the runs of a comparison, with their trials. Layer: bench/output.
 *
 * A run is a side of the comparison. Side 0 is A; every other side is compared with its base: side
 * A, or, if both releases of ZooKeeper and numbers of servers differ, the first side with as many
 * servers.
 *
 * Invariants: every run has trials; no two labels are equal.
 */
#ifndef BENCH_OUTPUT_COMPARED_RUNS_H
#define BENCH_OUTPUT_COMPARED_RUNS_H

#include "base/error.h"
#include "bench/output/past_run.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARED_RUNS_MAX        16
#define COMPARED_RUNS_LABEL_SIZE (PATH_MAX + 128)

/* X(name, column of trials.csv) */
#define COMPARED_FIGURES(X)                                                                        \
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

enum compared_figure {
#define X(name, column) COMPARED_##name,
    COMPARED_FIGURES(X)
#undef X
        COMPARED_FIGURE_COUNT
};

struct compared_trial {
    const char *recipe;                    /* points into the run */
    double figures[COMPARED_FIGURE_COUNT]; /* NaN where trials.csv has an empty field */
    bool failed;                           /* the trial has a violation */
    bool counts_stand;                     /* the trial is complete and has no violation */
    bool times_stand;                      /* counts_stand, and the trial is valid */
};

struct compared_run {
    const struct past_run *run;
    const char *target; /* points into the run */
    uint64_t servers;
    const char *version; /* of ZooKeeper, as the servers answered; points into the run; NULL: not
                            known, or not one */
    const char *home;    /* of private servers' release; points into the run; NULL: not known */
    size_t base;         /* the side with which this one is compared; of side 0 itself */
    struct compared_trial *trials;
    size_t count;
    size_t failed; /* trials with a violation */
    char label[COMPARED_RUNS_LABEL_SIZE];
};

struct compared_runs {
    struct compared_run list[COMPARED_RUNS_MAX];
    size_t count;
};

/*
 * Adds a run, which must outlive *compared. All zero bytes are an empty list.
 * ERROR_MALFORMED, also if the trials of the run are not all of one target; ERROR_NO_MEMORY;
 * ERROR_USAGE if there are more than COMPARED_RUNS_MAX runs. On an error the list may
 * have the run in part, and is still for compared_runs_deinit.
 */
MUST_CHECK enum error_kind compared_runs_add(struct compared_runs *compared,
                                             const struct past_run *run, struct error *error);
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

#endif

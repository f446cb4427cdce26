// SPDX-License-Identifier: Apache-2.0
/*
 * plan_demand: what a search would demand of the servers, for --dry-run: sessions at a time,
 * watches, trials, requests, bytes and time. Layer: bench/plan.
 *
 * The figures are of two kinds. *Expected* are those of the costliest search in which every trial
 * is decided by its size alone, with capacities all over the range. *At most* are those of the
 * whole budget of trials, all of them long and at the largest size: no search passes them. The
 * requests of a trial are those of its recipe's law (bench/target/traffic.h), which in free pace is
 * an estimate.
 *
 * Invariant: nothing is asked of any server, and the figures depend on what is given alone.
 */
#ifndef BENCH_PLAN_PLAN_DEMAND_H
#define BENCH_PLAN_PLAN_DEMAND_H

#include "base/error.h"
#include "bench/cli/arguments.h"
#include "capacity/search.h"
#include "trial/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROW_DRY_RUN(type, place)                                                                   \
    {                                                                                              \
        .name = "--dry-run", OPTION_FLAG(type, place),                                             \
        .help = "      --dry-run            print what the searches demand at most; run nothing\n" \
    }

/* A figure that nobody knows: the requests of a trial whose time decides. */
#define PLAN_DEMAND_UNKNOWN UINT64_MAX

/* The trial of a probe. */
struct plan_demand_trial {
    struct trial_plan plan;  /* recipe, workload, sessions, locks, handoffs */
    uint64_t longest_ns;     /* from the gate on; 0: not known */
    uint64_t load_sessions;  /* of a load beside it */
    uint64_t load_per_s;     /* its operations a second */
    uint64_t load_bytes;     /* of one of them with its reply */
    uint64_t load_before_ns; /* that it goes on before the gate */
};

struct plan_demand_given {
    const struct search_plan *search; /* of each recipe, but for its proposal */
    /* Where the search for this recipe begins, 0: at the least size; NULL: all at the plan's own
     * proposal. */
    uint64_t (*proposal)(void *context, const struct recipe *recipe);
    /* The trial of this recipe for this probe. */
    struct plan_demand_trial (*trial)(void *context, const struct recipe *recipe,
                                      const struct search_probe *probe);
    void *context;
    size_t chroot_length; /* of the servers' chroot, in bytes */
    uint64_t companions;  /* sessions beside every trial: the bystander's, the set-up session */
    uint64_t max_rate;    /* requests a second; 0: no limit */
    uint64_t max_time_ns; /* of all searches; 0: no limit */
    /* Trials that follow each search for a knee (plan_knee.h), of either kind: short ones of size
     * 1, and long ones of the largest size that it has tried. So many if all tell something, and at
     * most. */
    size_t knee_trials, knee_trials_most;
};

/* Sums over the trials; sessions and watches: at a time. */
struct plan_demand {
    uint64_t sessions;
    uint64_t watches;
    uint64_t trials;
    uint64_t rpcs;    /* or PLAN_DEMAND_UNKNOWN, and so on */
    uint64_t bytes;   /* sent and received */
    uint64_t time_ns; /* of the trials from their gates on: without the opening of sessions */
};

/* Computes the demand of the search for a recipe. False if there is no memory for it. */
bool plan_demand_expected(const struct plan_demand_given *given, const struct recipe *recipe,
                          struct plan_demand *demand);
struct plan_demand plan_demand_most(const struct plan_demand_given *given,
                                    const struct recipe *recipe);

/* A recipe's searches, or all of them one after the other. */
struct plan_demand_row {
    const struct recipe *recipe; /* NULL: all */
    struct plan_demand expected, most;
};

/* Fills a row for each of so many recipes, and one more for their sum if there are several: *rows
 * has room for it. Returns how many; 0: ERROR_NO_MEMORY, with *error filled in. */
size_t plan_demand_rows(const struct plan_demand_given *given, const struct recipe *const *recipes,
                        size_t count, struct plan_demand_row *rows, struct error *error);

/* Writes the table of so many rows, and what they are; 80 columns are enough. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_demand_write(const struct plan_demand_given *given,
                                             const struct plan_demand_row *rows, size_t count,
                                             size_t width, FILE *stream, struct error *error);

#endif

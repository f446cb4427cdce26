// SPDX-License-Identifier: Apache-2.0
/*
 * past_run: a run as it lies in its folder, read again: its plan and its trials. Layer:
 * bench/output.
 *
 * Invariant: a run that was opened has every key of the plan, and each trial of that plan exactly
 * once; fewer of them only if its manifest says that the run was cut short.
 */
#ifndef BENCH_OUTPUT_PAST_RUN_H
#define BENCH_OUTPUT_PAST_RUN_H

#include "base/error.h"
#include "measure/csv_reader.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct past_run {
    char folder[PATH_MAX]; /* as it was named, without slashes at the end */
    json_t *manifest;
    const json_t *plan; /* in the manifest */
    struct csv_reader trials;
};

/*
 * Reads manifest.json and trials.csv of a folder. On success *run is the caller's, to
 * past_run_deinit. ERROR_NOT_A_RUN: no such folder, one of the two is missing, or there is no
 * trial; ERROR_MALFORMED.
 */
MUST_CHECK enum error_kind past_run_open(const char *folder, struct past_run *run,
                                         struct error *error);
void past_run_deinit(struct past_run *run);

/*
 * ERROR_OTHER_PLAN, with what differs, unless the keys that decide what is measured have equal
 * values in both (bench/cli/option_table.h); the order of a list decides nothing.
 */
MUST_CHECK enum error_kind past_run_check_plan(const struct past_run *first,
                                               const struct past_run *other, struct error *error);

/* What the plan names: recipe i (NULL behind the last) and number of clients i (0 behind it). */
const char *past_run_recipe(const struct past_run *run, size_t index);
uint64_t past_run_clients(const struct past_run *run, size_t index);

/* How many trials of each cell the plan has, at least one. */
uint64_t past_run_trials(const struct past_run *run);

/* Whether a text may be the name of a recipe: letters, digits, and what joins them. */
bool past_run_is_name(const char *text);

/* Whether the plan has this recipe, one of its own, go through this number of clients, one of its
 * own too. */
bool past_run_plans(const struct past_run *run, const char *recipe, uint64_t clients);

bool past_run_is_lockstep(const struct past_run *run);
bool past_run_has_duration(const struct past_run *run);
bool past_run_is_drain(const struct past_run *run);

/* Whether it was made with --max-rate: its trials then have no times that span several steps. */
bool past_run_is_paced(const struct past_run *run);

#endif

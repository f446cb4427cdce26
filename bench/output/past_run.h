// SPDX-License-Identifier: Apache-2.0
/*
 * past_run: the plan and the trials of a run, or of another kind of results, read from its folder.
 * Layer: bench/output.
 *
 * Invariant: an open run has every key of the plan, but those that it may lack, and at least one
 * trial. Fewer trials than the plan has are those of a run that was cut short. Results of another
 * kind have a plan, whatever its keys, and at least one row.
 */
#ifndef BENCH_OUTPUT_PAST_RUN_H
#define BENCH_OUTPUT_PAST_RUN_H

#include "base/error.h"
#include "bench/output/trial_columns.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct past_run {
    char folder[PATH_MAX]; /* as the caller named it, without slashes at the end */
    json_t *manifest;
    json_t *plan; /* points into the manifest */
    bool lockstep, has_duration, drain;
    bool paced;          /* by --max-rate: trials have no times that span several steps */
    struct table trials; /* columns that the file lacks are unknown */
};

/*
 * Reads manifest.json and the file of trials, rows of this type, of a folder: that of a run is
 * trial_row_table. On success *run is the caller's, to past_run_deinit. ERROR_NOT_A_RUN: the folder
 * or one of the two files does not exist, or there is no trial; ERROR_MALFORMED.
 */
MUST_CHECK enum error_kind past_run_open(const char *folder, const struct table_type *type,
                                         struct past_run *run, struct error *error);
void past_run_deinit(struct past_run *run);

/*
 * ERROR_OTHER_PLAN, with what differs, unless the keys that decide what is measured have equal
 * values in both (bench/cli/options.h); the order of a list decides nothing.
 */
MUST_CHECK enum error_kind past_run_check_plan(const struct past_run *first,
                                               const struct past_run *other, struct error *error);

/* The same of a single key, which may be missing. */
MUST_CHECK enum error_kind past_run_check_value(const struct past_run *first,
                                                const struct past_run *other, const char *key,
                                                struct error *error);

/* Recipe `index` of the plan, NULL behind the last. */
const char *past_run_recipe(const struct past_run *run, size_t index);

/* Whether a text can be the name of a recipe: letters, digits, '-', '_', '.'. */
bool past_run_is_name(const char *text);

#endif

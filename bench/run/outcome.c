// SPDX-License-Identifier: Apache-2.0
#include "bench/run/outcome.h"

#include "base/memory.h"
#include "bench/output/trial_columns.h"
#include "bench/output/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(run_cell, "cells.csv", RUN_CELL_COLUMNS)

/* Where a cell's figure comes from: usable is the flag of the trials that have it. */
static const struct {
    size_t column, of, usable;
} counts[] = {{run_cell_rpcs, trial_row_rpcs, trial_row_complete},
              {run_cell_creates, trial_row_creates, trial_row_complete},
              {run_cell_notifications, trial_row_notifications, trial_row_complete},
              {run_cell_bytes, trial_row_bytes, trial_row_complete}},
  times[] = {{run_cell_drain_s, trial_row_drain_s, trial_row_drained},
             {run_cell_handoff_p50_us, trial_row_handoff_p50_us, trial_row_valid},
             {run_cell_handoff_p99_us, trial_row_handoff_p99_us, trial_row_valid},
             {run_cell_handoff_max_us, trial_row_handoff_max_us, trial_row_valid}};

static enum verdict verdict_of(const struct table_cell *trials, size_t valid)
{
    for (size_t i = 0; i < trials->count; i++) {
        if (table_row(trials->table, trials->rows[i])[trial_row_violations].count > 0)
            return VERDICT_FAILS;
    }
    return valid < trials->count ? VERDICT_NOT_VALID : VERDICT_HOLDS;
}

/* Whether each complete trial has a law, and there is one. */
static bool has_law(const struct table_cell *trials)
{
    size_t complete = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        complete += row[trial_row_complete].flag;
        if (row[trial_row_complete].flag && !row[trial_row_has_law].flag)
            return false;
    }
    return complete > 0;
}

static void fill_times(const struct table_cell *trials, size_t valid, struct table_value *row)
{
    bool disturbed = false;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        double time = table_cell_median(trials, times[i].of,
                                        valid > 0 ? times[i].usable : trial_row_complete);
        row[times[i].column] = table_real(time);
        disturbed = disturbed || (valid == 0 && isfinite(time));
    }
    row[run_cell_disturbed] = table_flag(disturbed);
}

static void fill(const struct table_cell *trials, const char *run, struct table_value *row)
{
    size_t complete = table_cell_flags(trials, trial_row_complete),
           valid = table_cell_flags(trials, trial_row_valid);
    row[run_cell_run] = table_text(run);
    row[run_cell_recipe] = table_text(table_cell_value(trials, trial_row_recipe)->text);
    row[run_cell_clients] = *table_cell_value(trials, trial_row_clients);
    row[run_cell_trials] = table_count(trials->count);
    row[run_cell_trials_complete] = table_count(complete);
    row[run_cell_trials_valid] = table_count(valid);
    row[run_cell_verdict] = table_text(verdict_word(verdict_of(trials, valid)));
    row[run_cell_has_law] = table_flag(has_law(trials));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        double count =
            table_cell_median(trials, counts[i].of, complete > 0 ? counts[i].usable : TABLE_ALL);
        row[counts[i].column] = table_count_if(isfinite(count), (uint64_t)llround(count));
    }
    row[run_cell_rpcs_per_handoff] =
        table_real(table_cell_sum(trials, trial_row_rpcs, trial_row_counted) /
                   table_cell_sum(trials, trial_row_handoffs, trial_row_counted));
    fill_times(trials, valid, row);
}

struct outcome *outcome_new(const struct table *rows, const struct options *options,
                            const char *run)
{
    static const size_t keys[] = {trial_row_recipe, trial_row_clients};
    struct outcome *outcome = memory_new(1, sizeof *outcome);
    *outcome = (struct outcome){.options = options,
                                .rows = rows,
                                .groups = table_group(rows, keys, 2),
                                .cells.type = &run_cell_table};
    outcome->trials = memory_new(outcome->groups.count + 1, sizeof *outcome->trials);
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        struct outcome_recipe *recipe = &outcome->recipes[r];
        recipe->recipe = options->plan.recipes[r];
        recipe->first = outcome->cells.rows;
        for (size_t i = 0; i < outcome->groups.count; i++) {
            const struct table_cell *trials = &outcome->groups.list[i];
            if (strcmp(table_cell_value(trials, trial_row_recipe)->text, recipe->recipe->name) != 0)
                continue;
            outcome->trials[outcome->cells.rows] = *trials;
            fill(trials, run, table_add(&outcome->cells));
            recipe->count++;
        }
        growth_find(outcome, recipe);
    }
    return outcome;
}

void outcome_free(struct outcome *outcome)
{
    if (outcome == NULL)
        return;
    free(outcome->trials);
    table_deinit(&outcome->cells);
    table_cells_deinit(&outcome->groups);
    free(outcome);
}

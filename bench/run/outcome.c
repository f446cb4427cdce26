// SPDX-License-Identifier: Apache-2.0
#include "bench/run/outcome.h"

#include "base/memory.h"
#include "bench/output/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(run_cell, "cells.csv", RUN_CELL_COLUMNS)

/* Where the figures of a cell come from; usable: the flag of the trials that have them; low: the
 * column of the lower end of the interval, before that of the upper; 0: it has none. */
static const struct {
    size_t column, of, usable, low;
} counts[] = {{run_cell_rpcs, trial_row_rpcs, trial_row_complete, 0},
              {run_cell_creates, trial_row_creates, trial_row_complete, 0},
              {run_cell_notifications, trial_row_notifications, trial_row_complete, 0},
              {run_cell_bytes, trial_row_bytes, trial_row_complete, 0}},
  times[] = {{run_cell_drain_s, trial_row_drain_s, trial_row_drained, run_cell_drain_s_low},
             {run_cell_handoff_p50_us, trial_row_handoff_p50_us, trial_row_valid,
              run_cell_handoff_p50_us_low},
             {run_cell_handoff_p99_us, trial_row_handoff_p99_us, trial_row_valid, 0},
             {run_cell_handoff_max_us, trial_row_handoff_max_us, trial_row_valid, 0}};

/* The findings' verdict on the trials of a cell: with --noise report a disturbance marks times, and
 * is not judged. */
static enum verdict judge_cell(const struct table_cell *trials, enum noise_mode noise)
{
    enum verdict verdict = VERDICT_HOLDS;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        bool reported =
            noise == NOISE_REPORT && row[trial_row_attempt + noise_row_noise_disturbed].flag;
        if (row[trial_row_violations].count > 0)
            return VERDICT_FAILS;
        if (!row[trial_row_valid].flag && !reported)
            verdict = VERDICT_NOT_VALID;
    }
    return verdict;
}

static void fill_cell(const struct outcome *outcome, const struct table_cell *trials,
                      struct table_value *row)
{
    size_t complete = table_cell_flags(trials, trial_row_complete),
           valid = table_cell_flags(trials, trial_row_valid),
           lawful = table_cell_flags(trials, trial_row_has_law);
    bool disturbed = false;
    row[run_cell_run] = table_text(outcome->run);
    row[run_cell_recipe] = table_text(table_cell_value(trials, trial_row_recipe)->text);
    row[run_cell_clients] = *table_cell_value(trials, trial_row_clients);
    row[run_cell_trials] = table_count(trials->count);
    row[run_cell_trials_complete] = table_count(complete);
    row[run_cell_trials_valid] = table_count(valid);
    row[run_cell_verdict] =
        table_text(verdict_word(judge_cell(trials, outcome->options->target.noise.mode)));
    row[run_cell_has_law] = table_flag(complete > 0 && lawful == complete);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        double count =
            table_cell_median(trials, counts[i].of, complete > 0 ? counts[i].usable : TABLE_ALL);
        row[counts[i].column] = table_count_if(isfinite(count), (uint64_t)llround(count));
    }
    row[run_cell_rpcs_per_handoff] =
        table_real(table_cell_sum(trials, trial_row_rpcs, trial_row_counted) /
                   table_cell_sum(trials, trial_row_handoffs, trial_row_counted));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        double time = table_cell_median(trials, times[i].of,
                                        valid > 0 ? times[i].usable : trial_row_complete);
        row[times[i].column] = table_real(time);
        if (times[i].low != 0) {
            struct interval interval = table_cell_geometric(trials, times[i].of, times[i].usable);
            row[times[i].low] = table_real(interval.low);
            row[times[i].low + 1] = table_real(interval.high);
        }
        disturbed = disturbed || (valid == 0 && isfinite(time));
    }
    row[run_cell_disturbed] = table_flag(disturbed);
}

static bool is_of(const struct table_cell *trials, const struct recipe *recipe)
{
    return strcmp(table_cell_value(trials, trial_row_recipe)->text, recipe->name) == 0;
}

static void find_recipe(struct outcome *outcome, struct outcome_recipe *recipe)
{
    static const struct table_cell none = {0};
    recipe->trials = &none;
    recipe->first = outcome->cells.rows;
    for (size_t i = 0; i < outcome->by_recipe.count; i++) {
        if (is_of(&outcome->by_recipe.list[i], recipe->recipe))
            recipe->trials = &outcome->by_recipe.list[i];
    }
    for (size_t i = 0; i < outcome->by_cell.count; i++) {
        const struct table_cell *trials = &outcome->by_cell.list[i];
        if (!is_of(trials, recipe->recipe))
            continue;
        outcome->trials[outcome->cells.rows] = trials;
        fill_cell(outcome, trials, table_add(&outcome->cells));
        recipe->count++;
    }
    growth_find(outcome, recipe);
}

struct outcome *outcome_new(const struct table *rows, struct waiters *const *waiters,
                            const struct options *options, const char *run)
{
    static const size_t keys[] = {trial_row_recipe, trial_row_clients};
    struct outcome *outcome = memory_new(1, sizeof *outcome);
    *outcome = (struct outcome){.options = options,
                                .rows = rows,
                                .run = run,
                                .by_recipe = table_group(rows, keys, 1),
                                .by_cell = table_group(rows, keys, 2),
                                .cells.type = &run_cell_table};
    outcome->trials = memory_new(outcome->by_cell.count + 1, sizeof(void *));
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        outcome->recipes[i].recipe = options->plan.recipes[i];
        outcome->recipes[i].waiters = waiters[i];
        find_recipe(outcome, &outcome->recipes[i]);
    }
    return outcome;
}

void outcome_free(struct outcome *outcome)
{
    if (outcome == NULL)
        return;
    free(outcome->trials);
    table_deinit(&outcome->cells);
    table_cells_deinit(&outcome->by_recipe);
    table_cells_deinit(&outcome->by_cell);
    free(outcome);
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct outcome_figure outcome_figures[FIGURES] = {
    [FIGURE_RPCS] = {trial_row_rpcs, trial_row_law_rpcs, trial_row_complete},
    [FIGURE_CREATES] = {trial_row_creates, trial_row_law_creates, trial_row_complete},
    [FIGURE_NOTIFICATIONS] = {trial_row_notifications, trial_row_law_notifications,
                              trial_row_complete},
    [FIGURE_NAMES_LISTED] = {trial_row_names_listed, trial_row_law_names_listed,
                             trial_row_complete},
    [FIGURE_BYTES] = {trial_row_bytes, OUTCOME_NO_LAW, trial_row_complete},
    [FIGURE_ELAPSED] = {trial_row_elapsed_s, OUTCOME_NO_LAW, trial_row_valid},
    [FIGURE_DRAIN] = {trial_row_drain_s, OUTCOME_NO_LAW, trial_row_drained},
    [FIGURE_HANDOFF_P50] = {trial_row_handoff_p50_us, OUTCOME_NO_LAW, trial_row_valid},
    [FIGURE_HANDOFF_P99] = {trial_row_handoff_p99_us, OUTCOME_NO_LAW, trial_row_valid}};

static struct outcome_cell describe(const struct table_cell *trials, const struct recipe *recipe)
{
    struct outcome_cell cell = {.recipe = recipe,
                                .clients = table_cell_value(trials, trial_row_clients)->count,
                                .trials = *trials,
                                .complete = table_cell_flags(trials, trial_row_complete),
                                .valid = table_cell_flags(trials, trial_row_valid),
                                .has_law = true};
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        cell.fails = cell.fails || trial_row_verdict(row) == 1;
        cell.has_law =
            cell.has_law && (row[trial_row_has_law].flag || !row[trial_row_complete].flag);
    }
    for (size_t i = 0; i < FIGURES; i++) {
        const struct outcome_figure *figure = &outcome_figures[i];
        bool aborted = figure->usable == trial_row_complete && cell.complete == 0;
        cell.figures[i] =
            table_cell_median(trials, figure->column, aborted ? TABLE_ALL : figure->usable);
    }
    return cell;
}

struct outcome *outcome_new(const struct table *rows, const struct options *options)
{
    static const size_t keys[] = {trial_row_recipe, trial_row_clients};
    struct outcome *outcome = memory_new(1, sizeof *outcome);
    outcome->options = options;
    outcome->rows = rows;
    outcome->groups = table_group(rows, keys, 2);
    outcome->cells =
        memory_new(outcome->groups.count * options->plan.recipe_count, sizeof *outcome->cells);
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        struct outcome_recipe *recipe = &outcome->recipes[r];
        recipe->recipe = options->plan.recipes[r];
        recipe->cells = &outcome->cells[outcome->count];
        for (size_t i = 0; i < outcome->groups.count; i++) {
            const struct table_cell *trials = &outcome->groups.list[i];
            if (strcmp(table_cell_value(trials, trial_row_recipe)->text, recipe->recipe->name) == 0)
                recipe->cells[recipe->count++] = describe(trials, recipe->recipe);
        }
        outcome->count += recipe->count;
        fits_find(outcome, recipe);
    }
    return outcome;
}

void outcome_free(struct outcome *outcome)
{
    if (outcome == NULL)
        return;
    free(outcome->cells);
    table_cells_deinit(&outcome->groups);
    free(outcome);
}

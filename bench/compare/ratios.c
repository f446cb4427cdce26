// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A 99th percentile of fewer handoffs is little more than their maximum. */
#define P99_LEAST 100

/* ------------------------------------------------------------------ values */

/* The metric's value in a trial of a run; NaN: it has none. */
static double value_of_trial(const struct comparison *comparison, const struct table_value *trial,
                             const struct metric *metric)
{
    double figure = table_number(&trial[metric->column]) * metric->factor;
    double handoffs = (double)trial[trial_row_handoffs].count;
    if (metric->per_handoff)
        return handoffs > 0 ? figure / handoffs : NAN;
    /* Not from the column: it was not always without the arrivals. */
    if (metric->column == trial_row_handoffs_per_s && comparison->sides[0].run.drain)
        return handoffs / table_number(&trial[trial_row_drain_s]);
    if (metric->column == trial_row_handoff_p99_us && handoffs < P99_LEAST)
        return NAN;
    return figure;
}

double *comparison_values(const struct comparison *comparison, const struct side *side,
                          const struct place *place, size_t index, size_t *count, size_t **rounds)
{
    const struct metric *metric = &comparison->metrics[index];
    const struct table_cell *cell = place->of[side - comparison->sides];
    const bool *usable = metric->is_count ? side->counted : side->timed;
    size_t rows = cell != NULL ? cell->count : 0;
    size_t round = kind_column(comparison->kind->type, "trial");
    double *values = memory_new(rows + 1, sizeof *values);
    if (rounds != NULL)
        *rounds = memory_new(rows + 1, sizeof **rounds);
    *count = 0;
    for (size_t i = 0; i < rows; i++) {
        const struct table_value *row = table_row(cell->table, cell->rows[i]);
        double value = comparison->is_of_runs ? value_of_trial(comparison, row, metric)
                                              : table_number(&row[metric->column]);
        if (!usable[cell->rows[i]] || !isfinite(value))
            continue;
        bool numbered = round != SIZE_MAX && row[round].kind == TABLE_COUNT;
        if (rounds != NULL)
            (*rounds)[*count] = numbered ? row[round].count : i;
        values[(*count)++] = value;
    }
    return values;
}

/* ------------------------------------------------------------------ one metric of a cell */

/* All trials of both sides have the same count, or it differs. */
static void compare_counts(double *a, double *b, struct ratio *ratio)
{
    size_t of_a = ratio->trials_a, of_b = ratio->trials_b;
    statistics_sort(a, of_a);
    statistics_sort(b, of_b);
    if (of_a > 0)
        ratio->a = (struct interval){a[0], a[0], a[of_a - 1]};
    if (of_b > 0)
        ratio->b = (struct interval){b[0], b[0], b[of_b - 1]};
    if (!ratio->is_compared)
        return;
    if (ratio->a.value > 0)
        ratio->ratio.value = ratio->b.value / ratio->a.value;
    bool equal = ratio->a.low == ratio->b.low && ratio->a.high == ratio->b.high &&
                 ratio->a.low == ratio->a.high;
    ratio->mark = equal ? RATIO_PLAIN : RATIO_MARKED;
}

/* With an interval of this confidence. */
static struct interval ratio_of(const double *a, const double *b, const struct ratio *ratio,
                                double confidence)
{
    struct interval of = statistics_ratio(b, ratio->trials_b, a, ratio->trials_a, confidence);
    if (ratio->trials_a < STATISTICS_TRIALS_MIN || ratio->trials_b < STATISTICS_TRIALS_MIN)
        of.low = of.high = NAN;
    return of;
}

static void compare_times(const double *a, const double *b, struct ratio *ratio)
{
    ratio->a = table_geometric(a, ratio->trials_a);
    ratio->b = table_geometric(b, ratio->trials_b);
    ratio->ratio = ratio_of(a, b, ratio, CONFIDENCE);
}

static bool is_exact(const struct comparison *comparison, size_t metric)
{
    return comparison->exact && comparison->metrics[metric].is_count;
}

static void compare_cell(struct comparison *comparison, struct ratio_cell *cell)
{
    static const struct interval none = {NAN, NAN, NAN};
    cell->of = memory_new(comparison->metric_count, sizeof *cell->of);
    for (size_t metric = 0; metric < comparison->metric_count; metric++) {
        struct ratio *ratio = &cell->of[metric];
        *ratio = (struct ratio){.a = none, .b = none, .ratio = none};
        double *a = comparison_values(comparison, cell->side->base, cell->place, metric,
                                      &ratio->trials_a, NULL);
        double *b =
            comparison_values(comparison, cell->side, cell->place, metric, &ratio->trials_b, NULL);
        ratio->is_compared = ratio->trials_a > 0 && ratio->trials_b > 0;
        if (is_exact(comparison, metric))
            compare_counts(a, b, ratio);
        else
            compare_times(a, b, ratio);
        cell->counts_differ |= is_exact(comparison, metric) && ratio->mark == RATIO_MARKED;
        comparison->marked_of += isfinite(ratio->ratio.low) ? 1 : 0;
        free(a);
        free(b);
    }
}

bool ratio_cell_is_compared(const struct comparison *comparison, const struct ratio_cell *cell)
{
    for (size_t metric = 0; metric < comparison->metric_count; metric++) {
        if (cell->of[metric].is_compared)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ marks */

/* By intervals that exclude 1 at once: each is as much wider as there are more of them, lest of a
 * hundred ratios of the same thing five be marked (Bonferroni). */
static void mark_cell(const struct comparison *comparison, struct ratio_cell *cell)
{
    double confidence = 1 - (1 - CONFIDENCE) / (double)comparison->marked_of;
    for (size_t metric = 0; metric < comparison->metric_count; metric++) {
        struct ratio *ratio = &cell->of[metric];
        size_t of_a, of_b;
        if (!isfinite(ratio->ratio.low))
            continue;
        double *a =
            comparison_values(comparison, cell->side->base, cell->place, metric, &of_a, NULL);
        double *b = comparison_values(comparison, cell->side, cell->place, metric, &of_b, NULL);
        struct interval together = ratio_of(a, b, ratio, confidence);
        ratio->mark = together.low > 1 || together.high < 1 ? RATIO_MARKED : RATIO_PLAIN;
        free(a);
        free(b);
    }
}

/* ------------------------------------------------------------------ all of them */

void comparison_find(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->place_count; i++) {
        for (size_t side = 1; side < comparison->side_count; side++) {
            comparison->cells =
                memory_grow(comparison->cells, comparison->cell_count, sizeof *comparison->cells);
            struct ratio_cell *cell = &comparison->cells[comparison->cell_count++];
            *cell = (struct ratio_cell){.place = &comparison->places[i],
                                        .side = &comparison->sides[side]};
            compare_cell(comparison, cell);
        }
    }
    for (size_t i = 0; i < comparison->cell_count; i++)
        mark_cell(comparison, &comparison->cells[i]);
    size_t groups = 0;
    for (size_t i = 0; i < comparison->place_count; i++)
        groups += comparison_begins(comparison, i);
    size_t count = groups * (comparison->side_count - 1);
    comparison->overall = memory_new(count + 1, sizeof *comparison->overall);
    for (size_t i = 0; i < comparison->place_count; i++) {
        for (size_t side = 1; side < comparison->side_count && comparison_begins(comparison, i);
             side++)
            comparison->overall[comparison->overall_count++] =
                comparison_over(comparison, comparison->places[i].group, &comparison->sides[side],
                                comparison->lead, NULL, 1 - (1 - CONFIDENCE) / (double)count);
    }
}

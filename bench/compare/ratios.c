// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "bench/output/json_result.h"
#include "measure/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95
/* A 99th percentile of fewer handoffs is little more than their maximum. */
#define P99_LEAST 100

/* Where the value is that of a handoff, it has a name of its own; else that of its column. */
static const struct {
    size_t column;
    const char *per_handoff_name;
} metrics[METRICS] = {
    [METRIC_RPCS] = {trial_row_rpcs, "rpcs_per_handoff"},
    [METRIC_NOTIFICATIONS] = {trial_row_notifications, "notifications_per_handoff"},
    [METRIC_CREATES] = {trial_row_creates, "creates_per_handoff"},
    [METRIC_NAMES_LISTED] = {trial_row_names_listed, "names_listed_per_handoff"},
    [METRIC_HANDOFF_P50] = {trial_row_handoff_p50_us, NULL},
    [METRIC_HANDOFF_P99] = {trial_row_handoff_p99_us, NULL},
    [METRIC_DRAIN] = {trial_row_drain_s, NULL},
    [METRIC_HANDOFFS_PER_S] = {trial_row_handoffs_per_s, NULL},
    [METRIC_SERVER_CPU] = {trial_row_server_cpu_s, "server_cpu_us_per_handoff"},
};

static bool is_per_handoff(const struct comparison *comparison, enum metric metric)
{
    return metric == METRIC_SERVER_CPU || (metric < METRIC_COUNTS && comparison->per_handoff);
}

const char *metric_name(const struct comparison *comparison, enum metric metric)
{
    return is_per_handoff(comparison, metric)
               ? metrics[metric].per_handoff_name
               : trial_row_table.columns[metrics[metric].column].name;
}

/* ------------------------------------------------------------------ one metric of a cell */

/* NaN: the trial has none. */
static double value_of(const struct comparison *comparison, const struct table_value *trial,
                       enum metric metric)
{
    double figure = table_number(&trial[metrics[metric].column]);
    double handoffs = (double)trial[trial_row_handoffs].count;
    if (is_per_handoff(comparison, metric))
        return handoffs > 0 ? figure * (metric == METRIC_SERVER_CPU ? 1e6 : 1) / handoffs : NAN;
    /* Not from the column: it was not always without the arrivals. */
    if (metric == METRIC_HANDOFFS_PER_S && comparison->sides[0].run.drain)
        return handoffs / table_number(&trial[trial_row_drain_s]);
    if (metric == METRIC_HANDOFF_P99 && handoffs < P99_LEAST)
        return NAN;
    return figure;
}

/* The values of a side in a cell, a trial each, for the caller to free. */
static double *gather(const struct comparison *comparison, const struct side *side,
                      const struct ratio_cell *cell, enum metric metric, size_t *count)
{
    size_t usable = metric < METRIC_COUNTS ? trial_row_complete : trial_row_drained;
    double *values = memory_new(side->run.trials.rows, sizeof *values);
    *count = 0;
    for (size_t i = 0; i < side->cells.count; i++) {
        const struct table_cell *trials = &side->cells.list[i];
        if (strcmp(table_cell_value(trials, trial_row_recipe)->text, cell->recipe) != 0 ||
            table_cell_value(trials, trial_row_clients)->count != cell->clients)
            continue;
        for (size_t row = 0; row < trials->count; row++) {
            const struct table_value *trial = table_row(trials->table, trials->rows[row]);
            double value = trial[usable].flag ? value_of(comparison, trial, metric) : NAN;
            if (isfinite(value))
                values[(*count)++] = value;
        }
    }
    return values;
}

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

static void compare_times(const double *a, const double *b, struct ratio *ratio)
{
    size_t of_a = ratio->trials_a, of_b = ratio->trials_b;
    ratio->a = table_geometric(a, of_a);
    ratio->b = table_geometric(b, of_b);
    ratio->ratio = statistics_ratio(b, of_b, a, of_a, CONFIDENCE);
    if (of_a < STATISTICS_TRIALS_MIN || of_b < STATISTICS_TRIALS_MIN)
        ratio->ratio.low = ratio->ratio.high = NAN;
    if (isfinite(ratio->ratio.low))
        ratio->mark = ratio->ratio.low > 1 || ratio->ratio.high < 1 ? RATIO_MARKED : RATIO_PLAIN;
}

/* ------------------------------------------------------------------ all of them */

static void compare_cell(const struct comparison *comparison, struct ratio_cell *cell)
{
    static const struct interval none = {NAN, NAN, NAN};
    for (enum metric metric = 0; metric < METRICS; metric++) {
        struct ratio *ratio = &cell->of[metric];
        bool exact = comparison->exact && metric < METRIC_COUNTS;
        *ratio = (struct ratio){.a = none, .b = none, .ratio = none};
        double *a = gather(comparison, cell->side->base, cell, metric, &ratio->trials_a);
        double *b = gather(comparison, cell->side, cell, metric, &ratio->trials_b);
        ratio->is_compared = ratio->trials_a > 0 && ratio->trials_b > 0;
        if (exact)
            compare_counts(a, b, ratio);
        else
            compare_times(a, b, ratio);
        cell->counts_differ |= exact && ratio->mark == RATIO_MARKED;
        free(a);
        free(b);
    }
}

void comparison_find(struct comparison *comparison)
{
    const struct past_run *run = &comparison->sides[0].run;
    const char *recipe;
    uint64_t clients;
    comparison->exact = run->lockstep && !run->has_duration;
    comparison->per_handoff = run->has_duration;
    for (size_t r = 0; (recipe = past_run_recipe(run, r)) != NULL; r++) {
        for (size_t n = 0; (clients = past_run_clients(run, n)) != 0; n++) {
            for (size_t side = 1;
                 side < comparison->side_count && past_run_plans(run, recipe, clients); side++) {
                comparison->cells = memory_grow(comparison->cells, comparison->cell_count,
                                                sizeof *comparison->cells);
                struct ratio_cell *cell = &comparison->cells[comparison->cell_count++];
                *cell = (struct ratio_cell){
                    .recipe = recipe, .clients = clients, .side = &comparison->sides[side]};
                compare_cell(comparison, cell);
            }
        }
    }
}

/* ------------------------------------------------------------------ compare.csv */

#define COLUMNS(X)                                                                                 \
    X(recipe, csv_text(csv, cell->recipe))                                                         \
    X(clients, csv_count(csv, cell->clients))                                                      \
    X(metric, csv_text(csv, metric_name(comparison, metric)))                                      \
    X(pair, csv_text(csv, pair))                                                                   \
    X(label_a, csv_text(csv, cell->side->base->label))                                             \
    X(label_b, csv_text(csv, cell->side->label))                                                   \
    X(a, csv_real(csv, ratio->a.value, decimals))                                                  \
    X(a_low, csv_real(csv, ratio->a.low, decimals))                                                \
    X(a_high, csv_real(csv, ratio->a.high, decimals))                                              \
    X(b, csv_real(csv, ratio->b.value, decimals))                                                  \
    X(b_low, csv_real(csv, ratio->b.low, decimals))                                                \
    X(b_high, csv_real(csv, ratio->b.high, decimals))                                              \
    X(ratio, csv_real(csv, ratio->ratio.value, 4))                                                 \
    X(ratio_low, csv_real(csv, ratio->ratio.low, 4))                                               \
    X(ratio_high, csv_real(csv, ratio->ratio.high, 4))                                             \
    X(trials_a, csv_count(csv, ratio->trials_a))                                                   \
    X(trials_b, csv_count(csv, ratio->trials_b))                                                   \
    X(marked, csv_text(csv, marks[ratio->mark]))

static void write_row(const struct comparison *comparison, const struct ratio_cell *cell,
                      enum metric metric, struct csv *csv)
{
    static const char *const marks[] = {
        [RATIO_UNKNOWN] = "", [RATIO_PLAIN] = "no", [RATIO_MARKED] = "yes"};
    const struct ratio *ratio = &cell->of[metric];
    const char pair[] = {cell->side->letter[0], '/', cell->side->base->letter[0], '\0'};
    int decimals = comparison->exact && metric < METRIC_COUNTS ? 0 : metric == METRIC_DRAIN ? 6 : 3;
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

void comparison_write_csv(FILE *stream, const void *context)
{
    const struct comparison *comparison = context;
    struct csv csv = {.stream = stream};
    csv_header(&csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < comparison->cell_count; i++) {
        for (enum metric metric = 0; metric < METRICS; metric++)
            write_row(comparison, &comparison->cells[i], metric, &csv);
    }
}

/* ------------------------------------------------------------------ as JSON */

json_t *comparison_describe_sides(const struct comparison *comparison)
{
    json_t *list = json_array();
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:I}", "run",
                            side->letter, "label", json_text(side->label), "folder",
                            json_text(side->run.folder), "target", json_text(side->target),
                            "servers", (json_int_t)side->servers, "zookeeper_version",
                            side->version != NULL ? json_text(side->version) : json_null(),
                            "compared_with", i > 0 ? json_string(side->base->letter) : json_null(),
                            "trials", (json_int_t)side->run.trials.rows, "trials_timed",
                            (json_int_t)side->timed, "trials_failed", (json_int_t)side->failed));
    }
    return list;
}

static json_t *describe_metric(const char *name, const struct ratio *ratio)
{
    json_t *metric = json_pack("{s:s}", "metric", name);
    json_result_set_interval(metric, "a", &ratio->a);
    json_result_set_interval(metric, "b", &ratio->b);
    json_result_set_interval(metric, "ratio", &ratio->ratio);
    json_object_set_new(metric, "trials_a", json_integer((json_int_t)ratio->trials_a));
    json_object_set_new(metric, "trials_b", json_integer((json_int_t)ratio->trials_b));
    json_object_set_new(metric, "marked",
                        ratio->mark == RATIO_UNKNOWN ? json_null()
                                                     : json_boolean(ratio->mark == RATIO_MARKED));
    return metric;
}

json_t *comparison_describe_cells(const struct comparison *comparison)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct ratio_cell *cell = &comparison->cells[i];
        json_t *list = json_array();
        for (enum metric metric = 0; metric < METRICS; metric++)
            json_array_append_new(
                list, describe_metric(metric_name(comparison, metric), &cell->of[metric]));
        json_array_append_new(cells, json_pack("{s:s, s:I, s:s, s:o}", "recipe", cell->recipe,
                                               "clients", (json_int_t)cell->clients, "run",
                                               cell->side->letter, "metrics", list));
    }
    return cells;
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "bench/output/json_result.h"

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
} metrics[RATIO_METRICS] = {
    [RATIO_RPCS] = {trial_row_rpcs, "rpcs_per_handoff"},
    [RATIO_NOTIFICATIONS] = {trial_row_notifications, "notifications_per_handoff"},
    [RATIO_CREATES] = {trial_row_creates, "creates_per_handoff"},
    [RATIO_NAMES_LISTED] = {trial_row_names_listed, "names_listed_per_handoff"},
    [RATIO_HANDOFF_P50] = {trial_row_handoff_p50_us, NULL},
    [RATIO_HANDOFF_P99] = {trial_row_handoff_p99_us, NULL},
    [RATIO_DRAIN] = {trial_row_drain_s, NULL},
    [RATIO_HANDOFFS_PER_S] = {trial_row_handoffs_per_s, NULL},
    [RATIO_SERVER_CPU] = {trial_row_server_cpu_s, "server_cpu_us_per_handoff"},
};

/* The values of one side in a cell, a trial each. */
struct values {
    double *list;
    size_t count;
};

/* ------------------------------------------------------------------ the values of a cell */

/* NaN: the trial has none. */
static double value_of(const struct ratios *ratios, const struct table_value *trial,
                       enum ratio_metric metric)
{
    double figure = table_number(&trial[metrics[metric].column]);
    double handoffs = (double)trial[trial_row_handoffs].count;
    if (metric == RATIO_SERVER_CPU)
        return handoffs > 0 ? figure * 1e6 / handoffs : NAN;
    /* Not from the column: it was not always without the arrivals. */
    if (metric == RATIO_HANDOFFS_PER_S && ratios->drain)
        return handoffs / table_number(&trial[trial_row_drain_s]);
    if (metric < RATIO_COUNTS && ratios->per_handoff)
        return handoffs > 0 ? figure / handoffs : NAN;
    if (metric == RATIO_HANDOFF_P99 && handoffs < P99_LEAST)
        return NAN;
    return figure;
}

/* The trials of a side in a cell; none if it has no such cell. */
static struct table_cell find_trials(const struct compared_run *side, const struct ratio_cell *cell)
{
    for (size_t i = 0; i < side->cells.count; i++) {
        const struct table_cell *trials = &side->cells.list[i];
        if (strcmp(table_cell_value(trials, trial_row_recipe)->text, cell->recipe) == 0 &&
            table_cell_value(trials, trial_row_clients)->count == cell->clients)
            return *trials;
    }
    return (struct table_cell){0};
}

static struct values gather(const struct ratios *ratios, const struct table_cell *trials,
                            enum ratio_metric metric)
{
    size_t usable = metric < RATIO_COUNTS ? trial_row_complete : trial_row_drained;
    struct values values = {.list = memory_new(trials->count, sizeof(double))};
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *trial = table_row(trials->table, trials->rows[i]);
        double value = trial[usable].flag ? value_of(ratios, trial, metric) : NAN;
        if (isfinite(value))
            values.list[values.count++] = value;
    }
    return values;
}

/* ------------------------------------------------------------------ one metric of a cell */

static struct interval span_of(const struct values *values)
{
    if (values->count == 0)
        return (struct interval){NAN, NAN, NAN};
    statistics_sort(values->list, values->count);
    return (struct interval){values->list[0], values->list[0], values->list[values->count - 1]};
}

/* All trials of both sides have the same count, or it differs. */
static void compare_counts(const struct values *a, const struct values *b, struct ratio *ratio)
{
    ratio->a = span_of(a);
    ratio->b = span_of(b);
    ratio->ratio = (struct interval){NAN, NAN, NAN};
    if (ratio->a.value > 0 && b->count > 0)
        ratio->ratio.value = ratio->b.value / ratio->a.value;
    if (a->count == 0 || b->count == 0)
        return;
    bool equal = ratio->a.low == ratio->b.low && ratio->a.high == ratio->b.high &&
                 ratio->a.low == ratio->a.high;
    ratio->mark = equal ? RATIO_PLAIN : RATIO_MARKED;
}

static void compare_times(const struct values *a, const struct values *b, struct ratio *ratio)
{
    ratio->a = table_geometric(a->list, a->count);
    ratio->b = table_geometric(b->list, b->count);
    ratio->ratio = statistics_ratio(b->list, b->count, a->list, a->count, CONFIDENCE);
    if (a->count < STATISTICS_TRIALS_MIN || b->count < STATISTICS_TRIALS_MIN)
        ratio->ratio.low = ratio->ratio.high = NAN;
    if (isfinite(ratio->ratio.low))
        ratio->mark = ratio->ratio.low > 1 || ratio->ratio.high < 1 ? RATIO_MARKED : RATIO_PLAIN;
}

static void compare_cell(const struct ratios *ratios, const struct compared_runs *compared,
                         struct ratio_cell *cell)
{
    const struct table_cell of_a = find_trials(&compared->list[cell->base], cell);
    const struct table_cell of_b = find_trials(&compared->list[cell->side], cell);
    for (int i = 0; i < RATIO_METRICS; i++) {
        enum ratio_metric metric = (enum ratio_metric)i;
        struct values a = gather(ratios, &of_a, metric), b = gather(ratios, &of_b, metric);
        struct ratio *ratio = &cell->of[i];
        *ratio = (struct ratio){.trials_a = a.count, .trials_b = b.count};
        if (ratios->exact && metric < RATIO_COUNTS)
            compare_counts(&a, &b, ratio);
        else
            compare_times(&a, &b, ratio);
        free(a.list);
        free(b.list);
    }
}

/* ------------------------------------------------------------------ all of them */

void ratios_init(const struct compared_runs *compared, struct ratios *ratios)
{
    const struct past_run *run = compared->list[0].run;
    *ratios = (struct ratios){.exact = run->lockstep && !run->has_duration,
                              .per_handoff = run->has_duration,
                              .drain = run->drain};
    const char *recipe;
    for (size_t r = 0; (recipe = past_run_recipe(run, r)) != NULL; r++) {
        uint64_t clients;
        for (size_t n = 0; (clients = past_run_clients(run, n)) != 0; n++) {
            for (size_t side = 1; side < compared->count && past_run_plans(run, recipe, clients);
                 side++) {
                ratios->list = memory_grow(ratios->list, ratios->count, sizeof *ratios->list);
                struct ratio_cell *cell = &ratios->list[ratios->count++];
                *cell = (struct ratio_cell){.recipe = recipe,
                                            .clients = clients,
                                            .side = side,
                                            .base = compared->list[side].base};
                compare_cell(ratios, compared, cell);
            }
        }
    }
}

void ratios_deinit(struct ratios *ratios)
{
    free(ratios->list);
    *ratios = (struct ratios){0};
}

bool ratios_counts_differ(const struct ratios *ratios, const struct ratio_cell *cell)
{
    for (int metric = 0; ratios->exact && metric < RATIO_COUNTS; metric++) {
        if (cell->of[metric].mark == RATIO_MARKED)
            return true;
    }
    return false;
}

bool ratios_is_compared(const struct ratio *ratio)
{
    return ratio->trials_a > 0 && ratio->trials_b > 0;
}

/* ------------------------------------------------------------------ compare.csv */

const char *ratios_name(const struct ratios *ratios, enum ratio_metric metric)
{
    bool per_handoff = metric == RATIO_SERVER_CPU || (metric < RATIO_COUNTS && ratios->per_handoff);
    return per_handoff ? metrics[metric].per_handoff_name
                       : trial_row_table.columns[metrics[metric].column].name;
}

#define COLUMNS(X)                                                                                 \
    X(recipe, csv_text(csv, cell->recipe))                                                         \
    X(clients, csv_count(csv, cell->clients))                                                      \
    X(metric, csv_text(csv, ratios_name(ratios, metric)))                                          \
    X(pair, csv_text(csv, pair))                                                                   \
    X(label_a, csv_text(csv, compared->list[cell->base].label))                                    \
    X(label_b, csv_text(csv, compared->list[cell->side].label))                                    \
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

static void write_row(const struct ratios *ratios, const struct compared_runs *compared,
                      const struct ratio_cell *cell, enum ratio_metric metric, struct csv *csv)
{
    static const char *const marks[] = {
        [RATIO_UNKNOWN] = "", [RATIO_PLAIN] = "no", [RATIO_MARKED] = "yes"};
    const struct ratio *ratio = &cell->of[metric];
    const char pair[] = {compared_runs_letter(cell->side), '/', compared_runs_letter(cell->base),
                         '\0'};
    int decimals = ratios->exact && metric < RATIO_COUNTS ? 0 : metric == RATIO_DRAIN ? 6 : 3;
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

void ratios_write(const struct ratios *ratios, const struct compared_runs *compared,
                  struct csv *csv)
{
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < ratios->count; i++) {
        for (int metric = 0; metric < RATIO_METRICS; metric++)
            write_row(ratios, compared, &ratios->list[i], (enum ratio_metric)metric, csv);
    }
}

/* ------------------------------------------------------------------ as JSON */

static json_t *describe_run(const struct compared_runs *compared, size_t side)
{
    const struct compared_run *run = &compared->list[side];
    const char letter[] = {compared_runs_letter(side), '\0'};
    const char base[] = {compared_runs_letter(run->base), '\0'};
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:I}", "run", letter, "label",
        json_text(run->label), "folder", json_text(run->run->folder), "target",
        json_text(run->target), "servers", (json_int_t)run->servers, "zookeeper_version",
        run->version != NULL ? json_text(run->version) : json_null(), "compared_with",
        side > 0 ? json_string(base) : json_null(), "trials", (json_int_t)run->run->trials.rows,
        "trials_timed", (json_int_t)run->timed, "trials_failed", (json_int_t)run->failed);
}

static json_t *mark_of(enum ratio_mark mark)
{
    return mark == RATIO_UNKNOWN ? json_null() : json_boolean(mark == RATIO_MARKED);
}

static json_t *describe_metric(const char *name, const struct ratio *ratio)
{
    json_t *metric = json_pack("{s:s}", "metric", name);
    json_result_set_interval(metric, "a", &ratio->a);
    json_result_set_interval(metric, "b", &ratio->b);
    json_result_set_interval(metric, "ratio", &ratio->ratio);
    json_object_set_new(metric, "trials_a", json_integer((json_int_t)ratio->trials_a));
    json_object_set_new(metric, "trials_b", json_integer((json_int_t)ratio->trials_b));
    json_object_set_new(metric, "marked", mark_of(ratio->mark));
    return metric;
}

static json_t *describe_cell(const struct ratios *ratios, const struct ratio_cell *cell)
{
    const char letter[] = {compared_runs_letter(cell->side), '\0'};
    json_t *list = json_array();
    for (int metric = 0; metric < RATIO_METRICS; metric++)
        json_array_append_new(list, describe_metric(ratios_name(ratios, (enum ratio_metric)metric),
                                                    &cell->of[metric]));
    return json_pack("{s:s, s:I, s:s, s:o}", "recipe", cell->recipe, "clients",
                     (json_int_t)cell->clients, "run", letter, "metrics", list);
}

enum error_kind compare_json_write(const struct ratios *ratios,
                                   const struct compared_runs *compared, const char *verdict,
                                   const char *folder, FILE *stream, struct error *error)
{
    json_t *runs = json_array(), *cells = json_array();
    for (size_t i = 0; i < compared->count; i++)
        json_array_append_new(runs, describe_run(compared, i));
    for (size_t i = 0; i < ratios->count; i++)
        json_array_append_new(cells, describe_cell(ratios, &ratios->list[i]));
    return json_result_write(json_pack("{s:o, s:o, s:b, s:s, s:o}", "runs", runs, "cells", cells,
                                       "counts_are_exact", (int)ratios->exact, "verdict", verdict,
                                       "folder", json_text(folder)),
                             "compare", stream, error);
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "bench/output/json_result.h"
#include "measure/csv.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ compare.csv */

#define COLUMNS(X)                                                                                 \
    X(recipe, csv_text(csv, cell->place->group))                                                   \
    X(clients, csv_count(csv, cell->place->size))                                                  \
    X(metric, csv_text(csv, comparison->metrics[metric].name))                                     \
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
    X(marked, csv_text(csv, marks[ratio->mark]))                                                   \
    X(at, csv_text(csv, cell->place->at))

static void write_row(const struct comparison *comparison, const struct ratio_cell *cell,
                      size_t metric, struct csv *csv)
{
    static const char *const marks[] = {
        [RATIO_UNKNOWN] = "", [RATIO_PLAIN] = "no", [RATIO_MARKED] = "yes"};
    const struct ratio *ratio = &cell->of[metric];
    const struct table_column *column =
        &comparison->kind->type->columns[comparison->metrics[metric].column];
    const char pair[] = {cell->side->letter[0], '/', cell->side->base->letter[0], '\0'};
    bool exact = comparison->exact && comparison->metrics[metric].is_count;
    bool scaled = comparison->metrics[metric].factor != 1;
    int decimals = exact ? 0 : scaled || column->decimals < 3 ? 3 : column->decimals;
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

void comparison_write_csv(FILE *stream, const void *context)
{
    const struct comparison *comparison = context;
    struct csv csv = {.stream = stream};
    csv_header(&csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < comparison->cell_count; i++) {
        for (size_t metric = 0; metric < comparison->metric_count; metric++)
            write_row(comparison, &comparison->cells[i], metric, &csv);
    }
}

/* ------------------------------------------------------------------ as JSON */

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_text(text) : json_null();
}

static json_t *describe_sides(const struct comparison *comparison)
{
    json_t *list = json_array();
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "run",
                      side->letter, "label", json_text(side->label), "folder",
                      json_text(side->run.folder), "target", json_text(side->target), "servers",
                      (json_int_t)side->servers, "zkherd_version", text_or_null(side->zkherd),
                      "zookeeper_version", text_or_null(side->version), "compared_with",
                      i > 0 ? json_string(side->base->letter) : json_null(), "trials",
                      (json_int_t)side->run.trials.rows, "trials_timed",
                      (json_int_t)side->timed_rows, "trials_failed", (json_int_t)side->failed,
                      "trials_disturbed", (json_int_t)side->disturbed));
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

static json_t *describe_cells(const struct comparison *comparison)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct ratio_cell *cell = &comparison->cells[i];
        json_t *list = json_array();
        for (size_t metric = 0; metric < comparison->metric_count; metric++)
            json_array_append_new(
                list, describe_metric(comparison->metrics[metric].name, &cell->of[metric]));
        json_array_append_new(cells, json_pack("{s:o, s:I, s:o, s:s, s:o}", "recipe",
                                               json_text(cell->place->group), "clients",
                                               (json_int_t)cell->place->size, "at",
                                               json_result_text(cell->place->at), "run",
                                               cell->side->letter, "metrics", list));
    }
    return cells;
}

static json_t *describe_overall(const struct comparison *comparison, const struct overall *overall)
{
    json_t *object =
        json_pack("{s:o, s:s, s:s}", "recipe", json_text(overall->group), "run",
                  overall->side->letter, "metric", comparison->metrics[overall->metric].name);
    json_result_set_interval(object, "ratio", &overall->ratio);
    json_result_set_real(object, "confidence", overall->confidence);
    json_object_set_new(object, "sizes", json_integer((json_int_t)overall->sizes));
    json_object_set_new(object, "sizes_left_out", json_integer((json_int_t)overall->left_out));
    json_object_set_new(object, "trials_a", json_integer((json_int_t)overall->trials_a));
    json_object_set_new(object, "trials_b", json_integer((json_int_t)overall->trials_b));
    return object;
}

static json_t *describe_gate(const struct comparison *comparison, const struct gate_result *result)
{
    const struct gate *gate = result->gate;
    json_t *object = describe_overall(comparison, &result->overall);
    json_object_set_new(object, "fail_if", json_text(gate->text));
    json_object_set_new(object, "limit", json_result_real(gate->limit));
    json_object_set_new(object, "size",
                        gate->has_size ? json_integer((json_int_t)gate->size) : json_null());
    json_object_set_new(object, "verdict", json_string(gate_verdict_word(result->verdict)));
    json_object_set_new(object, "trials_needed",
                        result->needed > 0 ? json_integer((json_int_t)result->needed)
                                           : json_null());
    return object;
}

json_t *comparison_describe(const struct comparison *comparison)
{
    json_t *overall = json_array(), *gates = json_array();
    for (size_t i = 0; i < comparison->overall_count; i++)
        json_array_append_new(overall, describe_overall(comparison, &comparison->overall[i]));
    for (size_t i = 0; i < comparison->result_count; i++)
        json_array_append_new(gates, describe_gate(comparison, &comparison->results[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "runs", describe_sides(comparison), "cells",
                     describe_cells(comparison), "overall", overall, "gates", gates,
                     "counts_are_exact", (int)comparison->exact);
}

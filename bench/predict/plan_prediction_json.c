// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/plan_prediction_json.h"

#include "bench/output/json_result.h"
#include "bench/output/json_sentences.h"
#include "bench/output/verdict.h"

static json_t *describe(const struct plan_prediction_cell *cell, enum drain_time time)
{
    const struct interval *predicted = &cell->predicted.times_s[time];
    bool measured = plan_prediction_cells_measured(cell, time);
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "recipe",
        cell->drain.recipe->name, "clients", (json_int_t)cell->drain.clients, "locks",
        (json_int_t)cell->drain.locks, "servers", (json_int_t)cell->servers, "time",
        plan_prediction_cells_word(time), "predicted_s", json_result_real(predicted->value),
        "low_s", json_result_real(predicted->low), "high_s", json_result_real(predicted->high),
        "trials", measured ? json_integer((json_int_t)cell->measured.trials) : json_null(),
        "measured_s", measured ? json_result_real(cell->measured.times_s[time]) : json_null(),
        "covered",
        measured ? json_boolean(plan_prediction_cells_covered(cell, time)) : json_null());
}

static json_t *list_cells(const struct plan_prediction_cells *cells)
{
    json_t *list = json_array();
    for (size_t i = 0; i < cells->count; i++) {
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
            json_array_append_new(list, describe(&cells->list[i], time));
    }
    return list;
}

static json_t *list_sentences(const struct plan_prediction_cells *cells)
{
    struct json_sentences sentences;
    json_sentences_begin(&sentences);
    if (sentences.stream != NULL)
        plan_prediction_cells_explain(cells, sentences.stream);
    return json_sentences_end(&sentences);
}

enum error_kind plan_prediction_json_write(const struct plan_prediction_cells *cells,
                                           const char *folder, FILE *stream, struct error *error)
{
    const struct plan_prediction_score score = plan_prediction_cells_score(cells);
    const char *verdict =
        verdict_word(plan_prediction_score_passes(&score) ? VERDICT_HOLDS : VERDICT_FAILS);
    return json_result_write(
        json_pack("{s:s?, s:o, s:o, s:o, s:I, s:I, s:o}", "verdict",
                  cells->validates ? verdict : NULL, "folder", json_text(folder), "costs",
                  json_text(cells->costs_path), "cells", list_cells(cells), "intervals",
                  (json_int_t)score.count, "covered", (json_int_t)score.covered, "sentences",
                  list_sentences(cells)),
        "plan", stream, error);
}

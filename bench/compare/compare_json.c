// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/compare_json.h"

#include "bench/output/json_result.h"

static json_t *describe_run(const struct compared_runs *compared, size_t side)
{
    const struct compared_run *run = &compared->list[side];
    const char letter[] = {compared_runs_letter(side), '\0'};
    size_t timed = 0;
    for (size_t i = 0; i < run->count; i++)
        timed += run->trials[i].times_stand;
    const char base[] = {compared_runs_letter(run->base), '\0'};
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:I}", "run", letter, "label",
                     json_text(run->label), "folder", json_text(run->run->folder), "target",
                     json_text(run->target), "servers", (json_int_t)run->servers,
                     "zookeeper_version",
                     run->version != NULL ? json_text(run->version) : json_null(), "compared_with",
                     side > 0 ? json_string(base) : json_null(), "trials", (json_int_t)run->count,
                     "trials_timed", (json_int_t)timed, "trials_failed", (json_int_t)run->failed);
}

static json_t *mark_of(enum ratio_mark mark)
{
    return mark == RATIO_UNKNOWN ? json_null() : json_boolean(mark == RATIO_MARKED);
}

static json_t *describe_metric(const char *name, const struct ratio *ratio)
{
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "metric", name, "a",
        json_result_real(ratio->a.value), "a_low", json_result_real(ratio->a.low), "a_high",
        json_result_real(ratio->a.high), "b", json_result_real(ratio->b.value), "b_low",
        json_result_real(ratio->b.low), "b_high", json_result_real(ratio->b.high), "ratio",
        json_result_real(ratio->ratio.value), "ratio_low", json_result_real(ratio->ratio.low),
        "ratio_high", json_result_real(ratio->ratio.high), "trials_a", (json_int_t)ratio->trials_a,
        "trials_b", (json_int_t)ratio->trials_b, "marked", mark_of(ratio->mark));
}

static json_t *describe_cell(const struct ratios *ratios, const struct ratio_cell *cell)
{
    const char letter[] = {compared_runs_letter(cell->side), '\0'};
    json_t *metrics = json_array();
    for (int metric = 0; metric < RATIO_METRICS; metric++)
        json_array_append_new(
            metrics,
            describe_metric(ratios_name(ratios, (enum ratio_metric)metric), &cell->of[metric]));
    return json_pack("{s:s, s:I, s:s, s:o}", "recipe", cell->recipe, "clients",
                     (json_int_t)cell->clients, "run", letter, "metrics", metrics);
}

enum error_kind compare_json_write(const struct ratios *ratios,
                                   const struct compared_runs *compared, enum verdict verdict,
                                   const char *folder, FILE *stream, struct error *error)
{
    json_t *runs = json_array(), *cells = json_array();
    for (size_t i = 0; i < compared->count; i++)
        json_array_append_new(runs, describe_run(compared, i));
    for (size_t i = 0; i < ratios->count; i++)
        json_array_append_new(cells, describe_cell(ratios, &ratios->list[i]));
    return json_result_write(json_pack("{s:o, s:o, s:b, s:s, s:o}", "runs", runs, "cells", cells,
                                       "counts_are_exact", (int)ratios->exact, "verdict",
                                       verdict_word(verdict), "folder", json_text(folder)),
                             "compare", stream, error);
}

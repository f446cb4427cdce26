// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/text.h"
#include "bench/output/json_result.h"

#include <math.h>
#include <string.h>

#define PART_SIZE 300

static const char *limit_verdict_word(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS   ? "no worse"
           : verdict == VERDICT_FAILS ? "worse"
                                      : verdict_word(verdict);
}

/* A ratio in four columns at most; "-": it is not known. Returns text. */
const char *format_ratio(double ratio, char text[RATIO_SIZE])
{
    if (!isfinite(ratio))
        snprintf(text, RATIO_SIZE, "-");
    else if (ratio < 0.005)
        snprintf(text, RATIO_SIZE, "<.01");
    else if (ratio < 9.995)
        snprintf(text, RATIO_SIZE, "%.2f", ratio);
    else if (ratio < 9999.5)
        snprintf(text, RATIO_SIZE, "%.0f", ratio);
    else
        snprintf(text, RATIO_SIZE, ">1e4");
    return text;
}

/* What a ratio lacks, or shows. */
static void add_remark(const struct overall *of, char *text, size_t size)
{
    if (of->sizes == 0)
        text_append_clause(text, size, "no trial can be used on both sides");
    else if (!isfinite(of->ratio.low))
        text_append_clause(text, size, "an interval needs %d trials of each",
                           STATISTICS_TRIALS_MIN);
    else if (of->limit == NULL && of->ratio.low <= 1 && of->ratio.high >= 1)
        text_append_clause(text, size, "no difference shown");
    else if (of->verdict == VERDICT_UNDETERMINED && of->needed > 0)
        text_append_clause(text, size, "about %zu trials of each would decide, in 9 of 10 cases",
                           of->needed);
    else if (of->verdict == VERDICT_UNDETERMINED)
        text_append_clause(text, size, "too near the limit for %d trials of each",
                           STATISTICS_TRIALS_MOST);
}

/* Adds "scalable, C/A: handoff_p50_us: 1.81 times (95 % CI 1.60 to 2.04) over 3 of 3 sizes", or, of
 * a limit, "scalable: handoff p50 > 1.2: worse, 1.81 times …". */
static void add_ratio(struct comparison *cmp, const struct overall *of)
{
    const struct limit *limit = of->limit;
    size_t trials = of->trials_a < of->trials_b ? of->trials_a : of->trials_b;
    char subject[PART_SIZE], what[PART_SIZE], interval[80] = "", text[3 * PART_SIZE];
    char value[RATIO_SIZE], low[RATIO_SIZE], high[RATIO_SIZE];
    snprintf(subject, sizeof subject, "%.200s", of->group);
    if (cmp->side_count > 2)
        snprintf(subject, sizeof subject, "%.200s, %s/%s", of->group, of->side->letter,
                 of->side->base->letter);
    snprintf(what, sizeof what, "%s: ", cmp->metrics[of->metric].name);
    if (limit != NULL)
        snprintf(what, sizeof what, "%.200s: %s, ", limit->text, limit_verdict_word(of->verdict));
    if (isfinite(of->ratio.low))
        snprintf(interval, sizeof interval, " (%.3g %% CI %s to %s)", 100 * of->confidence,
                 format_ratio(of->ratio.low, low), format_ratio(of->ratio.high, high));
    int length = of->sizes == 0 ? snprintf(text, sizeof text, "%sno ratio", what)
                                : snprintf(text, sizeof text, "%s%s times%s over %zu of %zu sizes",
                                           what, format_ratio(of->ratio.value, value), interval,
                                           of->sizes, of->sizes + of->left_out);
    if (of->sizes == 1)
        snprintf(text + length, sizeof text - (size_t)length, ", %s %llu", cmp->size_word,
                 (unsigned long long)of->only);
    add_remark(of, text, sizeof text);
    findings_add(&cmp->findings,
                 &(struct finding){limit != NULL ? "limit" : "time", subject, of->verdict,
                                   of->ratio, .n = trials},
                 "%s: %s", subject, text);
}

/* "318", or "318 to 320" where the trials of one side differ already. */
static const char *format_range(const struct table_value *low, char text[PART_SIZE])
{
    int used = snprintf(text, PART_SIZE, "%.0f", low[0].real);
    if (low[1].real > low[0].real)
        snprintf(text + used, PART_SIZE - (size_t)used, " to %.0f", low[1].real);
    return text;
}

/* Counts that have to be equal: a finding for each one that is not, or one for all. */
static void add_counts(struct comparison *cmp)
{
    size_t counts = 0, compared = 0, differ = 0;
    char a[PART_SIZE], b[PART_SIZE];
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        const struct table_value *row = table_row(&cmp->rows, i);
        const char *recipe = row[ratio_recipe].text, *pair = row[ratio_pair].text;
        if (!cmp->metrics[i % cmp->metric_count].is_exact)
            continue;
        counts++;
        compared += row[ratio_marked].kind == TABLE_FLAG;
        if (!row[ratio_marked].flag)
            continue;
        differ++;
        findings_add(&cmp->findings,
                     &(struct finding){"counts", recipe, VERDICT_FAILS,
                                       FINDING_FIGURE(row[ratio_ratio].real),
                                       .n = row[ratio_trials_a].count + row[ratio_trials_b].count},
                     "%s, %s %llu: %s: %s in %c, %s in %c", recipe, cmp->size_word,
                     (unsigned long long)row[ratio_clients].count, row[ratio_metric].text,
                     format_range(&row[ratio_a_low], a), pair[2],
                     format_range(&row[ratio_b_low], b), pair[0]);
    }
    if (differ == 0 && compared > 0)
        findings_add(
            &cmp->findings,
            &(struct finding){"counts", "all", VERDICT_HOLDS, FINDING_NO_FIGURE, .n = compared},
            "counts are equal in %zu of %zu comparisons", compared, counts);
}

static void add_failed(struct comparison *cmp, const struct side *side)
{
    const struct table *trials = &side->trials;
    if (side->failed > 0)
        findings_add(&cmp->findings,
                     &(struct finding){"failed", side->letter, VERDICT_FAILS,
                                       FINDING_FIGURE((double)side->failed), "trials",
                                       trials->rows},
                     "%s: %zu of %zu trials fail and are left out; see 'reason' in %s/%s",
                     side->letter, side->failed, trials->rows, side->folder, trials->type->file);
}

void comparison_conclude(struct comparison *cmp)
{
    bool compared = false;
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        const struct table_value *row = table_row(&cmp->rows, i);
        compared |= row[ratio_trials_a].count > 0 && row[ratio_trials_b].count > 0;
    }
    for (size_t i = 0; i < cmp->overall_count; i++)
        add_ratio(cmp, &cmp->overall[i]);
    add_counts(cmp);
    for (size_t i = 0; i < cmp->side_count; i++)
        add_failed(cmp, &cmp->sides[i]);
    if (!compared)
        findings_add(
            &cmp->findings,
            &(struct finding){"nothing", "all", VERDICT_UNDETERMINED, FINDING_NO_FIGURE, .n = 0},
            "no cell has a usable trial on both sides");
    for (size_t i = 0; i < cmp->gate_count; i++)
        add_ratio(cmp, &cmp->gates[i]);
}

/* ------------------------------------------------------------------ JSON */

static json_t *sides_json(const struct comparison *cmp)
{
    json_t *list = json_array();
    for (size_t i = 0; i < cmp->side_count; i++) {
        const struct side *side = &cmp->sides[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:I, s:O?, s:o, s:o, s:I, s:I, s:I, s:I}", "run",
                            side->letter, "label", json_text(side->label), "folder",
                            json_text(side->folder), "target", json_text(side->target), "servers",
                            (json_int_t)side->servers, "zkherd_version",
                            json_object_get(side->manifest, "version"), "zookeeper_version",
                            json_result_text(side->version), "compared_with",
                            i > 0 ? json_string(side->base->letter) : json_null(), "trials",
                            (json_int_t)side->trials.rows, "trials_timed", (json_int_t)side->timed,
                            "trials_failed", (json_int_t)side->failed, "trials_disturbed",
                            (json_int_t)side->disturbed));
    }
    return list;
}

/* A list of metrics for each pair of a cell. */
static json_t *cells_json(const struct comparison *cmp)
{
    json_t *cells = json_array(), *metrics = NULL;
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        const struct table_value *row = table_row(&cmp->rows, i);
        if (i % cmp->metric_count == 0) {
            metrics = json_array();
            json_array_append_new(cells,
                                  json_pack("{s:o, s:I, s:o, s:s%, s:o}", "recipe",
                                            json_text(row[ratio_recipe].text), "clients",
                                            (json_int_t)row[ratio_clients].count, "at",
                                            json_result_text(row[ratio_at].text), "run",
                                            row[ratio_pair].text, (size_t)1, "metrics", metrics));
        }
        json_t *metric = json_object();
        json_result_set_row(metric, &ratio_table, row, ratio_metric, ratio_metric);
        json_result_set_row(metric, &ratio_table, row, ratio_a, ratio_marked);
        json_array_append_new(metrics, metric);
    }
    return cells;
}

/* Ratios of the main metric, or gates, which have a limit. */
static json_t *overall_json(const struct comparison *cmp, const struct overall *list, size_t count)
{
    json_t *objects = json_array();
    for (const struct overall *of = list; of < list + count; of++) {
        const struct limit *limit = of->limit;
        json_t *object =
            json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:f, s:I, s:I, s:I, s:I}", "recipe",
                      json_text(of->group), "run", of->side->letter, "metric",
                      cmp->metrics[of->metric].name, "ratio", json_result_real(of->ratio.value),
                      "ratio_low", json_result_real(of->ratio.low), "ratio_high",
                      json_result_real(of->ratio.high), "confidence", of->confidence, "sizes",
                      (json_int_t)of->sizes, "sizes_left_out", (json_int_t)of->left_out, "trials_a",
                      (json_int_t)of->trials_a, "trials_b", (json_int_t)of->trials_b);
        if (limit != NULL)
            json_object_update_new(
                object, json_pack("{s:o, s:o, s:o, s:s, s:o}", "fail_if", json_text(limit->text),
                                  "limit", json_result_real(limit->ratio), "size",
                                  json_result_count(limit->has_size ? (double)limit->size : NAN),
                                  "verdict", limit_verdict_word(of->verdict), "trials_needed",
                                  json_result_count(of->needed > 0 ? (double)of->needed : NAN)));
        json_array_append_new(objects, object);
    }
    return objects;
}

/* The keys of docs/schema/compare.schema.json, without verdict and folder. */
json_t *comparison_json(const struct comparison *cmp)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "runs", sides_json(cmp), "cells",
                     cells_json(cmp), "overall",
                     overall_json(cmp, cmp->overall, cmp->overall_count), "gates",
                     overall_json(cmp, cmp->gates, cmp->gate_count), "counts_are_exact",
                     (int)cmp->exact, "findings", json_result_rows(&cmp->findings));
}

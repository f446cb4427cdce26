// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/text.h"
#include "bench/output/json_result.h"

#include <math.h>
#include <string.h>

/* A longer label would fill a sentence: the side's letter stands for it. */
#define LABEL_IN_SENTENCE 24
#define PART_SIZE         300

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

/* "8 clients", "size 64". */
static const char *format_size(const struct comparison *cmp, uint64_t size, char text[PART_SIZE])
{
    char count[32];
    const char *word = cmp->size_word;
    bool is_plural = word[strlen(word) - 1] == 's';
    text_format_count(size, count, sizeof count);
    snprintf(text, PART_SIZE, "%s %s", is_plural ? count : word, is_plural ? word : count);
    return text;
}

/* Adds "scalable, C/A: WORDS (95 % CI 1.60 to 2.04) over 3 sizes; MORE": the pair of more than two
 * sides, the interval if there is one, and what the ratio is over. */
static void add_ratio(struct comparison *cmp, const char *slug, enum verdict verdict,
                      const struct overall *of, const char *words, const char *more)
{
    char subject[PART_SIZE], interval[80] = "", over[PART_SIZE] = "", size[PART_SIZE];
    char low[RATIO_SIZE], high[RATIO_SIZE], all[32] = "";
    size_t trials = of->trials_a < of->trials_b ? of->trials_a : of->trials_b;
    snprintf(subject, sizeof subject, "%.200s", of->group);
    if (cmp->side_count > 2)
        snprintf(subject, sizeof subject, "%.200s, %s/%s", of->group, of->side->letter,
                 of->side->base->letter);
    if (isfinite(of->ratio.low))
        snprintf(interval, sizeof interval, " (%.3g %% CI %s to %s)", 100 * of->confidence,
                 format_ratio(of->ratio.low, low), format_ratio(of->ratio.high, high));
    if (of->left_out > 0)
        snprintf(all, sizeof all, " of %zu", of->sizes + of->left_out);
    if (of->sizes == 1)
        snprintf(over, sizeof over, " at %.200s", format_size(cmp, of->only, size));
    else if (of->sizes > 1)
        snprintf(over, sizeof over, " over %zu%s sizes", of->sizes, all);
    findings_add(&cmp->findings, &(struct finding){slug, subject, verdict, of->ratio, .n = trials},
                 "%s: %s%s%s%s", subject, words, interval, over, more);
}

/* Adds the ratio of the main metric, which is a time. A side is named by its number of servers, if
 * no other side has as many, or else by its label, or by its letter. */
static void add_time(struct comparison *cmp, const struct overall *overall)
{
    const struct metric *metric = &cmp->metrics[overall->metric];
    const struct interval *ratio = &overall->ratio;
    const struct side *side = overall->side;
    bool is_known = isfinite(ratio->low), is_marked = ratio->low > 1 || ratio->high < 1;
    char name[PART_SIZE], words[4 * PART_SIZE], value[RATIO_SIZE];
    snprintf(name, sizeof name, "%llu server%s", (unsigned long long)side->servers,
             text_plural(side->servers));
    for (size_t i = 0; i < cmp->side_count; i++) {
        if (&cmp->sides[i] != side && cmp->sides[i].servers == side->servers)
            snprintf(name, sizeof name, "%.200s",
                     strlen(side->label) <= LABEL_IN_SENTENCE ? side->label : side->letter);
    }
    if (overall->sizes == 0)
        snprintf(words, sizeof words, "no times can be compared on %s", name);
    else
        snprintf(words, sizeof words, "%s%s%s%s takes %s %s on %s",
                 is_known && !is_marked ? "no difference shown: " : "",
                 cmp->is_of_runs ? "the median handoff" : metric->over,
                 cmp->is_of_runs || metric->title[0] == '\0' ? "" : " ",
                 cmp->is_of_runs ? "" : metric->title, format_ratio(ratio->value, value),
                 is_marked && ratio->value < 1 ? "of the time" : "times as long", name);
    add_ratio(cmp, "time", VERDICT_MEASURED, overall, words,
              is_known || overall->sizes == 0 ? "" : "; too few trials for an interval");
}

static void add_limit(struct comparison *cmp, const struct limit_result *result)
{
    const struct overall *overall = &result->overall;
    char words[2 * PART_SIZE], value[RATIO_SIZE], most[32], more[80] = "";
    snprintf(words, sizeof words, "%.200s: %s, %s times", result->limit->text,
             limit_verdict_word(result->verdict), format_ratio(overall->ratio.value, value));
    if (overall->sizes == 0)
        snprintf(words, sizeof words, "%.200s: undetermined, no trial can be used on both sides",
                 result->limit->text);
    else if (result->verdict == VERDICT_UNDETERMINED && !isfinite(overall->ratio.low))
        snprintf(more, sizeof more, "; an interval needs %zu trials of each at a size",
                 result->needed);
    else if (result->verdict == VERDICT_UNDETERMINED && result->needed > 0)
        snprintf(more, sizeof more, "; about %zu trials of each would decide, in 9 of 10 cases",
                 result->needed);
    else if (result->verdict == VERDICT_UNDETERMINED)
        snprintf(more, sizeof more, "; too near the limit for %s trials of each",
                 text_format_count(STATISTICS_TRIALS_MOST, most, sizeof most));
    add_ratio(cmp, "limit", result->verdict, overall, words, more);
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
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        const struct table_value *row = table_row(&cmp->rows, i);
        const char *recipe = row[ratio_recipe].text, *pair = row[ratio_pair].text;
        char size[PART_SIZE], a[PART_SIZE], b[PART_SIZE];
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
                     "%s, %s: %s: %s in %c, %s in %c", recipe,
                     format_size(cmp, row[ratio_clients].count, size), row[ratio_metric].text,
                     format_range(&row[ratio_a_low], a), pair[2],
                     format_range(&row[ratio_b_low], b), pair[0]);
    }
    if (differ == 0 && compared > 0)
        findings_add(
            &cmp->findings,
            &(struct finding){"counts", "all", VERDICT_HOLDS, FINDING_NO_FIGURE, .n = compared},
            "counts are equal in %zu of %zu comparisons", compared, counts);
}

/* Adds the answers of a plan: the largest size that passed. */
static void add_answers(struct comparison *cmp, const struct side *side)
{
    const struct table *answers = &side->answers;
    for (size_t i = 0; i < answers->rows; i++) {
        const struct table_value *row = table_row(answers, i);
        const char *recipe = row[kind_column(answers->type, "recipe")].text,
                   *unknown = row[kind_column(answers->type, "unknown")].text;
        double passed = table_number(&row[kind_column(answers->type, "passed")]);
        char count[32] = "none";
        if (passed > 0)
            text_format_count((uint64_t)passed, count, sizeof count);
        findings_add(&cmp->findings,
                     &(struct finding){"answer", recipe, VERDICT_MEASURED, FINDING_FIGURE(passed),
                                       unknown, 0},
                     "%s, %s: %s %s passed", recipe, side->letter, count,
                     unknown != NULL ? unknown : "");
    }
}

void comparison_conclude(struct comparison *cmp)
{
    bool compared = false;
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        const struct table_value *row = table_row(&cmp->rows, i);
        compared |= row[ratio_trials_a].count > 0 && row[ratio_trials_b].count > 0;
    }
    for (size_t i = 0; i < cmp->overall_count; i++)
        add_time(cmp, &cmp->overall[i]);
    for (size_t i = 0; i < cmp->side_count; i++)
        add_answers(cmp, &cmp->sides[i]);
    add_counts(cmp);
    for (size_t i = 0; i < cmp->side_count; i++) {
        const struct side *side = &cmp->sides[i];
        size_t rows = side->run.trials.rows;
        if (side->failed > 0)
            findings_add(&cmp->findings,
                         &(struct finding){"failed", side->letter, VERDICT_FAILS,
                                           FINDING_FIGURE((double)side->failed), "trials", rows},
                         "%s: %zu of %zu trials fail and are left out; see 'reason' in %s/%s",
                         side->letter, side->failed, rows, side->run.folder,
                         side->run.trials.type->file);
    }
    if (!compared)
        findings_add(
            &cmp->findings,
            &(struct finding){"nothing", "all", VERDICT_UNDETERMINED, FINDING_NO_FIGURE, .n = 0},
            "no cell has a usable trial on both sides");
    for (size_t i = 0; i < cmp->result_count; i++)
        add_limit(cmp, &cmp->results[i]);
}

static json_t *sides_json(const struct comparison *cmp)
{
    json_t *list = json_array();
    for (size_t i = 0; i < cmp->side_count; i++) {
        const struct side *side = &cmp->sides[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "run",
                      side->letter, "label", json_text(side->label), "folder",
                      json_text(side->run.folder), "target", json_text(side->target), "servers",
                      (json_int_t)side->servers, "zkherd_version", json_result_text(side->zkherd),
                      "zookeeper_version", json_result_text(side->version), "compared_with",
                      i > 0 ? json_string(side->base->letter) : json_null(), "trials",
                      (json_int_t)side->run.trials.rows, "trials_timed", (json_int_t)side->timed,
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

static json_t *overall_json(const struct comparison *cmp, const struct overall *overall)
{
    json_t *object = json_pack("{s:o, s:s, s:s}", "recipe", json_text(overall->group), "run",
                               overall->side->letter, "metric", cmp->metrics[overall->metric].name);
    json_result_set_interval(object, "ratio", &overall->ratio);
    json_result_set_real(object, "confidence", overall->confidence);
    json_object_set_new(object, "sizes", json_integer((json_int_t)overall->sizes));
    json_object_set_new(object, "sizes_left_out", json_integer((json_int_t)overall->left_out));
    json_object_set_new(object, "trials_a", json_integer((json_int_t)overall->trials_a));
    json_object_set_new(object, "trials_b", json_integer((json_int_t)overall->trials_b));
    return object;
}

/* The keys of docs/schema/compare.schema.json, without verdict and folder. */
json_t *comparison_json(const struct comparison *cmp)
{
    json_t *overall = json_array(), *gates = json_array();
    for (size_t i = 0; i < cmp->overall_count; i++)
        json_array_append_new(overall, overall_json(cmp, &cmp->overall[i]));
    for (size_t i = 0; i < cmp->result_count; i++) {
        const struct limit_result *result = &cmp->results[i];
        const struct limit *limit = result->limit;
        json_t *gate = overall_json(cmp, &result->overall);
        json_object_set_new(gate, "fail_if", json_text(limit->text));
        json_object_set_new(gate, "limit", json_result_real(limit->ratio));
        json_object_set_new(gate, "size",
                            json_result_count(limit->has_size ? (double)limit->size : NAN));
        json_object_set_new(gate, "verdict", json_string(limit_verdict_word(result->verdict)));
        json_object_set_new(gate, "trials_needed",
                            json_result_count(result->needed > 0 ? (double)result->needed : NAN));
        json_array_append_new(gates, gate);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "runs", sides_json(cmp), "cells",
                     cells_json(cmp), "overall", overall, "gates", gates, "counts_are_exact",
                     (int)cmp->exact, "findings", json_result_rows(&cmp->findings));
}

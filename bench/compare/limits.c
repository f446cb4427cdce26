// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The recommended trials decide about a ratio this far from the limit, in this share of cases. */
#define FAR_FROM_LIMIT 1.2
#define POWER          0.9

/* False for a text that is no limit, whatever its metric. *limit points to the text. */
bool limit_parse(const char *text, struct limit *limit)
{
    const char *sign = strpbrk(text, "<>");
    char *end, digits[24], rest;
    *limit = (struct limit){.text = text};
    size_t length = sign != NULL ? (size_t)(sign - text) : 0;
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
        length--;
    if (length == 0)
        return false;
    snprintf(limit->metric, sizeof limit->metric, "%.*s", (int)length, text);
    limit->below = *sign == '<';
    sign += sign[1] == '=' ? 2 : 1;
    sign += strspn(sign, " \t");
    limit->ratio = strtod(sign, &end);
    if (!isdigit((unsigned char)*sign) || !isfinite(limit->ratio) || limit->ratio <= 0 ||
        (*end != '\0' && *end != ' ' && *end != '\t'))
        return false;
    end += strspn(end, " \t");
    limit->has_size = *end != '\0';
    return !limit->has_size || (sscanf(end, "at n=%20[0-9]%c", digits, &rest) == 1 &&
                                text_parse_number(digits, 0, UINT64_MAX, &limit->size));
}

/* Whether a metric's name has these words, with or without its unit, and any marks between them. */
static bool is_called(const char *name, const char *words)
{
    static const char *const units[] = {
        "", "_us_per_handoff", "_per_handoff", "_per_s", "_us", "_ms", "_s"};
    for (; *words != '\0'; words++) {
        if (strchr(" \t_", *words) != NULL)
            continue;
        name += *name == '_';
        if (*name++ != tolower((unsigned char)*words))
            return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(name, units[i]) == 0)
            return true;
    }
    return false;
}

/* ERROR_USAGE, with the names of all metrics: there is none of this name. */
static enum error_kind find_metric(const struct comparison *cmp, const char *word, size_t *metric,
                                   struct error *error)
{
    char names[400] = "";
    for (size_t i = 0; i < cmp->metric_count; i++) {
        *metric = i;
        if (is_called(cmp->metrics[i].name, word))
            return ERROR_NONE;
        text_append_clause(names, sizeof names, "%s", cmp->metrics[i].name);
    }
    return error_raise(error, ERROR_USAGE, 0, "--fail-if", "no metric of %s is called '%s': %s",
                       cmp->kind->word, word, names);
}

/* Adds a result for each group and side that has a cell of the limit. Of several operands the
 * topologies of the first are not each other's regression. */
static enum error_kind add_results(struct comparison *cmp, const struct limit *limit,
                                   struct error *error)
{
    bool several = cmp->sides[cmp->side_count - 1].operand > 0;
    size_t before = cmp->result_count, metric = 0;
    char size[24];
    enum error_kind kind = find_metric(cmp, limit->metric, &metric, error);
    if (kind != ERROR_NONE)
        return kind;
    for (size_t i = 0; i < cmp->overall_count; i++) {
        const struct overall *of = &cmp->overall[i];
        struct limit_result result = {.limit = limit,
                                      .overall = overall_of(cmp, of->group, of->side, metric,
                                                            limit->has_size ? &limit->size : NULL)};
        if (result.overall.shared == 0 || (several && of->side->operand == 0))
            continue;
        cmp->results = memory_grow(cmp->results, cmp->result_count, sizeof *cmp->results);
        cmp->results[cmp->result_count++] = result;
    }
    if (cmp->result_count > before)
        return ERROR_NONE;
    snprintf(size, sizeof size, "%llu", (unsigned long long)limit->size);
    return error_raise(error, ERROR_USAGE, 0, "--fail-if",
                       "n=%s is not in two results that are compared",
                       limit->has_size ? size : "any");
}

static void judge(struct limit_result *result)
{
    const struct limit *limit = result->limit;
    const struct overall *overall = &result->overall;
    double low = overall->ratio.low, high = overall->ratio.high;
    bool worse = limit->below ? high < limit->ratio : low > limit->ratio;
    bool no_worse = limit->below ? low >= limit->ratio : high <= limit->ratio;
    result->verdict = worse ? VERDICT_FAILS : no_worse ? VERDICT_HOLDS : VERDICT_UNDETERMINED;
    if (result->verdict != VERDICT_UNDETERMINED)
        return;
    double from_limit = fabs(overall->contrast.log_ratio - log(limit->ratio));
    result->needed =
        isnan(overall->contrast.variance)
            ? STATISTICS_TRIALS_MIN
            : statistics_trials_needed(&overall->contrast, fmin(from_limit, log(FAR_FROM_LIMIT)),
                                       overall->confidence, POWER);
}

/* ERROR_USAGE: a limit is of no metric, or of no size that both sides of a pair have. */
enum error_kind comparison_judge_limits(struct comparison *cmp, const struct limit *limits,
                                        size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        enum error_kind kind = add_results(cmp, &limits[i], error);
        if (kind != ERROR_NONE)
            return kind;
    }
    /* All verdicts are to hold at once. */
    for (size_t i = 0; i < cmp->result_count; i++) {
        struct limit_result *result = &cmp->results[i];
        overall_set_confidence(&result->overall, 1 - (1 - CONFIDENCE) / (double)cmp->result_count);
        judge(result);
    }
    return ERROR_NONE;
}

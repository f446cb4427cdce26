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
    const char *sign = text + strcspn(text, "<>");
    size_t length = (size_t)(sign - text), blanks;
    char *end, digits[24], rest;
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
        length--;
    *limit = (struct limit){.text = text, .below = *sign == '<'};
    snprintf(limit->metric, sizeof limit->metric, "%.*s", (int)length, text);
    if (*sign == '\0' || length == 0)
        return false;
    text = sign + (sign[1] == '=' ? 2 : 1);
    text += strspn(text, " \t");
    limit->ratio = strtod(text, &end);
    blanks = strspn(end, " \t");
    limit->has_size = end[blanks] != '\0';
    return isdigit((unsigned char)*text) && isfinite(limit->ratio) && limit->ratio > 0 &&
           (!limit->has_size ||
            (blanks > 0 && sscanf(end + blanks, "at n=%20[0-9]%c", digits, &rest) == 1 &&
             text_parse_number(digits, 0, UINT64_MAX, &limit->size)));
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
                       cmp->kind->type->file, word, names);
}

/* Adds a gate for each group and side that has a cell of the limit. Of several operands the
 * topologies of the first are not each other's regression. */
static enum error_kind add_gates(struct comparison *cmp, const struct limit *limit,
                                 struct error *error)
{
    bool several = cmp->sides[cmp->side_count - 1].operand > 0;
    size_t before = cmp->gate_count, metric = 0;
    char size[24] = "any";
    enum error_kind kind = find_metric(cmp, limit->metric, &metric, error);
    for (size_t i = 0; kind == ERROR_NONE && i < cmp->overall_count; i++) {
        const struct overall *of = &cmp->overall[i];
        const struct overall gate = overall_of(cmp, of->group, of->side, metric, limit);
        if (gate.shared == 0 || (several && of->side->operand == 0))
            continue;
        cmp->gates = memory_grow(cmp->gates, cmp->gate_count, sizeof *cmp->gates);
        cmp->gates[cmp->gate_count++] = gate;
    }
    if (kind != ERROR_NONE || cmp->gate_count > before)
        return kind;
    if (limit->has_size)
        snprintf(size, sizeof size, "%llu", (unsigned long long)limit->size);
    return error_raise(error, ERROR_USAGE, 0, "--fail-if",
                       "n=%s is not in two results that are compared", size);
}

static void judge(struct overall *gate)
{
    const struct limit *limit = gate->limit;
    double low = gate->ratio.low, high = gate->ratio.high;
    bool worse = limit->below ? high < limit->ratio : low > limit->ratio;
    bool no_worse = limit->below ? low >= limit->ratio : high <= limit->ratio;
    gate->verdict = worse ? VERDICT_FAILS : no_worse ? VERDICT_HOLDS : VERDICT_UNDETERMINED;
    if (gate->verdict != VERDICT_UNDETERMINED)
        return;
    double from_limit = fabs(gate->contrast.log_ratio - log(limit->ratio));
    gate->needed =
        isnan(gate->contrast.variance)
            ? STATISTICS_TRIALS_MIN
            : statistics_trials_needed(&gate->contrast, fmin(from_limit, log(FAR_FROM_LIMIT)),
                                       gate->confidence, POWER);
}

/* ERROR_USAGE: a limit is of no metric, or of no size that both sides of a pair have. */
enum error_kind comparison_judge_limits(struct comparison *cmp, const struct limit *limits,
                                        size_t count, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = add_gates(cmp, &limits[i], error);
    overall_set_confidences(cmp->gates, cmp->gate_count);
    for (size_t i = 0; i < cmp->gate_count; i++)
        judge(&cmp->gates[i]);
    return kind;
}

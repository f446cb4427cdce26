// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAMMAR                                                                                    \
    "expected METRIC > RATIO or METRIC < RATIO, and 'at n=SIZE' behind for one size, such as "     \
    "'handoff p50 > 1.2'"

/* A ratio this far from the limit is to be decided with the trials that are recommended, in so many
 * of all cases. */
#define FAR_FROM_LIMIT 1.2
#define POWER          0.9

/* ------------------------------------------------------------------ parsing */

static bool refuse(char *why, size_t size, const char *what)
{
    snprintf(why, size, "%s; " GRAMMAR, what);
    return false;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* "at n=16", or nothing. */
static bool parse_size(const char *text, struct gate *gate)
{
    if (*text == '\0')
        return true;
    if (strncmp(text, "at", 2) != 0)
        return false;
    text = skip_blanks(text + 2);
    gate->has_size = true;
    return strncmp(text, "n=", 2) == 0 && text_parse_number(text + 2, 0, UINT64_MAX, &gate->size);
}

bool gate_parse(const char *text, struct gate *gate, char *why, size_t size)
{
    const char *sign = strpbrk(text, "<>");
    char metric[METRIC_NAME_SIZE], *end;
    *gate = (struct gate){.text = text};
    snprintf(metric, sizeof metric, "%.*s", sign != NULL ? (int)(sign - text) : 0, text);
    if (sign == NULL || sscanf(metric, " %63s", gate->metric) != 1)
        return refuse(why, size, "a metric, or its sign, is missing");
    /* Blanks are as good as what joins the words of a column. */
    size_t length = 0;
    for (const char *word = skip_blanks(metric); *word != '\0'; word++) {
        bool is_blank = *word == ' ' || *word == '\t';
        if (!is_blank || (gate->metric[length - 1] != '_' && *skip_blanks(word) != '\0'))
            gate->metric[length++] = is_blank ? '_' : (char)tolower((unsigned char)*word);
    }
    gate->metric[length] = '\0';
    gate->below = *sign == '<';
    const char *number = skip_blanks(sign[1] == '=' ? sign + 2 : sign + 1);
    gate->limit = strtod(number, &end);
    if (end == number || !isdigit((unsigned char)*number) || !isfinite(gate->limit) ||
        gate->limit <= 0 || (*end != '\0' && *end != ' ' && *end != '\t'))
        return refuse(why, size,
                      "there is no ratio such as 1.2 behind the sign: how many times A's");
    if (!parse_size(skip_blanks(end), gate))
        return refuse(why, size, "what is behind the ratio is not 'at n=SIZE'");
    return true;
}

/* ------------------------------------------------------------------ what it is of */

/* The length of a metric's name without its unit. */
static size_t length_of(const char *name)
{
    static const char *const units[] = {
        "_us_per_handoff", "_per_handoff", "_per_s", "_us", "_ms", "_s"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t unit = strlen(units[i]);
        if (length > unit && strcmp(name + length - unit, units[i]) == 0)
            return length - unit;
    }
    return length;
}

/* By its name, with or without its unit; SIZE_MAX: there is none. */
static size_t find_metric(const struct comparison *comparison, const char *word)
{
    for (size_t i = 0; i < comparison->metric_count; i++) {
        const char *name = comparison->metrics[i].name;
        if (strcmp(name, word) == 0 ||
            (length_of(name) == strlen(word) && strncmp(name, word, strlen(word)) == 0))
            return i;
    }
    return SIZE_MAX;
}

static enum error_kind refuse_metric(const struct comparison *comparison, const struct gate *gate,
                                     struct error *error)
{
    char names[600] = "";
    for (size_t i = 0; i < comparison->metric_count; i++) {
        char name[METRIC_NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)length_of(comparison->metrics[i].name),
                 comparison->metrics[i].name);
        for (char *sign = name; *sign != '\0'; sign++)
            *sign = *sign == '_' ? ' ' : *sign;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 name);
    }
    return error_raise(error, ERROR_USAGE, 0, "--fail-if", "no metric of %s is called '%s': %s",
                       comparison->kind->word, gate->metric, names);
}

static bool is_shared(const struct place *place, const struct side *side,
                      const struct comparison *comparison)
{
    return place->of[side - comparison->sides] != NULL &&
           place->of[side->base - comparison->sides] != NULL;
}

/* Whether a group has a place for the gate that both sides have. Of several operands the topologies
 * of the first are not each other's regression. */
static bool applies(const struct comparison *comparison, const struct gate *gate, const char *group,
                    const struct side *side)
{
    bool several = comparison->sides[comparison->side_count - 1].operand > 0;
    if (several && side->operand == 0)
        return false;
    for (size_t i = 0; i < comparison->place_count; i++) {
        const struct place *place = &comparison->places[i];
        if (strcmp(place->group, group) == 0 && (!gate->has_size || place->size == gate->size) &&
            is_shared(place, side, comparison))
            return true;
    }
    return false;
}

/* The sizes that some pair shares, each once. */
static enum error_kind refuse_size(const struct comparison *comparison, const struct gate *gate,
                                   struct error *error)
{
    struct growing_text shared = {0};
    for (size_t i = 0; i < comparison->place_count; i++) {
        const struct place *place = &comparison->places[i];
        bool told = false;
        for (size_t j = 0; j < i; j++)
            told = told || comparison->places[j].size == place->size;
        for (size_t side = 1; side < comparison->side_count && !told; side++) {
            if (is_shared(place, &comparison->sides[side], comparison)) {
                growing_text_add(&shared, "%s%llu", shared.length > 0 ? ", " : "",
                                 (unsigned long long)place->size);
                told = true;
            }
        }
    }
    enum error_kind kind = shared.length == 0
                               ? error_raise(error, ERROR_USAGE, 0, "--fail-if",
                                             "no size is in two results that are compared")
                               : error_raise(error, ERROR_USAGE, 0, "--fail-if",
                                             "n=%llu is not in both results: %.200s are",
                                             (unsigned long long)gate->size, shared.text);
    free(shared.text);
    return kind;
}

/* ------------------------------------------------------------------ judging */

static void judge(struct gate_result *result)
{
    const struct gate *gate = result->gate;
    const struct overall *overall = &result->overall;
    double low = overall->ratio.low, high = overall->ratio.high;
    bool worse = gate->below ? high < gate->limit : low > gate->limit;
    bool no_worse = gate->below ? low >= gate->limit : high <= gate->limit;
    result->verdict = worse ? GATE_WORSE : no_worse ? GATE_NO_WORSE : GATE_UNDETERMINED;
    if (result->verdict != GATE_UNDETERMINED)
        return;
    double from_limit = fabs(overall->contrast.log_ratio - log(gate->limit));
    result->needed =
        isnan(overall->contrast.variance)
            ? STATISTICS_TRIALS_MIN
            : statistics_trials_needed(&overall->contrast, fmin(from_limit, log(FAR_FROM_LIMIT)),
                                       overall->confidence, POWER);
}

static void add_results(struct comparison *comparison, const struct gate *gate, size_t metric)
{
    for (size_t i = 0; i < comparison->place_count; i++) {
        const char *group = comparison->places[i].group;
        for (size_t side = 1; side < comparison->side_count && comparison_begins(comparison, i);
             side++) {
            if (!applies(comparison, gate, group, &comparison->sides[side]))
                continue;
            comparison->results = memory_grow(comparison->results, comparison->result_count,
                                              sizeof *comparison->results);
            comparison->results[comparison->result_count++] = (struct gate_result){
                .gate = gate,
                .overall = {.group = group, .side = &comparison->sides[side], .metric = metric}};
        }
    }
}

enum error_kind comparison_judge(struct comparison *comparison, const struct gate *gates,
                                 size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = comparison->result_count, metric = find_metric(comparison, gates[i].metric);
        if (metric == SIZE_MAX)
            return refuse_metric(comparison, &gates[i], error);
        add_results(comparison, &gates[i], metric);
        if (comparison->result_count == before)
            return refuse_size(comparison, &gates[i], error);
    }
    /* All verdicts are to hold at once. */
    double confidence = 1 - (1 - CONFIDENCE) / (double)comparison->result_count;
    for (size_t i = 0; i < comparison->result_count; i++) {
        struct gate_result *result = &comparison->results[i];
        const struct gate *gate = result->gate;
        result->overall = comparison_over(comparison, result->overall.group, result->overall.side,
                                          result->overall.metric,
                                          gate->has_size ? &gate->size : NULL, confidence);
        judge(result);
    }
    return ERROR_NONE;
}

enum verdict comparison_gates(const struct comparison *comparison)
{
    enum verdict worst = VERDICT_HOLDS;
    for (size_t i = 0; i < comparison->result_count; i++) {
        enum gate_verdict verdict = comparison->results[i].verdict;
        if (verdict == GATE_WORSE)
            return VERDICT_FAILS;
        if (verdict == GATE_UNDETERMINED)
            worst = VERDICT_UNDETERMINED;
    }
    return worst;
}

/* ------------------------------------------------------------------ words */

const char *gate_verdict_word(enum gate_verdict verdict)
{
    static const char *const words[] = {
        [GATE_NO_WORSE] = "no worse", [GATE_WORSE] = "worse", [GATE_UNDETERMINED] = "undetermined"};
    return words[verdict];
}

static void say_needed(const struct gate_result *result, struct growing_text *sentence)
{
    char most[32];
    if (!isfinite(result->overall.ratio.low))
        growing_text_add(sentence,
                         "; too few trials for an interval: at least %zu of each at a size",
                         result->needed);
    else if (result->needed > 0)
        growing_text_add(sentence, "; about %zu trials of each would decide, in 9 of 10 cases",
                         result->needed);
    else
        growing_text_add(sentence,
                         "; the ratio is too near the limit: more than %s trials of each would be "
                         "needed",
                         text_format_count(STATISTICS_TRIALS_MOST, most, sizeof most));
}

void gate_say(const struct comparison *comparison, const struct gate_result *result,
              struct growing_text *sentence)
{
    const struct overall *overall = &result->overall;
    char ratio[RATIO_SIZE];
    growing_text_add(sentence, "%s: %s, %s/%s: %s: ", result->gate->text, overall->group,
                     overall->side->letter, overall->side->base->letter,
                     gate_verdict_word(result->verdict));
    if (overall->sizes == 0) {
        growing_text_add(sentence, "no trial can be used on both sides");
        return;
    }
    growing_text_add(sentence, "%s times", ratio_put(overall->ratio.value, ratio));
    say_interval(sentence, overall);
    say_sizes(sentence, comparison, overall);
    if (result->verdict == GATE_UNDETERMINED)
        say_needed(result, sentence);
}

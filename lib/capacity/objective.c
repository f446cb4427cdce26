// SPDX-License-Identifier: Apache-2.0
#include "capacity/objective.h"

#include "base/text.h"
#include "measure/histogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The bounds of the percentiles, in hundredths. */
#define PERCENTILE_LEAST 5000
#define PERCENTILE_MOST  9990
#define RATE_MOST_PER_S  UINT64_C(1000000000)

const char *const objective_metric_words[] = {
#define X(name, word) [OBJECTIVE_##name] = word,
    OBJECTIVE_METRIC_LIST(X)
#undef X
};

bool objective_is_rate(const struct objective *objective)
{
    return objective->metric == OBJECTIVE_HANDOFFS;
}

double objective_percent(const struct objective *objective)
{
    return (double)objective->percentile_hundredths / 100;
}

double objective_share(const struct objective *objective)
{
    return (10000 - objective->percentile_hundredths) / 1e4;
}

/* Splits "handoff p99 < 50 ms" into metric, percentile ("" of a rate), sign, number and unit. */
static bool split(const char *text, char metric[16], char percentile[8], char *sign,
                  char number[24], char unit[8])
{
    int length = 0;
    char rest;
    percentile[0] = '\0';
    if (sscanf(text, " %15[a-z] %n", metric, &length) != 1)
        return false;
    text += length;
    if (sscanf(text, "p%7[0-9.] %n", percentile, &length) == 1)
        text += length;
    *sign = *text;
    if (*sign == '\0')
        return false;
    text += text[1] == '=' ? 2 : 1;
    return sscanf(text, " %23[0-9.] %7[a-z/] %c", number, unit, &rest) == 2;
}

bool objective_parse(const char *text, struct objective *objective)
{
    struct objective parsed = {.metric = 0};
    char metric[16], percentile[8], sign, number[24], unit[8], limit[32];
    uint64_t hundredths;
    if (!split(text, metric, percentile, &sign, number, unit))
        return false;
    while (parsed.metric < OBJECTIVE_METRICS &&
           strcmp(metric, objective_metric_words[parsed.metric]) != 0)
        parsed.metric++;
    snprintf(limit, sizeof limit, "%s%s", number, unit);
    if (parsed.metric == OBJECTIVE_METRICS)
        return false;
    if (objective_is_rate(&parsed)) {
        if (sign != '>' || percentile[0] != '\0' || strcmp(unit, "/s") != 0 ||
            !text_parse_number(number, 1, RATE_MOST_PER_S, &parsed.least_per_s))
            return false;
    } else {
        if (sign != '<' ||
            !text_parse_hundredths(percentile, PERCENTILE_LEAST, PERCENTILE_MOST, &hundredths) ||
            !text_parse_duration(limit, &parsed.limit_ns) ||
            parsed.limit_ns < HISTOGRAM_LOWEST_NS || parsed.limit_ns > HISTOGRAM_HIGHEST_NS)
            return false;
        parsed.percentile_hundredths = (uint32_t)hundredths;
    }
    *objective = parsed;
    return true;
}

/* The limit has the largest unit that it is not below, and all its digits: nothing is rounded. */
const char *objective_format(const struct objective *objective, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    const char *word = objective_metric_words[objective->metric];
    double limit = (double)objective->limit_ns;
    int unit = 0;
    for (; unit < 3 && limit >= 1000; limit /= 1000)
        unit++;
    if (objective_is_rate(objective))
        snprintf(text, size, "%s > %" PRIu64 "/s", word, objective->least_per_s);
    else
        snprintf(text, size, "%s p%g < %.12g%s", word, objective_percent(objective), limit,
                 units[unit]);
    return text;
}

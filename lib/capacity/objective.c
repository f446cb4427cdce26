// SPDX-License-Identifier: Apache-2.0
#include "capacity/objective.h"

#include "base/text.h"
#include "measure/histogram.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The bounds of the percentiles, in hundredths. */
#define PERCENTILE_LEAST 5000
#define PERCENTILE_MOST  9990
#define RATE_MOST_PER_S  UINT64_C(1000000000)
#define BLANKS           " \t"

static const char *const words[] = {
#define X(name, word) [OBJECTIVE_##name] = word,
    OBJECTIVE_METRIC_LIST(X)
#undef X
};

const char *objective_metric_word(enum objective_metric metric)
{
    return words[metric];
}

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

struct reason {
    char *text;
    size_t size;
};

/* Always false: what a parser returns. */
static bool refuse(const struct reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct reason *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(reason->text, reason->size, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < reason->size)
        snprintf(reason->text + length, reason->size - (size_t)length, "; %s", OBJECTIVE_GRAMMAR);
    return false;
}

/* Copies what precedes the next of the characters in `ends`, without the blanks around it, and
 * moves *text to that character. A word that does not fit becomes "". */
static void take(const char **text, const char *ends, char *word, size_t size)
{
    *text += strspn(*text, BLANKS);
    size_t reach = strcspn(*text, ends), length = reach;
    while (length > 0 && strchr(BLANKS, (*text)[length - 1]) != NULL)
        length--;
    length = length < size ? length : 0;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += reach;
    *text += strspn(*text, BLANKS);
}

static bool take_metric(const char **text, enum objective_metric *metric,
                        const struct reason *reason)
{
    char word[24];
    take(text, BLANKS "<>", word, sizeof word);
    for (int i = 0; i < (int)OBJECTIVE_METRICS; i++) {
        if (strcmp(word, words[i]) == 0) {
            *metric = (enum objective_metric)i;
            return true;
        }
    }
    return refuse(reason, "no metric is called '%s'", word);
}

static bool take_percentile(const char **text, uint32_t *hundredths, const struct reason *reason)
{
    char word[24];
    uint64_t number;
    take(text, BLANKS "<>", word, sizeof word);
    if (word[0] != 'p' ||
        !text_parse_hundredths(word + 1, PERCENTILE_LEAST, PERCENTILE_MOST, &number))
        return refuse(reason, "'%s' is not a percentile from p50 to p99.9", word);
    *hundredths = (uint32_t)number;
    return true;
}

static bool take_sign(const char **text, char sign, const struct reason *reason)
{
    if (**text != sign)
        return refuse(reason, "the sign '%c' is missing", sign);
    (*text)++;
    return true;
}

static bool take_limit(const char *text, uint64_t *limit_ns, const struct reason *reason)
{
    char word[32];
    uint64_t parsed_ns;
    take(&text, "", word, sizeof word);
    if (!text_parse_duration(word, &parsed_ns))
        return refuse(reason, "'%s' is not a duration such as 50ms", word);
    if (parsed_ns < HISTOGRAM_LOWEST_NS || parsed_ns > HISTOGRAM_HIGHEST_NS)
        return refuse(reason, "the limit is not in 1ns to 60s, the times that are measured");
    *limit_ns = parsed_ns;
    return true;
}

static bool take_rate(const char *text, uint64_t *least_per_s, const struct reason *reason)
{
    char word[32];
    take(&text, "", word, sizeof word);
    size_t length = strlen(word), unit = strlen("/s");
    if (length > unit && strcmp(word + length - unit, "/s") == 0) {
        word[length - unit] = '\0';
        if (text_parse_number(word, 1, RATE_MOST_PER_S, least_per_s))
            return true;
        word[length - unit] = '/';
    }
    return refuse(reason, "'%s' is not a rate such as 500/s", word);
}

bool objective_parse(const char *text, struct objective *objective, char *why, size_t size)
{
    struct objective parsed = {0};
    const struct reason reason = {why, size};
    if (!take_metric(&text, &parsed.metric, &reason))
        return false;
    bool good;
    if (objective_is_rate(&parsed))
        good = take_sign(&text, '>', &reason) && take_rate(text, &parsed.least_per_s, &reason);
    else
        good = take_percentile(&text, &parsed.percentile_hundredths, &reason) &&
               take_sign(&text, '<', &reason) && take_limit(text, &parsed.limit_ns, &reason);
    if (good)
        *objective = parsed;
    return good;
}

/* Writes number/10^digits without superfluous zeros: 1500, 3 is "1.5". */
static int format_decimal(uint64_t number, int digits, char *text, size_t size)
{
    uint64_t one = 1;
    for (int i = 0; i < digits; i++)
        one *= 10;
    uint64_t part = number % one;
    if (part == 0)
        return snprintf(text, size, "%" PRIu64, number / one);
    while (part % 10 == 0) {
        part /= 10;
        digits--;
    }
    return snprintf(text, size, "%" PRIu64 ".%0*" PRIu64, number / one, digits, part);
}

/* The largest unit that the duration is not below, and all its digits: nothing is rounded. */
static void format_limit(uint64_t limit_ns, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    for (uint64_t left = limit_ns; unit < 3 && left >= 1000; left /= 1000)
        unit++;
    int length = format_decimal(limit_ns, 3 * unit, text, size);
    snprintf(text + length, size - (size_t)length, "%s", units[unit]);
}

const char *objective_format(const struct objective *objective, char *text, size_t size)
{
    const char *word = words[objective->metric];
    char percentile[16], limit[32];
    if (objective_is_rate(objective)) {
        snprintf(text, size, "%s > %" PRIu64 "/s", word, objective->least_per_s);
        return text;
    }
    format_decimal(objective->percentile_hundredths, 2, percentile, sizeof percentile);
    format_limit(objective->limit_ns, limit, sizeof limit);
    snprintf(text, size, "%s p%s < %s", word, percentile, limit);
    return text;
}

// SPDX-License-Identifier: Apache-2.0
#include "capacity/objective.h"

#include "base/text.h"
#include "measure/histogram.h"

#include <ctype.h>
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

/* What is left to parse, and where the reason goes for which it is refused. */
struct parser {
    const char *text;
    char *why;
    size_t size;
};

/* Always false: what a parser returns. */
static bool refuse(const struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct parser *parser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(parser->why, parser->size, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < parser->size)
        snprintf(parser->why + length, parser->size - (size_t)length, "; %s", OBJECTIVE_GRAMMAR);
    return false;
}

/* Copies what precedes the next of the characters in `ends`, without the blanks around it, and
 * moves on to that character. A word that does not fit becomes "". */
static const char *take(struct parser *parser, const char *ends, char word[32])
{
    const char *text = parser->text + strspn(parser->text, BLANKS);
    size_t reach = strcspn(text, ends), length = reach;
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    snprintf(word, 32, "%.*s", length < 32 ? (int)length : 0, text);
    parser->text = text + reach + strspn(text + reach, BLANKS);
    return word;
}

static bool take_sign(struct parser *parser, char sign)
{
    if (*parser->text != sign)
        return refuse(parser, "the sign '%c' is missing", sign);
    parser->text += parser->text[1] == '=' ? 2 : 1;
    return true;
}

/* The number and the unit without the blank that may be between them. */
static const char *join(const char *word, char joined[32])
{
    size_t length = strcspn(word, BLANKS);
    const char *unit = word + length + strspn(word + length, BLANKS);
    snprintf(joined, 32, "%.*s%s", (int)length, word,
             isdigit((unsigned char)*unit) ? word + length : unit);
    return joined;
}

static bool take_latency(struct parser *parser, struct objective *objective)
{
    char word[32], limit[32];
    uint64_t hundredths;
    take(parser, BLANKS "<>", word);
    if (word[0] != 'p' ||
        !text_parse_hundredths(word + 1, PERCENTILE_LEAST, PERCENTILE_MOST, &hundredths))
        return refuse(parser, "'%s' is not a percentile from p50 to p99.9", word);
    objective->percentile_hundredths = (uint32_t)hundredths;
    if (!take_sign(parser, '<'))
        return false;
    if (!text_parse_duration(join(take(parser, "", word), limit), &objective->limit_ns))
        return refuse(parser, "'%s' is not a duration such as 50ms", word);
    if (objective->limit_ns < HISTOGRAM_LOWEST_NS || objective->limit_ns > HISTOGRAM_HIGHEST_NS)
        return refuse(parser, "the limit is not in 1ns to 60s, the times that are measured");
    return true;
}

static bool take_rate(struct parser *parser, struct objective *objective)
{
    char word[32], number[32];
    if (!take_sign(parser, '>'))
        return false;
    size_t length = strlen(join(take(parser, "", word), number));
    char *unit = number + (length > 2 ? length - 2 : 0);
    bool is_rate = strcmp(unit, "/s") == 0;
    *unit = '\0';
    if (is_rate && text_parse_number(number, 1, RATE_MOST_PER_S, &objective->least_per_s))
        return true;
    return refuse(parser, "'%s' is not a rate such as 500/s", word);
}

bool objective_parse(const char *text, struct objective *objective, char *why, size_t size)
{
    struct parser parser = {text, why, size};
    struct objective parsed = {.metric = 0};
    char word[32];
    take(&parser, BLANKS "<>", word);
    while (parsed.metric < OBJECTIVE_METRICS && strcmp(word, words[parsed.metric]) != 0)
        parsed.metric++;
    if (parsed.metric == OBJECTIVE_METRICS)
        return refuse(&parser, "no metric is called '%s'", word);
    if (!(objective_is_rate(&parsed) ? take_rate(&parser, &parsed)
                                     : take_latency(&parser, &parsed)))
        return false;
    *objective = parsed;
    return true;
}

/* Writes number/10^digits without superfluous zeros: 1500, 3 is "1.5". */
static void format_decimal(uint64_t number, int digits, const char *unit, char text[32])
{
    while (digits > 0 && number % 10 == 0) {
        number /= 10;
        digits--;
    }
    uint64_t one = 1;
    for (int i = 0; i < digits; i++)
        one *= 10;
    if (digits == 0)
        snprintf(text, 32, "%" PRIu64 "%s", number, unit);
    else
        snprintf(text, 32, "%" PRIu64 ".%0*" PRIu64 "%s", number / one, digits, number % one, unit);
}

/* The limit has the largest unit that it is not below, and all its digits: nothing is rounded. */
const char *objective_format(const struct objective *objective, char *text, size_t size)
{
    const char *word = words[objective->metric];
    static const char *const units[] = {"ns", "us", "ms", "s"};
    char percentile[32], limit[32];
    int unit = 0;
    if (objective_is_rate(objective)) {
        snprintf(text, size, "%s > %" PRIu64 "/s", word, objective->least_per_s);
        return text;
    }
    for (uint64_t left = objective->limit_ns; unit < 3 && left >= 1000; left /= 1000)
        unit++;
    format_decimal(objective->percentile_hundredths, 2, "", percentile);
    format_decimal(objective->limit_ns, 3 * unit, units[unit], limit);
    snprintf(text, size, "%s p%s < %s", word, percentile, limit);
    return text;
}

// SPDX-License-Identifier: Apache-2.0
#include "capacity/objective.h"

#include "base/text.h"
#include "measure/histogram.h"

#include <gsl/gsl_cdf.h>
#include <stdio.h>
#include <string.h>

/* The bounds of the percentiles, in hundredths. */
#define PERCENTILE_LEAST 5000
#define PERCENTILE_MOST  9990

const char *const objective_metric_words[] = {
#define X(name, word) [OBJECTIVE_##name] = word,
    OBJECTIVE_METRIC_LIST(X)
#undef X
};

double objective_percent(const struct objective *objective)
{
    return (double)objective->percentile_hundredths / 100;
}

double objective_share(const struct objective *objective)
{
    return (10000 - objective->percentile_hundredths) / 1e4;
}

bool objective_parse(const char *text, struct objective *objective)
{
    struct objective parsed = {.metric = 0};
    char metric[16], percentile[8], number[24], unit[8], limit[32], rest;
    uint64_t hundredths;
    int length = 0;
    if (sscanf(text, " %15[a-z] p%7[0-9.] <%n", metric, percentile, &length) != 2 || length == 0)
        return false;
    text += text[length] == '=' ? length + 1 : length;
    if (sscanf(text, " %23[0-9.] %7[a-z] %c", number, unit, &rest) != 2)
        return false;
    while (parsed.metric < OBJECTIVE_METRICS &&
           strcmp(metric, objective_metric_words[parsed.metric]) != 0)
        parsed.metric++;
    snprintf(limit, sizeof limit, "%s%s", number, unit);
    if (parsed.metric == OBJECTIVE_METRICS ||
        !text_parse_hundredths(percentile, PERCENTILE_LEAST, PERCENTILE_MOST, &hundredths) ||
        !text_parse_duration(limit, &parsed.limit_ns) || parsed.limit_ns < HISTOGRAM_LOWEST_NS ||
        parsed.limit_ns > HISTOGRAM_HIGHEST_NS)
        return false;
    parsed.percentile_hundredths = (uint32_t)hundredths;
    *objective = parsed;
    return true;
}

/* The limit has the largest unit that it is not below, and all its digits: nothing is rounded. */
const char *objective_format(const struct objective *objective, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double limit = (double)objective->limit_ns;
    int unit = 0;
    for (; unit < 3 && limit >= 1000; limit /= 1000)
        unit++;
    snprintf(text, size, "%s p%g < %.12g%s", objective_metric_words[objective->metric],
             objective_percent(objective), limit, units[unit]);
    return text;
}

#define DOUBT (1 - JUDGE_CONFIDENCE)

const char *const judge_verdict_words[] = {
#define X(name, word) [JUDGE_##name] = word,
    JUDGE_VERDICT_LIST(X)
#undef X
};

/*
 * The bound of Clopper and Pearson is the share with which the result, or a more extreme one, has
 * the probability DOUBT. To compare the bound with a share, that probability is enough; no bound is
 * computed. The binomial distribution is a beta distribution: P(X <= k) = Q(share; k + 1, n - k).
 *
 * In the middle of the distribution GSL gives NaN for more than a million samples. A probability
 * near DOUBT it always gives, and NaN decides nothing.
 */
static bool share_is_below(uint64_t samples, uint64_t over, double share)
{
    return over < samples &&
           gsl_cdf_beta_Q(share, (double)over + 1, (double)(samples - over)) <= DOUBT;
}

enum judge_verdict judge_percentile(const struct objective *objective, uint64_t samples,
                                    uint64_t over)
{
    double share = objective_share(objective);
    if (share_is_below(samples, over, share))
        return JUDGE_PASS;
    bool is_above =
        over > 0 && gsl_cdf_beta_P(share, (double)over, (double)(samples - over) + 1) <= DOUBT;
    return is_above ? JUDGE_FAIL : JUDGE_UNDETERMINED;
}

uint64_t judge_samples_needed(const struct objective *objective, uint64_t over)
{
    double share = objective_share(objective);
    uint64_t too_few = over, enough = 2 * over + 1;
    while (!share_is_below(enough, over, share)) {
        too_few = enough;
        enough *= 2;
    }
    while (enough - too_few > 1) {
        uint64_t middle = too_few + (enough - too_few) / 2;
        if (share_is_below(middle, over, share))
            enough = middle;
        else
            too_few = middle;
    }
    return enough;
}

// SPDX-License-Identifier: Apache-2.0
#include "capacity/judge.h"

#include "measure/statistics.h"

#include <gsl/gsl_cdf.h>
#include <stdbool.h>

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

static bool share_is_above(uint64_t samples, uint64_t over, double share)
{
    return over > 0 && gsl_cdf_beta_P(share, (double)over, (double)(samples - over) + 1) <= DOUBT;
}

enum judge_verdict judge_percentile(const struct objective *objective, uint64_t samples,
                                    uint64_t over)
{
    double share = objective_share(objective);
    if (share_is_below(samples, over, share))
        return JUDGE_PASS;
    return share_is_above(samples, over, share) ? JUDGE_FAIL : JUDGE_UNDETERMINED;
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

enum judge_verdict judge_rate(const struct objective *objective, const double *per_s,
                              size_t batches)
{
    if (batches < STATISTICS_TRIALS_MIN)
        return JUDGE_UNDETERMINED;
    /* An interval with the doubt on both sides. */
    struct interval rate = statistics_interval(per_s, batches, 1 - 2 * DOUBT);
    double least_per_s = (double)objective->least_per_s;
    if (rate.low > least_per_s)
        return JUDGE_PASS;
    return rate.high < least_per_s ? JUDGE_FAIL : JUDGE_UNDETERMINED;
}

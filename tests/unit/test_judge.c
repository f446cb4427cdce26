// SPDX-License-Identifier: Apache-2.0
#include "capacity/judge.h"

#include "base/random.h"

#include "tests/support/test.h"

#include <math.h>

static const struct objective p50 = {.percentile_hundredths = 5000, .limit_ns = 1000};
static const struct objective p99 = {.percentile_hundredths = 9900, .limit_ns = 1000};
static const struct objective p999 = {.percentile_hundredths = 9990, .limit_ns = 1000};
static const struct objective handoffs = {.metric = OBJECTIVE_HANDOFFS, .least_per_s = 500};

/* 299, 473 and 628: the published sample sizes of p99 with 95 %. */
TEST(so_many_samples_pass_and_no_fewer)
{
    static const uint64_t needed[] = {299, 473, 628};
    for (uint64_t over = 0; over < 3; over++) {
        assert_int_equal(judge_samples_needed(&p99, over), needed[over]);
        assert_int_equal(judge_percentile(&p99, needed[over], over), JUDGE_PASS);
        assert_int_equal(judge_percentile(&p99, needed[over] - 1, over), JUDGE_UNDETERMINED);
    }
    assert_int_equal(judge_samples_needed(&p50, 0), 5);
    assert_int_equal(judge_samples_needed(&p999, 0), 2995);
}

TEST(what_is_needed_is_the_least_that_passes)
{
    static const struct objective *const objectives[] = {&p50, &p99, &p999};
    for (size_t i = 0; i < 3; i++) {
        for (uint64_t over = 0; over < 2000; over = over * 3 + 1) {
            uint64_t needed = judge_samples_needed(objectives[i], over);
            assert_int_equal(judge_percentile(objectives[i], needed, over), JUDGE_PASS);
            assert_int_not_equal(judge_percentile(objectives[i], needed - 1, over), JUDGE_PASS);
        }
    }
}

/* The probability of at most so many, summed up term by term. */
static double at_most(uint64_t samples, uint64_t over, double share)
{
    double n = (double)samples, sum = 0;
    for (uint64_t k = 0; k <= over; k++) {
        double i = (double)k;
        sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(share) +
                   (n - i) * log1p(-share));
    }
    return sum;
}

TEST(the_verdict_is_the_exact_binomial_bound)
{
    static const uint64_t samples[] = {1, 2, 10, 100, 299, 1000};
    static const struct objective *const objectives[] = {&p50, &p99, &p999};
    for (size_t i = 0; i < 6; i++) {
        for (uint64_t over = 0; over <= samples[i]; over++) {
            for (size_t j = 0; j < 3; j++) {
                double share = objective_share(objectives[j]);
                enum judge_verdict expected = JUDGE_UNDETERMINED;
                if (at_most(samples[i], over, share) <= 0.05)
                    expected = JUDGE_PASS;
                else if (over > 0 && 1 - at_most(samples[i], over - 1, share) <= 0.05)
                    expected = JUDGE_FAIL;
                assert_int_equal(judge_percentile(objectives[j], samples[i], over), expected);
            }
        }
    }
}

TEST(too_few_samples_decide_nothing)
{
    assert_int_equal(judge_percentile(&p99, 0, 0), JUDGE_UNDETERMINED);
    assert_int_equal(judge_percentile(&p99, 100, 0), JUDGE_UNDETERMINED);
    assert_int_equal(judge_percentile(&p99, 100, 3), JUDGE_UNDETERMINED);
    assert_int_equal(judge_percentile(&p99, 100, 4), JUDGE_FAIL);
    assert_int_equal(judge_percentile(&p99, 100, 100), JUDGE_FAIL);
    assert_int_equal(judge_percentile(&p50, 1, 1), JUDGE_UNDETERMINED);
}

/* As the number of samples over the limit grows the verdict goes from pass to undetermined to fail,
 * each once, also where GSL has no value in the middle. */
TEST(large_trials_are_decided_too)
{
    static const uint64_t samples[] = {100000, 3000000, 100000000, UINT64_C(10000000000)};
    static const struct objective *const objectives[] = {&p50, &p99, &p999};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            double share = objective_share(objectives[j]), n = (double)samples[i];
            double deviation = sqrt(n * share * (1 - share));
            for (double z = -6; z <= 6; z += 0.5) {
                enum judge_verdict expected = JUDGE_UNDETERMINED;
                if (fabs(z) > 1.5)
                    expected = z < 0 ? JUDGE_PASS : JUDGE_FAIL;
                uint64_t over = (uint64_t)(n * share + z * deviation);
                assert_int_equal(judge_percentile(objectives[j], samples[i], over), expected);
            }
        }
    }
}

/* Of trials exactly at the objective at most one in twenty passes, and one in twenty fails. */
TEST(a_verdict_is_wrong_at_most_as_often_as_promised)
{
    enum { TRIALS = 4000, SAMPLES = 700 };
    struct random random;
    random_init(&random, 5);
    uint64_t verdicts[JUDGE_VERDICTS] = {0};
    for (size_t i = 0; i < TRIALS; i++) {
        uint64_t over = 0;
        for (size_t j = 0; j < SAMPLES; j++)
            over += random_unit(&random) < 0.01;
        verdicts[judge_percentile(&p99, SAMPLES, over)]++;
    }
    assert_in_range(verdicts[JUDGE_PASS], 1, TRIALS * 0.06);
    assert_in_range(verdicts[JUDGE_FAIL], 1, TRIALS * 0.06);
}

TEST(a_rate_needs_its_whole_interval)
{
    /* Mean 510, standard error 2.2361; t of 4 degrees with 5 % above is 2.1318: 505.23 … 514.77. */
    const double above[] = {503, 508, 510, 512, 517};
    struct objective objective = handoffs;
    assert_int_equal(judge_rate(&objective, above, 5), JUDGE_PASS);
    objective.least_per_s = 504;
    assert_int_equal(judge_rate(&objective, above, 5), JUDGE_PASS);
    objective.least_per_s = 506;
    assert_int_equal(judge_rate(&objective, above, 5), JUDGE_UNDETERMINED);
    objective.least_per_s = 514;
    assert_int_equal(judge_rate(&objective, above, 5), JUDGE_UNDETERMINED);
    objective.least_per_s = 516;
    assert_int_equal(judge_rate(&objective, above, 5), JUDGE_FAIL);
}

TEST(a_rate_needs_five_batches)
{
    const double high[] = {900, 901, 902, 903, 904}, low[] = {9, 9, 9, 9, 9};
    assert_int_equal(judge_rate(&handoffs, high, 4), JUDGE_UNDETERMINED);
    assert_int_equal(judge_rate(&handoffs, NULL, 0), JUDGE_UNDETERMINED);
    assert_int_equal(judge_rate(&handoffs, high, 5), JUDGE_PASS);
    assert_int_equal(judge_rate(&handoffs, low, 5), JUDGE_FAIL);
}

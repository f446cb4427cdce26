// SPDX-License-Identifier: Apache-2.0
/*
 * judge: whether one trial meets an objective. Layer: capacity.
 *
 * For a percentile the question is which share of all handoffs exceeds the limit: p99 < 50ms is met
 * if at most 1 % do. Of n samples k were over. The trial passes if the one-sided 95 % bound of
 * Clopper and Pearson (Biometrika 26, 1934) lies at or below that share, and fails if the bound of
 * the other side lies above it; else the trial had too few samples to decide. For p99, 299 samples
 * pass without one over, 473 with one, 628 with two.
 *
 * The bound holds for independent samples, and the handoffs of one trial are not: a pause delays
 * several. So the bound is no confidence in the ensemble. It decides only whether a trial had
 * enough samples to vote, and a trial is one vote, however many samples it had: search.h decides by
 * several trials. Samples of several trials are never pooled.
 *
 * Invariant: what the numbers do not decide is undetermined.
 */
#ifndef CAPACITY_JUDGE_H
#define CAPACITY_JUDGE_H

#include "capacity/objective.h"

#include <stddef.h>
#include <stdint.h>

#define JUDGE_CONFIDENCE 0.95 /* one-sided */

/* X(name, the word for it in files). Whoever runs a trial gives the last two: zkherd itself was the
 * limit, or the numbers do not add up; the brake has ended the trial before its time. */
#define JUDGE_VERDICT_LIST(X)                                                                      \
    X(PASS, "pass")                                                                                \
    X(FAIL, "fail")                                                                                \
    X(UNDETERMINED, "undetermined")                                                                \
    X(NOT_VALID, "not valid")                                                                      \
    X(BRAKED, "braked")

enum judge_verdict {
#define X(name, word) JUDGE_##name,
    JUDGE_VERDICT_LIST(X)
#undef X
        JUDGE_VERDICTS
};

extern const char *const judge_verdict_words[];

/* A trial with so many samples, of which `over` (at most all) exceeded the limit of an objective on
 * a percentile; from a histogram: histogram_count + overflow, and histogram_above. */
enum judge_verdict judge_percentile(const struct objective *objective, uint64_t samples,
                                    uint64_t over);

/* The least number of samples with which a trial passes if so many (below 2^32) are over. */
uint64_t judge_samples_needed(const struct objective *objective, uint64_t over);

/*
 * A trial whose rate was measured in batches: parts of the trial, equally long, each long compared
 * with a pause, so that neighbours are nearly independent. Passes if the t-interval of the mean
 * lies above the objective, fails if below; each side has the confidence JUDGE_CONFIDENCE. With
 * fewer than STATISTICS_TRIALS_MIN batches the trial is undetermined.
 */
enum judge_verdict judge_rate(const struct objective *objective, const double *per_s,
                              size_t batches);

#endif

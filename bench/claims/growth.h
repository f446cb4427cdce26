// SPDX-License-Identifier: Apache-2.0
/*
 * growth: how the totals of a drain grow with its clients. Layer: bench/claims.
 *
 * Invariant: what is foretold comes from a function that the claim's experiment gives, never from
 * the recipe's own law: another recipe has another one, and the claim is then to fail.
 */
#ifndef BENCH_CLAIMS_GROWTH_H
#define BENCH_CLAIMS_GROWTH_H

#include "base/error.h"
#include "bench/claims/finding.h"
#include "bench/claims/testbed.h"
#include "measure/fit.h"
#include "measure/tally.h"

#include <stddef.h>
#include <stdint.h>

#define GROWTH_LEVELS_MAX 8

struct growth {
    const struct recipe *recipe;
    size_t count;                           /* levels */
    double clients[GROWTH_LEVELS_MAX];      /* of each … */
    struct tally totals[GROWTH_LEVELS_MAX]; /* … if it is … */
    bool whole;                             /* … that all of them can be used */
};

/* A figure of a drain. */
typedef double growth_metric(const struct tally *total);

/* Makes a drain for each level and adds that to what was tried. If one cannot be used the finding
 * says why, it was the last, and *growth is not whole. The errors of trial_run. */
MUST_CHECK enum error_kind growth_measure(struct testbed *testbed, const struct recipe *recipe,
                                          const uint32_t *levels, size_t count,
                                          struct growth *growth, struct finding *finding,
                                          struct error *error);

/* Checks that a metric is at every level what the law says of so many clients. If not all levels
 * can be used this is only said to be expected, here and below. */
void growth_check(const struct growth *growth, const char *what, growth_metric *metric,
                  double (*law)(double clients), struct finding *finding);

/* Checks that a metric without an exact law grows as a power of the clients (FIT_CONSTANT …
 * FIT_CUBIC), by its exponent; undecides if the interval of that does not decide. */
void growth_check_class(const struct growth *growth, const char *what, growth_metric *metric,
                        enum fit_verdict expected, struct finding *finding);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * growth: how the totals of a drain grow with its clients. Layer: bench/claims.
 *
 * Invariant: the prediction is a function of the claim's experiment, never the law of the recipe:
 * for another recipe, with another law, the claim must fail.
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
    double clients[GROWTH_LEVELS_MAX];      /* of each level */
    struct tally totals[GROWTH_LEVELS_MAX]; /* of each level, if `whole` */
    bool whole;                             /* the totals of all levels can be used */
};

/* What a figure is to be with n clients: constant + linear n + square n^2. */
struct growth_law {
    double constant, linear, square;
};

/* A figure of a drain is an enum tally_kind, or one of these sums. */
enum { GROWTH_RPCS = TALLY_KINDS, GROWTH_BYTES };

/* Runs a drain for each level, and appends that to `tried`. After a drain whose counts cannot be
 * used no other runs, the finding has the reason, and *growth is not whole. Errors of trial_run. */
MUST_CHECK enum error_kind growth_measure(struct testbed *testbed, const struct recipe *recipe,
                                          const uint32_t *levels, size_t count,
                                          struct growth *growth, struct finding *finding,
                                          struct error *error);

/* Checks that a figure equals the law at every level. If *growth is not whole, the expectation is
 * stated but not checked, here and below. */
void growth_check(const struct growth *growth, const char *what, int figure,
                  const struct growth_law *law, struct finding *finding);

/* Checks that a figure without an exact law grows as a power of the clients (FIT_CONSTANT …
 * FIT_CUBIC), by its exponent; undetermined if the interval of the exponent has several classes. */
void growth_check_class(const struct growth *growth, const char *what, int figure,
                        enum fit_verdict expected, struct finding *finding);

#endif

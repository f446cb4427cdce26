// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble_pair: two ensembles of an experiment's own, of different numbers of servers, and loads
 * on them in turn. Layer: bench/claims.
 *
 * The ensembles are private, beside the servers of the testbed; each server has the same share of
 * the CPU (bench/target/core_shares.h), so that a server more is a machine more. In a simulation
 * they are simulated.
 *
 * A load is a closed loop of reads alone or of writes alone. In each round both ensembles have one,
 * first the one, in the next round first the other: a drift of the machine, and of servers whose
 * code is still being compiled, affects both alike. Therefore a round gives one ratio.
 *
 * Invariant: after ensemble_pair_close no server of the pair runs.
 */
#ifndef BENCH_CLAIMS_ENSEMBLE_PAIR_H
#define BENCH_CLAIMS_ENSEMBLE_PAIR_H

#include "base/error.h"
#include "bench/claims/testbed.h"
#include "bench/target/target.h"
#include "measure/statistics.h"

#include <stdint.h>

#define ENSEMBLE_PAIR            2
#define ENSEMBLE_PAIR_ROUNDS_MAX 12

struct ensemble_pair {
    struct testbed *testbed;
    uint64_t servers[ENSEMBLE_PAIR];
    uint32_t cpu_percent; /* of each server; 0: simulated */
    struct target targets[ENSEMBLE_PAIR];
};

/* What rounds of loads have found. */
struct ensemble_pair_rates {
    uint32_t reads_percent;
    size_t rounds; /* that count: the loads of both ensembles do */
    double per_s[ENSEMBLE_PAIR]
                [ENSEMBLE_PAIR_ROUNDS_MAX]; /* operations a second, of these rounds */
    unsigned left_out;                      /* rounds that do not count … */
    char why[160];                          /* … and why the first does not */
};

/*
 * Starts the ensembles. Not every testbed allows that: *why is NULL, and the pair is the caller's
 * to ensemble_pair_close; or *why says why there are none, a static text or one in `text`. Errors
 * of target_open and target_make_root; nothing is left behind then.
 */
MUST_CHECK enum error_kind ensemble_pair_open(struct testbed *testbed,
                                              const uint64_t servers[ENSEMBLE_PAIR],
                                              struct ensemble_pair *pair, const char **why,
                                              char *text, size_t size, struct error *error);

/* A pair that is not open is fine. */
void ensemble_pair_close(struct ensemble_pair *pair);

/* Makes so many rounds of loads of this percentage of reads, 0 or 100; rounds:
 * ENSEMBLE_PAIR_ROUNDS_MAX at most. Errors of load_run. */
MUST_CHECK enum error_kind ensemble_pair_load(struct ensemble_pair *pair, uint32_t reads_percent,
                                              size_t rounds, struct ensemble_pair_rates *rates,
                                              struct error *error);

/* The operations a second of an ensemble: the geometric mean over the rounds that count; 1 round at
 * least. */
double ensemble_pair_mean(const struct ensemble_pair_rates *rates, size_t side);

/* The ratio of the second ensemble to the first: the geometric mean over the rounds that count,
 * with its t-interval. */
struct interval ensemble_pair_ratio(const struct ensemble_pair_rates *rates);

/* What the loads of a round are, for people. Returns text. size: 160 bytes are always enough. */
const char *ensemble_pair_describe(const struct ensemble_pair *pair, char *text, size_t size);

#endif

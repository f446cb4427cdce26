// SPDX-License-Identifier: Apache-2.0
/*
 * sides: two ensembles of an experiment's own, of different numbers of servers, side by side, and
 * loads on them in turn. Layer: bench/claims.
 *
 * The ensembles are private, beside the servers of the testbed; each server has the same share of
 * the CPU (bench/target/core_shares.h), so that a server more is a machine more. In a simulation
 * they are simulated.
 *
 * A load is a closed loop of reads alone or of writes alone. In each round both sides have one,
 * first the one, in the next round first the other: a drift of the machine, and of servers whose
 * code is still being compiled, affects both alike. Therefore a round gives one ratio.
 *
 * Invariant: after sides_close no server of the sides runs.
 */
#ifndef BENCH_CLAIMS_SIDES_H
#define BENCH_CLAIMS_SIDES_H

#include "base/error.h"
#include "bench/claims/testbed.h"
#include "bench/target/target.h"
#include "measure/statistics.h"

#include <stdint.h>

#define SIDES            2
#define SIDES_ROUNDS_MAX 12

struct sides {
    struct testbed *testbed;
    uint64_t servers[SIDES];
    uint32_t cpu_percent; /* of each server; 0: simulated */
    struct target targets[SIDES];
};

/* What rounds of loads have found. */
struct sides_rates {
    uint32_t reads_percent;
    size_t rounds;                         /* that count: the loads of both sides do */
    double per_s[SIDES][SIDES_ROUNDS_MAX]; /* operations a second, of these rounds */
    unsigned left_out;                     /* rounds that do not count … */
    char why[160];                         /* … and why the first does not */
};

/*
 * Starts the ensembles. Not every testbed allows that: *why is NULL, and the sides are the caller's
 * to sides_close; or *why says why there are none, a static text or one in `text`. Errors of
 * target_open and target_make_root; nothing is left behind then.
 */
MUST_CHECK enum error_kind sides_open(struct testbed *testbed, const uint64_t servers[SIDES],
                                      struct sides *sides, const char **why, char *text,
                                      size_t size, struct error *error);

/* Sides that are not open are fine. */
void sides_close(struct sides *sides);

/* Makes so many rounds of loads of this percentage of reads, 0 or 100; rounds: SIDES_ROUNDS_MAX at
 * most. Errors of load_run. */
MUST_CHECK enum error_kind sides_load(struct sides *sides, uint32_t reads_percent, size_t rounds,
                                      struct sides_rates *rates, struct error *error);

/* The operations a second of a side: the geometric mean over the rounds that count, one at least.
 */
double sides_mean(const struct sides_rates *rates, size_t side);

/* The ratio of the second side to the first: the geometric mean over the rounds that count, with
 * its t-interval. */
struct interval sides_ratio(const struct sides_rates *rates);

/* What the loads of a round are, for people. Returns text. size: 160 bytes are always enough. */
const char *sides_describe(const struct sides *sides, char *text, size_t size);

#endif

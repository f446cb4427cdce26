// SPDX-License-Identifier: Apache-2.0
/*
 * validity: whether the times of a trial can be used, and why not. Layer: bench/output.
 *
 * Invariant: every reason is kept, one behind the other; the counts of a trial whose times cannot
 * be used still stand.
 */
#ifndef BENCH_OUTPUT_VALIDITY_H
#define BENCH_OUTPUT_VALIDITY_H

#include <stdbool.h>

/* A percentile as far out as p99.9 needs so many values to mean anything. */
#define VALIDITY_P999_LEAST 10000

/* All zero bytes: nothing speaks against the times. */
struct validity {
    bool lost;
    char reason[832]; /* cut to fit */
};

/* The times cannot be used, for this reason among others. */
void validity_lose(struct validity *validity, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

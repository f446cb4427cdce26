// SPDX-License-Identifier: Apache-2.0
/*
 * compare_sentences: what a comparison says in words: which of two releases of ZooKeeper is better
 * for a lock, how much longer a handoff takes elsewhere, whether the counts are equal. Layer:
 * bench/compare.
 *
 * Invariant: a difference is stated only where the interval of its ratio excludes 1.
 */
#ifndef BENCH_COMPARE_COMPARE_SENTENCES_H
#define BENCH_COMPARE_COMPARE_SENTENCES_H

#include "bench/compare/ratios.h"
#include "bench/output/compared_runs.h"

#include <stdio.h>

/* A sentence for each recipe and run, at the largest number of clients that can be compared. */
void compare_sentences_write(const struct ratios *ratios, const struct compared_runs *compared,
                             FILE *stream);

#endif

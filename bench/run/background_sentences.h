// SPDX-License-Identifier: Apache-2.0
/*
 * background_sentences: what the contention for a lock costs the load beside it, in sentences.
 * Layer: bench/run.
 */
#ifndef BENCH_RUN_BACKGROUND_SENTENCES_H
#define BENCH_RUN_BACKGROUND_SENTENCES_H

#include "bench/run/sample.h"

#include <stdio.h>

/* Writes a sentence for each recipe and percentile: how many times as long the load's response
 * takes while the most clients contend, over the valid trials; nothing without --background. The
 * ratio is that of the same trial's two times, and the interval is over trials. */
void background_sentences_write(const struct samples *samples, const struct options *options,
                                FILE *stream);

#endif

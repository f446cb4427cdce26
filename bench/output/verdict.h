// SPDX-License-Identifier: Apache-2.0
/*
 * verdict: whether a claim holds: the word, and how it follows from an interval. Layer:
 * bench/output.
 */
#ifndef BENCH_OUTPUT_VERDICT_H
#define BENCH_OUTPUT_VERDICT_H

#include "measure/statistics.h"

enum verdict { VERDICT_HOLDS, VERDICT_FAILS, VERDICT_UNDETERMINED, VERDICTS };

/* "holds", "fails" or "undetermined". */
const char *verdict_word(enum verdict verdict);

/* The verdict of an exit status: 0 holds, 1 fails, any other is undetermined. */
enum verdict verdict_of_status(int status);

/* The claim that a ratio is above 1: holds if its interval is above 1, fails if the interval is
 * below 1, and is undetermined if the interval contains 1 or there is none. */
enum verdict verdict_rises(const struct interval *ratio);

/* The claim that a value lies from least to most: holds if its interval does, fails if the interval
 * lies on one side of them, and is undetermined otherwise. */
enum verdict verdict_lies(const struct interval *value, double least, double most);

/* The claim that a ratio is below 1. */
enum verdict verdict_falls(const struct interval *ratio);

#endif

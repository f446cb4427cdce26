// SPDX-License-Identifier: Apache-2.0
/*
 * verdict: whether a claim holds: the word, and how it follows from an interval; and whether the
 * times of a trial can be used, and why not. Layer: bench/output.
 *
 * Invariant: every reason is kept, one behind the other; the counts of a trial whose times cannot
 * be used still stand.
 */
#ifndef BENCH_OUTPUT_VERDICT_H
#define BENCH_OUTPUT_VERDICT_H

#include "base/text.h"
#include "measure/statistics.h"
#include "trial/trial.h"

#include <stdbool.h>

/* MEASURED: nothing is expected of the figure. */
enum verdict {
    VERDICT_HOLDS,
    VERDICT_FAILS,
    VERDICT_UNDETERMINED,
    VERDICT_NOT_VALID,
    VERDICT_MEASURED,
    VERDICTS
};

/* "holds", "fails", "undetermined", "not valid" or "measured". */
const char *verdict_word(enum verdict verdict);

/* The verdict of a word; VERDICT_UNDETERMINED of any other text. */
enum verdict verdict_of_word(const char *word);

/* The one that outweighs the other: fails, not valid, undetermined; then the others, as one that
 * holds. */
enum verdict verdict_worse(enum verdict a, enum verdict b);

/* The exit status of a verdict: 1 fails; 4 not valid, or undetermined; else 0. */
int verdict_status(enum verdict verdict);

/* The claim that a ratio is above 1: holds if its interval is above 1, fails if the interval is
 * below 1, and is undetermined if the interval contains 1 or there is none. */
enum verdict verdict_rises(const struct interval *ratio);

/* The claim that a value lies from least to most: holds if its interval does, fails if the interval
 * lies on one side of them, and is undetermined otherwise. */
enum verdict verdict_lies(const struct interval *value, double least, double most);

/* The claim that a ratio is below 1. */
enum verdict verdict_falls(const struct interval *ratio);

/* ------------------------------------------------------------------ the times of a trial */

/* All zero bytes: nothing speaks against the times. */
struct validity {
    bool lost;
    char reason[832]; /* clauses (base/text.h), cut to fit */
};

/* The times cannot be used, for this reason among others. */
#define validity_lose(validity, ...)                                                               \
    ((validity)->lost = true,                                                                      \
     text_append_clause((validity)->reason, sizeof(validity)->reason, __VA_ARGS__))

/* Gives the reasons for which the times of a trial that ran to its end on servers, with so many
 * cores for zkherd, may not be those of the servers: a server stalled, a connection was lost, or
 * the driver itself may have been the limit. */
void validity_judge_trial(const struct trial_result *result, double cores_allowed,
                          struct validity *validity);

#endif

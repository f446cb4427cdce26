// SPDX-License-Identifier: Apache-2.0
/*
 * finding: what the experiment for a claim has shown: what was tried, what was to be expected, what
 * was measured, and the verdict that follows. Layer: bench/claims.
 *
 * A verdict is made of checks, each of which holds a measured figure against an expected one. One
 * that does not come out as expected makes the claim fail. Where a trial was cut short, or what the
 * claim speaks of did not happen, the claim is undetermined; so is one without any check.
 *
 * Invariant: a check that failed is never made good by anything that follows.
 */
#ifndef BENCH_CLAIMS_FINDING_H
#define BENCH_CLAIMS_FINDING_H

#include "trial/trial.h"

#include <stdbool.h>

enum verdict { VERDICT_HOLDS, VERDICT_FAILS, VERDICT_UNDETERMINED, VERDICTS };

/* All zero bytes: nothing was tried yet. */
struct finding {
    char experiment[512];
    char expected[768];
    char measured[1024];
    unsigned checks;
    unsigned failed;
    bool undecided;
};

/* Each adds to one of the texts, with "; " between what is added; what is too long is cut. */
void finding_tried(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_expected(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_measured(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether a figure came out as expected; the texts say which. */
void finding_check(struct finding *finding, bool as_expected);

/* The claim cannot be decided; why is added to what was measured. */
void finding_undecide(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether a trial was led to its end without a violation, so that its counts can be used. If not,
 * the finding says why: a violation makes the claim fail, anything else leaves it undetermined. */
bool finding_accepts(struct finding *finding, const struct trial_result *result);

enum verdict finding_verdict(const struct finding *finding);

/* "holds", "fails" or "undetermined". */
const char *finding_verdict_word(enum verdict verdict);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * finding: the result of an experiment: what was tried, what was expected, what was measured, and
 * the verdict. Layer: bench/claims.
 *
 * A verdict follows from checks, each of which compares a measured figure with an expected one. A
 * failed check makes the claim fail. The claim is undetermined if a trial was cut short, if the
 * event of the claim did not happen, or if there is no check.
 *
 * Invariant: after a failed check the verdict stays "fails".
 */
#ifndef BENCH_CLAIMS_FINDING_H
#define BENCH_CLAIMS_FINDING_H

#include "bench/output/verdict.h"
#include "trial/trial.h"

#include <stdbool.h>

/* All zero bytes: nothing was tried. */
struct finding {
    char experiment[512];
    char expected[768];
    char measured[1024];
    unsigned checks;
    unsigned failed;
    bool undecided;
};

/* Each appends to one of the texts, with "; " between two parts; a text that is too long is cut. */
void finding_tried(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_expected(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_measured(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a check: whether a figure is as expected. */
void finding_check(struct finding *finding, bool as_expected);

/* Makes the claim undetermined; the reason is appended to `measured`. */
void finding_undecide(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether a trial ran to its end without a violation, so that its counts can be used. If not, the
 * finding has the reason: a violation makes the claim fail, anything else undetermined. */
bool finding_accepts(struct finding *finding, const struct trial_result *result);

enum verdict finding_verdict(const struct finding *finding);

#endif

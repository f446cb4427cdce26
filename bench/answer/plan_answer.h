// SPDX-License-Identifier: Apache-2.0
/*
 * plan_answer: the answer of one search, with the figures of its trials, as a row and a sentence.
 * Layer: bench/answer.
 *
 * Invariant: figures at the answer are medians over the fresh trials at that size, by which the
 * size was not chosen.
 */
#ifndef BENCH_ANSWER_PLAN_ANSWER_H
#define BENCH_ANSWER_PLAN_ANSWER_H

#include "bench/answer/plan_knee.h"
#include "capacity/herd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trials of one size that were votes. */
struct plan_votes {
    uint32_t passed, cast;
};

/* Why a search ended before its own end. */
enum plan_cut {
    PLAN_CUT_NOT,
    PLAN_CUT_BY_TIME, /* the time that it was given was used up */
    PLAN_CUT_SHORT,   /* by an error, or a signal */
};

struct plan_answer {
    const struct recipe *recipe;
    enum plan_cut cut;
    uint64_t proposed; /* where the search began, by a model; 0: at the least size */
    struct search_answer found;
    struct plan_votes fresh_passed, fresh_failed; /* of the fresh trials at each end */
    uint64_t best;         /* the size of the figures: the largest that passed, else the least */
    double measured_us;    /* of the objective's percentile at `best`; NaN: not known */
    double p50_us;         /* of the same latency */
    double handoffs_per_s; /* the same */
    /* What gave out first in most of the trials that failed at the smallest size that failed; NULL:
     * not known. */
    const struct utilisation_finding *gave_out;
    struct herd herd; /* if waiters were searched for: of the votes that had all their samples */
    struct plan_knee knee;
    size_t trials, no_votes; /* of the search; those that were undetermined or not valid */
    uint64_t samples_most;   /* of an undetermined trial; 0: none was */
    uint64_t samples_needed; /* with which the trial of the most samples would have passed */
    const char *brake;       /* why the trial at the smallest size that failed was ended; NULL */
    const char *not_valid;   /* why the last trial that was not valid was not; NULL: all were */
};

/* The answer of a search; `samples` has its trials, among those of other recipes. The answer points
 * into the samples; nothing has cut the search. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_answer_take(const struct plan_options *options,
                                            const struct search *search,
                                            const struct recipe *recipe,
                                            const struct plan_samples *samples,
                                            struct plan_answer *answer, struct error *error);

/* Whether the trials tell the herd coefficient: they differ in their waiters. */
bool plan_answer_has_herd(const struct plan_question *question);

/* Why the search ended, in a word or two: a static string. */
const char *plan_answer_reason(const struct plan_answer *answer);

/* Writes the sentence of an answer. */
void plan_answer_describe(const struct plan_question *question, const struct plan_answer *answer,
                          char *text, size_t size);

/* The columns of answers.csv, and the row of an answer. */
extern const char plan_answer_columns[];
void plan_answer_write(const struct plan_answer *answer, const struct plan_sample_context *context,
                       struct csv *csv);

#endif

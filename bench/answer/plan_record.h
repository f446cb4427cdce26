// SPDX-License-Identifier: Apache-2.0
/*
 * plan_record: the results of the searches on one target: folder, samples, plan.csv,
 * answers.csv, manifest, plots. Layer: bench/answer.
 *
 * Invariant: a trial that plan_record_add has added without an error is among the samples and in
 * plan.csv, whatever happens next.
 */
#ifndef BENCH_ANSWER_PLAN_RECORD_H
#define BENCH_ANSWER_PLAN_RECORD_H

#include "bench/answer/plan_answer.h"
#include "bench/output/file_set.h"
#include "bench/output/manifest.h"
#include "bench/probe/plan_options.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>

struct plan_record {
    const struct plan_options *options;
    struct file_set set;
    struct csv csv;
    struct manifest manifest;
    struct plan_samples samples;
    char target[80]; /* a copy of its name: the target is closed before the record */
    struct plan_sample_context context;
    bool warned; /* that the counts cannot be compared with the servers' */
};

/* Makes the folder and begins its files. plan_record_free must be called also after an error. */
MUST_CHECK enum error_kind plan_record_open(struct plan_record *record,
                                            const struct plan_options *options,
                                            const struct target *target, const char *out, int argc,
                                            char **argv, struct error *error);
void plan_record_free(struct plan_record *record);

/* Prints a warning, except with --quiet, and adds it to the manifest. */
void plan_record_warn(struct plan_record *record, const char *warning);

/* Adds a finished trial; NULL: it did not begin. */
MUST_CHECK enum error_kind plan_record_add(struct plan_record *record,
                                           const struct plan_sample *sample,
                                           const struct trial_result *result, struct error *error);

/* What is known after the last trial. */
struct plan_record_end {
    const struct plan_answer *answers; /* of all searches on the target */
    size_t count;
    size_t planned;                /* trials; an estimate if the searches were cut short */
    const struct error *cut_short; /* why they ended before their end, or NULL */
    int interrupts;                /* readable when the plots are to be given up; -1: never */
};

/* Closes plan.csv, and writes answers.csv, the plots and the manifest. Returns the first error:
 * ERROR_INTERRUPTED, with all files but the plots written, if `interrupts` becomes readable while
 * they are drawn. */
MUST_CHECK enum error_kind plan_record_close(struct plan_record *record,
                                             const struct plan_record_end *end,
                                             struct error *error);

/* Complains about each trial whose verdict failed; whether there is one. */
bool plan_record_complain(const struct plan_record *record);

#endif

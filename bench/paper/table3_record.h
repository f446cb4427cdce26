// SPDX-License-Identifier: Apache-2.0
/*
 * table3_record: the trials of Table 3 on one target: folder, samples, manifest. Layer:
 * bench/paper.
 *
 *   barriers.csv   a row a trial (bench/paper/table3_sample.h)
 *   manifest.json
 */
#ifndef BENCH_PAPER_TABLE3_RECORD_H
#define BENCH_PAPER_TABLE3_RECORD_H

#include "bench/output/file_set.h"
#include "bench/output/manifest.h"
#include "bench/paper/table3_sample.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>

struct table3_record {
    const struct paper_options *options;
    struct file_set set;
    struct csv csv;
    struct manifest manifest;
    struct table3_samples samples;
    char target[80]; /* a copy of its name: the target is closed before the record */
    struct table3_context context;
    size_t trials_planned;
    bool warned; /* that the counts cannot be compared with the servers' */
};

/* Makes the folder `out`, and opens its file, for so many trials. table3_record_free must be called
 * also after an error. options must outlive the record, which must not be moved. */
MUST_CHECK enum error_kind table3_record_open(struct table3_record *record,
                                              const struct paper_options *options,
                                              const struct target *target, const char *out,
                                              size_t trials, int argc, char **argv,
                                              struct error *error);
void table3_record_free(struct table3_record *record);

/* Prints a warning, except with --quiet, and adds it to the manifest. */
void table3_record_warn(struct table3_record *record, const char *warning);

/* Adds a finished trial. */
MUST_CHECK enum error_kind table3_record_add(struct table3_record *record,
                                             const struct table3_trial *trial,
                                             const struct trial_result *result,
                                             struct error *error);

/* Closes the file and writes the manifest; without a trial, removes both. cut_short: why the trials
 * ended before the last one, or NULL. */
MUST_CHECK enum error_kind table3_record_close(struct table3_record *record,
                                               const struct error *cut_short, struct error *error);

/* Complains about each trial that is not valid. */
void table3_record_complain(const struct table3_record *record);

/* Whether a trial fails (struct table3_sample). */
bool table3_record_fails(const struct table3_record *record);

#endif

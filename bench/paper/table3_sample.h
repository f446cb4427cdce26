// SPDX-License-Identifier: Apache-2.0
/*
 * table3_sample: what is kept of a trial of Table 3: its times, its counts, whether they are right,
 * and its row of barriers.csv. Layer: bench/paper.
 *
 * Invariant: a sample is valid only if the checker, the counts that double barriers cause
 * (recipes/law.h) and the servers' own counts agree, and its times stand.
 */
#ifndef BENCH_PAPER_TABLE3_SAMPLE_H
#define BENCH_PAPER_TABLE3_SAMPLE_H

#include "base/error.h"
#include "bench/paper/table3_plan.h"
#include "measure/csv.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table3_sample {
    struct table3_trial trial;
    bool complete; /* led to its end */
    bool valid;
    bool fails;       /* a client was early, or the counts are wrong */
    double client_s;  /* from the gate to a client's last departure: the mean over clients */
    double elapsed_s; /* from the gate to the last departure of all */
    struct tally total;
    double client_cpu_s;
    uint64_t reconnects;
    struct server_counters_count servers;
    enum reconciled reconciled;
    uint32_t violations;
    char reason[512]; /* why it is not valid; "": it is */
};

struct table3_samples {
    struct table3_sample *list;
    size_t count;
};

/* cores_allowed: see bench/output/trial_times.h. */
void table3_sample_take(const struct table3_trial *trial, const struct trial_result *result,
                        double cores_allowed, struct table3_sample *sample);

/* Requests that read, and that write. */
uint64_t table3_sample_reads(const struct table3_sample *sample);
uint64_t table3_sample_writes(const struct table3_sample *sample);

/* Appends; the list is the caller's to table3_samples_deinit. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table3_samples_add(struct table3_samples *samples,
                                              const struct table3_sample *sample,
                                              struct error *error);
void table3_samples_deinit(struct table3_samples *samples);

/* What the rows of a folder have in common. */
struct table3_context {
    const char *run;    /* the folder's name */
    const char *target; /* struct target's name */
    uint64_t servers;
    uint64_t seed; /* of the plan */
};

/* The columns of barriers.csv, and a row. */
extern const char table3_sample_columns[];
void table3_sample_write(const struct table3_sample *sample, const struct table3_context *context,
                         struct csv *csv);

#endif

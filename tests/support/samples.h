// SPDX-License-Identifier: Apache-2.0
/*
 * samples: made-up trials of a run, as rows of trials.csv.
 */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include "bench/run/internal.h"

struct sample {
    struct cell cell;
    struct tally total;
    struct tally law;
    bool has_law;
    uint64_t handoffs;
    double elapsed_s;
    double drain_s;
    double handoff_us[4];
    double handoff_of_us[ROLES];
    double beta;
    struct stalls stalls;
    struct background_figures background;
    double recovery_s;
    struct server_counters_count servers;
    enum reconciled reconciled;
    uint32_t violations;
    bool complete;
    bool valid;
    char reason[832];
};

struct samples {
    struct sample *list;
    size_t count;
};

/* Their rows, and what they come to: the callee's, until the next call. */
const struct table *samples_rows(const struct samples *samples);
struct outcome *samples_outcome(const struct samples *samples, const struct options *options);

/* What a function tells, or writes as rows of a CSV file, of them: the caller's to free. */
char *samples_told(const struct samples *samples, const struct options *options,
                   void (*tell)(const struct outcome *outcome, FILE *stream));

#endif

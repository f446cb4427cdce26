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
    bool disturbed;
    uint32_t died; /* the session, + 1; 0: none */
    uint64_t died_handoff;
    uint32_t violations;
    bool complete;
    bool valid;
    char reason[832];
};

struct samples {
    struct sample *list;
    size_t count;
};

/* Their rows, what they come to, and its findings: the callee's, until the next call. */
const struct table *samples_rows(const struct samples *samples);
struct outcome *samples_outcome(const struct samples *samples, const struct options *options);
const struct table *samples_findings(const struct samples *samples, const struct options *options);

/* The sentence of the first finding of this kind about this subject (NULL: any); "": there is none.
 */
const char *samples_found(const struct table *findings, const char *slug, const char *subject);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * sample: the figures of a finished trial: a row of trials.csv. Layer: bench/run.
 */
#ifndef BENCH_RUN_SAMPLE_H
#define BENCH_RUN_SAMPLE_H

#include "base/error.h"
#include "bench/background/background.h"
#include "bench/run/cells.h"
#include "measure/csv.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
    struct cell cell;
    struct tally total;
    struct tally law;
    bool has_law;
    uint64_t handoffs;
    double elapsed_s;
    double drain_s;
    bool paced;                  /* --max-rate: times over several steps include pauses */
    double handoff_us[4];        /* p50, p90, p99, maximum; NaN without handoffs */
    double acquire_us[3];        /* p50, p99, maximum */
    double handoff_of_us[ROLES]; /* p50 of the sessions on servers of a role; NaN: none */
    double beta;                 /* the cost of one more waiter, in bare handoffs; NaN: unknown */
    double client_cpu_s;
    uint64_t client_rss_kib;
    uint64_t reconnects;
    struct stalls stalls;
    struct background_figures background; /* not measured without --background */
    double recovery_s; /* from a death to the next grant; NaN: no death, or no such grant */
    uint64_t repairs;
    struct server_counters_count servers;
    enum reconciled reconciled;
    uint32_t violations;
    uint64_t inversions;
    double fairness_jain;
    bool complete;    /* the trial ran to its end: its counts can be used */
    bool valid;       /* complete, and its times can be used: no stall of a server, no reconnect, no
                         overload of the driver */
    char reason[832]; /* why the trial is not valid, or which verdict failed; "": neither */
};

struct samples {
    struct sample *list;
    size_t count;
};

/* Fills *sample from a finished trial and the load beside it, without beta, which waiters_add
 * computes. cores_allowed: the cores that the trial's processes could use (cores.h). */
void sample_take(const struct cell *cell, const struct trial_result *result,
                 const struct background_figures *background, double cores_allowed,
                 struct sample *sample);

/* Figures of a trial, for medians and fits. Bytes are those sent and received together; the two
 * times are NaN where the trial was paced. */
double sample_rpcs(const struct sample *sample);
double sample_creates(const struct sample *sample);
double sample_notifications(const struct sample *sample);
double sample_names_listed(const struct sample *sample);
double sample_bytes(const struct sample *sample);
double sample_elapsed_s(const struct sample *sample);
double sample_drain_s(const struct sample *sample);

/* Appends; samples_deinit frees. */
MUST_CHECK enum error_kind samples_add(struct samples *samples, const struct sample *sample,
                                       struct error *error);
void samples_deinit(struct samples *samples);

/* The columns that are equal in all rows of a run. */
struct sample_context {
    const char *run;
    const char *target;
    size_t servers;
    const struct options *options;
};

/* A percentile for the files of a run: among values above the range the largest of them, exactly
 * (lib/measure/histogram.h); NaN of an empty histogram. */
double sample_percentile_us(const struct histogram *histogram, double percent);

/* The columns of trials.csv, and a sample's row. */
extern const char sample_columns[];
void sample_write(const struct sample *sample, const struct sample_context *context,
                  struct csv *csv);

#endif

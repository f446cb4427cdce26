// SPDX-License-Identifier: Apache-2.0
/*
 * background: the load of --background beside a trial, and its figures. Layer: bench/run.
 *
 * Each trial has the load measured twice: alone, for BACKGROUND_ALONE_S before the trial, and
 * while the trial's clients contend for the lock. Both are of the same sessions and the same
 * minute, so their ratio is the price of the contention.
 */
#ifndef BENCH_RUN_BACKGROUND_H
#define BENCH_RUN_BACKGROUND_H

#include "bench/cli/options.h"
#include "load/load_background.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stdint.h>

#define BACKGROUND_SESSIONS    10
#define BACKGROUND_DEPTH       16
#define BACKGROUND_VALUE_BYTES 1024
#define BACKGROUND_WARM_UP_NS  (500 * NS_PER_MS)
#define BACKGROUND_ALONE_S     2
#define BACKGROUND_LATE_NS     NS_PER_MS
#define BACKGROUND_P99_LEAST   100 /* requests, for a 99th percentile */
#define BACKGROUND_ABSENT_NS   (100 * NS_PER_MS)

/* Response times, from when a request was due; NaN: no request was due, or
 * fewer than BACKGROUND_P99_LEAST for a p99; infinite: above the histogram's range. */
struct background_figures {
    bool measured;
    double alone_p50_us, alone_p99_us;
    double contended_p50_us, contended_p99_us, contended_max_us;
    uint64_t requests;      /* answered, of those due while the lock was contended for */
    double contended_per_s; /* answered while the lock was contended for; NaN: for no time */
    uint64_t errors;        /* alone and contended */
    uint64_t unsent;        /* the same */
    uint64_t sent;          /* of the load alone: requests for which the driver had room */
    uint64_t sent_late;     /* of these: more than BACKGROUND_LATE_NS after they were due */
    uint64_t contended_sent, contended_sent_late; /* the same while the lock was contended for */
    uint64_t absent_ns;                           /* the longest that the driver did not run */
    uint32_t losses;                              /* of connections */
    char ended[512];                              /* why the load ended too early; "": it did not */
};

/* The figures of a load that has ended. */
struct background_figures background_figures_of(const struct load_result *result);

/* Runs a trial like trial_run, with the load beside it. Errors of load_background_end and of
 * trial_run. */
MUST_CHECK enum error_kind background_run(const struct options *options,
                                          const struct trial_plan *plan,
                                          const struct trial_host *host,
                                          struct background_figures *figures,
                                          struct trial_result **result, struct error *error);

#endif

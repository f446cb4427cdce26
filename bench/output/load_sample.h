// SPDX-License-Identifier: Apache-2.0
/*
 * load_sample: the figures of a trial of a load, whether they can be used, and the trial's row of
 * load.csv. Layer: bench/output.
 *
 * Invariant: a trial whose times are not the server's is not valid, and the reason names what was:
 * the driver, a session that was lost, another client.
 */
#ifndef BENCH_OUTPUT_LOAD_SAMPLE_H
#define BENCH_OUTPUT_LOAD_SAMPLE_H

#include "bench/output/load_cells.h"
#include "load/load.h"
#include "measure/csv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_sample {
    struct load_cell cell;
    uint64_t operations[LOAD_KINDS]; /* answered as foreseen, of those due in the measured time */
    uint64_t errors_of[LOAD_STATUSES];
    double offered_per_s;  /* NaN in a closed loop */
    double achieved_per_s; /* answered in the measured time, as foreseen */
    uint64_t errors;       /* in the measured time */
    uint64_t delayed, unsent;
    /* p50, p90, p99, p99.9, maximum; NaN: too few; infinite: above the histogram's range. */
    double response_us[5];
    uint64_t over_range; /* response times above the histogram's range */
    double service_us[5];
    double service_mean_us; /* NaN: none; infinite: one is above the histogram's range */
    double lag_us[3];       /* p50, p99, maximum; NaN in a closed loop */
    /* Of a load that leaves watches; see lib/load/fan_out.h. */
    uint64_t untimed;    /* notifications */
    uint64_t fired;      /* writes */
    double fan_out_mean; /* notifications of a write; NaN: none has fired one */
    uint64_t fan_out_max;
    double notification_us[5]; /* p50 and so on, as above */
    double first_notification_us[5];
    double last_notification_us[5];
    double set_service_us[5]; /* of sets */
    double client_cores;      /* that the workers used; NaN in a simulation, which has none */
    double server_cores;      /* that the private servers used; NaN: not known */
    uint64_t client_rss_kib;
    uint64_t reconnects;
    uint32_t losses;
    struct tally total; /* all requests from the order to start to the last reply */
    struct server_counters_count servers;
    enum reconciled reconciled;
    uint32_t marks;          /* of what happened to the servers in the measured time */
    uint32_t marks_left_out; /* for want of room: in no row of timeline.csv */
    bool complete;           /* the trial ran to its end */
    bool valid;              /* complete, and its times can be used */
    bool driver_bound;       /* not valid, because the driver was the limit */
    char reason[832];        /* why the trial is not valid, or which count differs; "": neither */
};

struct load_samples {
    struct load_sample *list;
    size_t count;
};

/* Fills *sample from a finished trial. cores_allowed: the cores that the trial's processes could
 * use (base/cores.h). */
void load_sample_take(const struct load_cell *cell, const struct load_result *result,
                      double cores_allowed, struct load_sample *sample);

/* The cores that the workers used, if this was their CPU time in a second; NaN in a simulation. */
double load_sample_client_cores(const struct load_result *result, uint64_t cpu_ns);

/* Appends; load_samples_deinit frees. */
MUST_CHECK enum error_kind load_samples_add(struct load_samples *samples,
                                            const struct load_sample *sample, struct error *error);
void load_samples_deinit(struct load_samples *samples);

/* The columns that are equal in all rows of a load. */
struct load_context {
    const char *run;
    const char *target;
    size_t servers;
    const struct load_options *options;
};

/* The columns of load.csv, and a sample's row. */
extern const char load_sample_columns[];
void load_sample_write(const struct load_sample *sample, const struct load_context *context,
                       struct csv *csv);

#endif

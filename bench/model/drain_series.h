// SPDX-License-Identifier: Apache-2.0
/*
 * drain_series: drains of several cells on servers, a series (bench/output/series.h) of one
 * topology. Layer: bench/model.
 *
 * Every round makes one trial of each cell, in a random order of its own. Before the first round
 * drains are run that are not kept, until the servers are warm: a JVM compiles what it runs often,
 * and in its first seconds a server takes several times longer.
 *
 * Invariant: that of series. A series that is cut short keeps nothing.
 */
#ifndef BENCH_MODEL_DRAIN_SERIES_H
#define BENCH_MODEL_DRAIN_SERIES_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/model/costs_file.h"
#include "bench/model/drain.h"
#include "bench/model/drain_options.h"
#include "bench/output/series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct drain_series;

/* What the subcommand does beside the trials; constant. */
struct drain_series_user {
    const char *subcommand;
    const char *piece; /* what an interrupted series would have made: "calibration" */
    /* The servers are open, and the cells laid out. The first error ends the series. NULL: nothing.
     */
    enum error_kind (*begin)(struct drain_series *series, void *context, struct error *error);
    /* All trials have been made, and the servers are stopped. Returns 0, or the exit status of an
     * error that it has complained about. *verdict, 0 before: 1: something fails; 4: not valid. */
    int (*tell)(struct drain_series *series, void *context, int *verdict);
};

struct drain_sample {
    size_t cell;
    bool stands; /* the trial was led to its end, and its times are those of the servers */
    double times_s[DRAIN_TIMES];
    double messages;      /* that the clients sent or received */
    double client_cpu_ns; /* of the driver */
};

/* The trials of a cell. */
struct drain_summary {
    uint32_t trials;             /* that stand */
    double times_s[DRAIN_TIMES]; /* geometric means; NaN: none */
};

struct drain_series {
    struct series base;
    const struct drain_series_user *user;
    void *context;
    struct drain_options *options;
    const struct target_options *target;
    struct drain_cell *cells;
    size_t cell_count;
    struct drain_sample *samples; /* of all trials, in the order in which they are made */
    size_t sample_count;          /* that have been made */
    size_t *order;                /* the cell of each trial */
    size_t trial_count;           /* that are planned */
    uint64_t *took_ns;            /* by the last trial of each cell; 0: there was none */
};

/* The options are those of one topology; they, the user and the context must outlive the series,
 * which must not be moved. output->out: a name that must not be in use, as of series_init. */
void drain_series_init(struct drain_series *series, struct drain_options *options,
                       const struct target_options *target, const struct output_options *output,
                       const struct drain_series_user *user, void *context);
void drain_series_deinit(struct drain_series *series);

/* Starts or finds the servers, warms them up, makes all trials, and stops the servers. Complains
 * about each trial that does not stand. Returns the exit status; errors have been complained about.
 */
int drain_series_lead(struct drain_series *series, int argc, char **argv);

/* Describes the open servers. */
void drain_series_record(const struct drain_series *series, struct costs_record *record);

/* The trials of a cell so far. */
struct drain_summary drain_series_summarize(const struct drain_series *series, size_t cell);

/* The standard deviation of the logarithm of a time over the trials of one cell, from all cells
 * together; 0 if no cell has two trials that stand. */
double drain_series_scatter(const struct drain_series *series, enum drain_time time);

/* The driver's CPU time for a message, in the cell with the most messages, where it matters most;
 * NaN if no trial stands. */
double drain_series_message_ns(const struct drain_series *series);

#endif

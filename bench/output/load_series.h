// SPDX-License-Identifier: Apache-2.0
/*
 * load_series: a series (bench/output/series.h) whose trials are those of a load. Layer:
 * bench/output.
 *
 * Invariant: whatever the outcome, no private server and no worker is left after load_series_lead;
 * files that were opened have the trials that were finished, or are removed if there was none.
 */
#ifndef BENCH_OUTPUT_LOAD_SERIES_H
#define BENCH_OUTPUT_LOAD_SERIES_H

#include "bench/output/live.h"
#include "bench/output/load_metrics.h"
#include "bench/output/load_record.h"
#include "bench/output/series.h"

/* The trials of a load. Every round makes one trial of each cell, in a random order of its own, so
 * that a drift of the machine or of the server affects all cells alike. */
struct load_cells {
    struct load_cell *list;
    size_t count;
    size_t rehearsals; /* how many of them, the first, are not to be kept */
};

/* All trials of the plan; the caller frees the list. */
struct load_cells load_cells_of(const struct load_options *options);

struct load_series;

/* The subcommand that a series is for; constant. */
struct load_series_user {
    const char *subcommand;
    const char *warning; /* for every manifest; NULL: none */
    /* Prints the results, and writes what the records do not, after the last trial and with the
     * servers stopped; not called without a trial. Returns 0, or the exit status of an error that
     * it has complained about. *verdict: 0; 1: something fails; 4: not valid. */
    int (*tell)(const struct load_series *series, void *context, int *verdict);
    /* Called for each trial that is kept, when its files have it; NULL: nobody asks. Errors end
     * the series. */
    enum error_kind (*keep)(void *context, const struct table_value *row,
                            const struct load_result *result, struct error *error);
    void *context;
    const struct load_fault *faults; /* of every trial; NULL: none */
    uint32_t fault_count;
};

struct load_series {
    struct series base;
    struct load_options *options;
    const struct load_series_user *user;
    struct load_record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct load_cells cells;
    struct live live;
    struct load_metrics metrics;
};

/* options and user are the caller's, and must outlive the series, which must not be moved. */
void load_series_init(struct load_series *series, struct load_options *options,
                      const struct load_series_user *user);
void load_series_deinit(struct load_series *series);

/* Starts or finds the servers, makes all trials, stops the servers, closes the records and has the
 * user tell. argv[0] is the subcommand. Returns the exit status; errors have been complained
 * about. */
int load_series_lead(struct load_series *series, int argc, char **argv);

/* What the records say: 0; 1: the servers counted otherwise; 4: a trial is not valid. */
int load_series_verdict(const struct load_series *series);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * load_series: a series (bench/output/series.h) whose trials are those of a load. Layer:
 * bench/output.
 *
 * Invariant: whatever the outcome, no private server and no worker is left after load_series_run;
 * files that were opened have the trials that were finished, or are removed if there was none.
 */
#ifndef BENCH_OUTPUT_LOAD_SERIES_H
#define BENCH_OUTPUT_LOAD_SERIES_H

#include "bench/output/load_rows.h"
#include "bench/output/series.h"
#include "load/load.h"

/* What a record has besides load.csv: timeline.csv, a row a second of the measured time;
 * operations.csv, a row for each kind of operation and each status of its replies; latency.csv,
 * percentiles for each kind and each role of the session's server, and of notifications;
 * latency.hlog, the same as histograms, and the response times of every second. */
struct load_files {
    struct series_record *record;
    struct csv timeline, operations, latency;
    FILE *hlog;
};

/* Adds the files to a record whose folder is open, and which must outlive them. */
MUST_CHECK enum error_kind load_files_open(struct load_files *files, struct series_record *record,
                                           struct error *error);

/* Writes a finished trial, and its row of load.csv. */
MUST_CHECK enum error_kind load_files_add(struct load_files *files, const struct table_value *row,
                                          const struct load_result *result, struct error *error);

/* ------------------------------------------------------------------ the series */

struct load_series;

/* The subcommand that a series is for; constant. */
struct load_series_user {
    const char *subcommand;
    const char *verdict_of_nothing; /* as in struct series_options */
    const char *warning;            /* for every manifest; NULL: none */
    /* As in struct series_user. */
    int (*print_results)(const struct load_series *series, void *context, int *verdict);
    /* Called for each trial that is kept, when its files have it; NULL: nothing. Errors end the
     * series. */
    enum error_kind (*keep)(void *context, const struct table_value *row,
                            const struct load_result *result, struct error *error);
    void *context;
    const struct load_fault *faults; /* of every trial; NULL: none */
    uint32_t fault_count;
    bool *interrupted; /* becomes whether a signal ended the series; or NULL */
};

struct load_series {
    struct series base;
    struct load_options *options;
    const struct load_series_user *user;
    struct load_files files[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct table found[OPTIONS_TOPOLOGIES_MAX];      /* load_cells of a record that is finished */
    struct load_cell *cells;                         /* each once */
};

/* The cells of the options, each once, for the caller to free; rounds, not yet initialized, get
 * their trials. */
struct load_cell *load_cells_new(const struct load_options *options, struct rounds *rounds);

/* Starts or finds the servers, makes all trials, stops the servers, closes the records and has the
 * user print the results. argv[0] is the subcommand. Returns the exit status; errors have been
 * complained about. */
int load_series_run(struct load_options *options, const struct load_series_user *user, int argc,
                    char **argv);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * table3_series: a series (bench/output/series.h) whose trials are those of Table 3. Layer:
 * bench/paper.
 *
 * Invariant: whatever the outcome, no private server and no worker is left after
 * table3_series_lead; files that were opened have the trials that were finished, or are removed if
 * there was none.
 */
#ifndef BENCH_PAPER_TABLE3_SERIES_H
#define BENCH_PAPER_TABLE3_SERIES_H

#include "bench/output/series.h"
#include "bench/paper/table3_plan.h"
#include "bench/paper/table3_record.h"

struct table3_series {
    struct series base;
    struct paper_options *options;
    struct table3_record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct table3_plan plan;
    /* Prints the results and writes what the records do not, after the last trial and with the
     * servers stopped; not called without a trial. Returns 0, or the exit status of an error that
     * it has complained about. *verdict: 0; 1: something fails; 4: not determined. */
    int (*tell)(const struct table3_series *series, int *verdict);
};

/* options are the caller's, and must outlive the series, which must not be moved. */
void table3_series_init(struct table3_series *series, struct paper_options *options,
                        int (*tell_results)(const struct table3_series *series, int *verdict));
void table3_series_deinit(struct table3_series *series);

/* Starts or finds the servers, makes all trials, stops the servers, closes the records and has the
 * results told. argv[0] is the subcommand. Returns the exit status; errors have been complained
 * about. */
int table3_series_lead(struct table3_series *series, int argc, char **argv);

#endif

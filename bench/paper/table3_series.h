// SPDX-License-Identifier: Apache-2.0
/*
 * table3_series: leads the trials of Table 3, from the start of the servers to the exit status.
 * Layer: bench/paper.
 *
 * Invariant: whatever the outcome, no private server and no worker is left after
 * table3_series_lead; files that were opened have the trials that were finished, or are removed if
 * there was none.
 */
#ifndef BENCH_PAPER_TABLE3_SERIES_H
#define BENCH_PAPER_TABLE3_SERIES_H

#include "bench/cli/progress.h"
#include "bench/paper/table3_plan.h"
#include "bench/paper/table3_record.h"
#include "bench/target/targets.h"

#include <stdbool.h>
#include <stddef.h>

struct table3_series {
    struct paper_options *options;
    struct targets targets;
    struct table3_record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    size_t record_count;
    struct table3_plan plan;
    struct progress progress;
    char left_out[512]; /* which numbers of clients, and why; "": none */
    struct error left;  /* ERROR_LEFT_BEHIND: znodes that could not be removed */
    bool made_data;     /* the folder of --data */
    bool interrupted;   /* by a signal */
    /* Prints the results and writes what the records do not, after the last trial and with the
     * servers stopped; not called without a trial. Returns 0, or the exit status of an error that
     * it has complained about. *verdict: 0; 1: something fails; 4: not determined. */
    int (*tell)(const struct table3_series *series, int *verdict);
};

/* options are the caller's, and must outlive the series, which must not be moved. */
void table3_series_init(struct table3_series *series, struct paper_options *options,
                        int (*tell)(const struct table3_series *series, int *verdict));
void table3_series_deinit(struct table3_series *series);

/* Starts or finds the servers, makes all trials, stops the servers, closes the records and has the
 * results told. argv[0] is the subcommand. Returns the exit status; errors have been complained
 * about. */
int table3_series_lead(struct table3_series *series, int argc, char **argv);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * paper_loads: leads the trials of an evaluation whose trials are loads. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_PAPER_LOADS_H
#define BENCH_PAPER_PAPER_LOADS_H

#include "bench/output/load_series.h"
#include "bench/paper/paper_options.h"
#include "bench/paper/paper_results.h"

#include <stdbool.h>

/* Gives each private server its share of the CPU, and makes all trials, after a rehearsal
 * if servers live through all of them (bench/output/load_series.h). tell: that of struct
 * load_series_user, with the options as context; its verdict is weighed with the records' own.
 * Returns the exit status; errors have been complained about. *interrupted: by a signal. argv[1] is
 * the name of the evaluation. */
int paper_loads_lead(struct paper_options *options, int argc, char **argv,
                     int (*tell)(const struct load_series *series, void *context, int *verdict),
                     bool *interrupted);

/* The same for a user with more than `tell`; its subcommand and warning are filled in here. */
int paper_loads_lead_for(const struct load_series_user *wanted, struct paper_options *options,
                         int argc, char **argv, bool *interrupted);

/* What a `tell` ends with: complains about the trials that are not valid, and tells the results,
 * which are added to the list of --json. *verdict: that of the judgements, or 1 if the servers have
 * counted otherwise. Returns what paper_results_tell does. */
int paper_loads_tell(const struct load_series *series, const struct paper_options *options,
                     const struct paper_results *results, int *verdict);

#endif

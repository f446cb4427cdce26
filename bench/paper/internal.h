// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of `zkherd paper` share. Layer: bench/paper.
 *
 * An experiment is an evaluation of the paper that can be repeated (Hunt et al., USENIX ATC 2010,
 * section 5). A new one is an entry of the list in paper.c, with a file of its own.
 */
#ifndef BENCH_PAPER_INTERNAL_H
#define BENCH_PAPER_INTERNAL_H

#include "bench/output/load_series.h"
#include "bench/output/row_grid.h"
#include "bench/paper/cells.h"
#include "bench/paper/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ------------------------------------------------------------------ experiments */

/* An experiment that is made. */
struct paper {
    const struct experiment *experiment;
    struct paper_options options;
    int argc; /* the command line: argv[0] and argv[1] are the subcommand and the name */
    char **argv;
    json_t *list;     /* of --json, to which a result is added; NULL: text */
    bool interrupted; /* by a signal, and the status says so */
};

/* Constant. */
struct experiment {
    const char *name; /* "table1": the operand, and the folder among all */
    const struct paper_command *command;
    int (*run)(struct paper *paper);   /* returns the exit status, after complaints */
    const struct paper_design *design; /* NULL: `run` has its own */
    /* The table for people, above the judgements. */
    const struct row_column *columns;
    size_t column_count;
    bool shows_ends; /* the first and the last value on the first axis alone */
};

extern const struct experiment experiment_table1, experiment_table2, experiment_table3,
    experiment_figure8;
extern const struct paper_design design_table1, design_table2, design_table3;

/* Gives each private server its share of the CPU, and makes all trials (load_series.h), after a
 * rehearsal unless servers are killed. The user's subcommand and warning are filled in. */
int paper_run_loads(struct paper *paper, const struct load_series_user *wanted);

/* The results of an experiment. */
struct paper_outcome {
    const struct paper *paper;
    const struct series *series;
    const struct table *file;  /* table1.csv, … */
    const struct table *cells; /* as many of each topology, in their order */
    struct shape *shape;
};

/* Adds the findings about trials to those of the shape. */
void paper_add_findings(const struct paper_outcome *outcome);

/* Adds the findings of the records, writes the files into the folder of the options, draws the
 * plots, adds the page, and prints, or adds the result to the list of --json. Returns 0, or the
 * exit status of an error that has been complained about; *verdict: the findings'. */
int paper_finish(const struct paper_outcome *outcome, int *verdict);

/* The same of the trials of a series, by the experiment's design. */
int paper_finish_design(const struct paper *paper, const struct series *series, int *verdict);

/* Appends an experiment to a list; takes the records. shape: NULL without a result. left_out: why
 * it was not made; NULL: it ended before its first trial did. */
void paper_json_add(json_t *list, const char *name, const char *left_out, const struct shape *shape,
                    const char *folder, json_t *records);

/* Whether an experiment of the list has a result: else there is nothing to write. */
bool paper_json_has_result(const json_t *list);

/* Writes one object, with the verdict of all; the list stays the caller's. cut_short: why trials
 * are missing; NULL: none is. */
void paper_json_write(json_t *list, const char *cut_short, FILE *stream);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of `zkherd paper` share. Layer: bench/paper.
 *
 * A new evaluation of the paper (Hunt et al., USENIX ATC 2010, section 5) is a struct evaluation in
 * a file of its own, and a row of the list in paper.c.
 */
#ifndef BENCH_PAPER_INTERNAL_H
#define BENCH_PAPER_INTERNAL_H

#include "bench/output/load_series.h"
#include "bench/paper/cells.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* ------------------------------------------------------------------ command_line */

/* Parses argv[1] …. ARGUMENTS_GO: the caller owns *options, to paper_options_deinit. Else the exit
 * status; mistakes have been complained about. With --connect the only number of servers is that of
 * the servers named. */
int paper_options_parse(const struct evaluation *evaluation, int argc, char **argv,
                        struct paper_options *options);
void paper_options_deinit(struct paper_options *options);

/* ------------------------------------------------------------------ the JSON */

/* The object of --json, which results are added to. */
struct paper_json {
    json_t *list;       /* of evaluations */
    enum verdict worst; /* of those that were not left out */
    bool has_result;    /* an evaluation of the list has one: else there is nothing to write */
};

/* Appends an evaluation; takes the records. shape: NULL without a result. left_out: why it was not
 * made; NULL: it was begun. */
void paper_json_add(struct paper_json *json, const char *name, const char *left_out,
                    const struct shape *shape, const char *folder, json_t *records);

/* Writes the object. cut_short: why trials are missing; NULL: none is. */
void paper_json_write(const struct paper_json *json, const char *cut_short, FILE *stream);

/* ------------------------------------------------------------------ an evaluation that is made */

struct paper {
    const struct evaluation *evaluation;
    struct paper_options options;
    int argc; /* the command line: argv[0] and argv[1] are the subcommand and the name */
    char **argv;
    struct paper_json *json; /* of --json; NULL: text */
    bool interrupted;        /* by a signal, and the status says so */
};

/* Gives each private server its share of the CPU, and makes all trials (load_series.h), after a
 * rehearsal unless servers are killed. The user's subcommand and warning are filled in. */
int paper_run_loads(struct paper *paper, const struct load_series_user *wanted);

/* The results of an evaluation. */
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
 * plots, adds the page, and prints, or adds the result to the JSON. Returns 0, or the exit status
 * of an error that has been complained about; *verdict: the findings'. */
int paper_finish(const struct paper_outcome *outcome, int *verdict);

/* The same of the trials of a series, by the evaluation's cells. */
int paper_finish_cells(const struct paper *paper, const struct series *series, int *verdict);

/* The exit status of two evaluations: a claim that fails outweighs an error, and both what is
 * undetermined. */
int paper_worse_status(int status, int other);

#endif

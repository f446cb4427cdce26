// SPDX-License-Identifier: Apache-2.0
/*
 * judgement: what is judged of an evaluation, and its cells: the trials at a number of servers and
 * a value on each axis. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_JUDGEMENT_H
#define BENCH_PAPER_JUDGEMENT_H

#include "bench/cli/options.h"
#include "bench/output/verdict.h"
#include "measure/statistics.h"
#include "measure/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPER_CONFIDENCE 0.95
#define PAPER_AXES_MAX   2

struct paper;

/* A figure of the paper, by the values on both axes; with one axis by the number of servers and the
 * value on it. */
struct paper_figure {
    uint64_t x, y;
    double value;
};

/* The trials at a number of servers and a value on each axis. */
struct paper_cell {
    uint64_t servers;
    uint64_t at[PAPER_AXES_MAX];
    size_t trials;             /* that ran to their end */
    size_t valid;              /* of these, without the starved ones */
    size_t starved;            /* in which the servers did not use what they may of the CPU */
    struct table_cell counted; /* the valid trials, or all if none is */
    double *values;            /* of the metric, in these trials */
    struct interval mean;
    double published; /* the paper's figure of the metric, or NaN */
};

#define SHAPE_COLUMNS(X, T)                                                                        \
    X(T, claim, TEXT, "", 0, KEY, "")                                                              \
    X(T, servers, COUNT, "", 0, KEY, "")                                                           \
    X(T, against_servers, COUNT, "", 0, KEY, "")                                                   \
    X(T, ratio, REAL, "", 4, NONE, "")                                                             \
    X(T, ratio_low, REAL, "", 4, NONE, "")                                                         \
    X(T, ratio_high, REAL, "", 4, NONE, "")                                                        \
    X(T, paper_ratio, REAL, "", 4, NONE, "")                                                       \
    X(T, verdict, TEXT, "", 0, EXACT, "")                                                          \
    X(T, quantity, TEXT, "", 0, NONE, "")                                                          \
    X(T, reason, TEXT, "", 0, NONE, "")                                                            \
    X(T, row, TEXT, "", 0, PRIVATE, "the claim in fewer words")
TABLE_DECLARE(shape, SHAPE_COLUMNS);

struct judgement {
    const char *claim;    /* such as "reads rise from 1 to 3 servers" */
    const char *row;      /* the same in fewer words, for a table of 80 columns */
    uint64_t servers;     /* that the claim is about */
    uint64_t against;     /* servers that they are compared with; 0: none */
    struct interval ours; /* a ratio or an exponent; low and high are NaN without valid trials */
    double paper;         /* the same of the paper's figures; NaN: the paper has none */
    size_t trials;        /* valid */
    enum verdict verdict;
    const char *reason;   /* of the verdict, without a period; NULL: the interval is */
    const char *obstacle; /* why nothing can be judged, instead of both; NULL: it can */
};

/* Adds the judgement, and its finding. */
void paper_add(struct paper *paper, const struct judgement *judgement);

/* Gathers and judges the trials of each topology; the rows must outlive the cells. */
void paper_judge(struct paper *paper, const struct table *const rows[]);

/* By the indices of a topology and of values on the axes; without a second axis the last is 0. */
struct paper_cell *paper_cell_at(const struct paper *paper, size_t topology, size_t first,
                                 size_t second);

/* A column of the trials that count, unknown ones as NaN; the caller's to free. */
double *paper_cell_values(const struct paper_cell *cell, size_t column);

/* The figure at a place; NaN if the paper has none. */
double paper_published(const struct paper_figure *list, size_t count, uint64_t x, uint64_t y);

/* Why these servers cannot show how throughput changes with their number, of writes or of reads
 * alone: a static text without a period; NULL if they can. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes);

#endif

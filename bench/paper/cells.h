// SPDX-License-Identifier: Apache-2.0
/*
 * cells: an evaluation of the paper, whose trials are gathered in cells; cells give judgements,
 * which are rows of shape.csv and findings. Layer: bench/paper.
 *
 * Invariant: a verdict counts valid trials alone. The figure of a cell without a valid trial is of
 * its trials that are not valid, and belongs to no verdict but "undetermined".
 */
#ifndef BENCH_PAPER_CELLS_H
#define BENCH_PAPER_CELLS_H

#include "bench/output/findings.h"
#include "bench/output/row_grid.h"
#include "bench/paper/options.h"
#include "measure/statistics.h"
#include "measure/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ judgements */

#define PAPER_CONFIDENCE 0.95

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
    const char *reason; /* of the verdict, without a period; NULL: the interval is */
};

/* What an evaluation comes to. */
struct shape {
    const char *quantity;  /* of a judgement: "ratio" or "exponent" */
    const char *unit;      /* of it: "times" or "power" */
    struct table rows;     /* shape.csv */
    struct table findings; /* findings.csv: a row for each judgement, and others */
};

struct shape shape_new(const char *quantity, const char *unit);
void shape_add(struct shape *shape, const struct judgement *judgement);
void shape_deinit(struct shape *shape);

/* Makes the judgement undetermined for this reason; NULL: leaves the judgement as it is. */
void judgement_deny(struct judgement *judgement, const char *reason);

/* ------------------------------------------------------------------ evaluations */

#define PAPER_AXES_MAX 2

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

/* The claim that a ratio of two cells is above 1, or below. */
struct paper_claim {
    enum {
        PAPER_SERVERS, /* from each number of servers to the next */
        PAPER_LEVELS,  /* with each number of servers, from each value on the axis to the next */
        PAPER_ENDS,    /* with each number of servers, from the first value on the axis to the last,
                          without a step at which the metric falls */
    } between;
    bool first; /* PAPER_SERVERS: with the first value on the axis; else with the last */
    bool falls;
    const char *words, *row; /* how the judgement's claim and its row begin */
    const char *noun;        /* what there is more of: "workers"; NULL: not named */
    const char *fixed;       /* what is the same in both cells: "server"; NULL: not named */
};

struct paper;
struct paper_cells;

/* An evaluation of the paper that can be repeated; constant. */
struct evaluation {
    const char *name; /* "table1": the operand, and the folder among all */

    /* The command line. */
    struct arguments arguments;
    const char *simulated; /* the default numbers of simulated servers */
    bool compares_servers; /* needs two numbers of private or simulated servers, or more */
    bool one_session;      /* takes one number of sessions */
    bool (*is_consistent)(const struct paper_options *options); /* complains; NULL: always */
    /* Why it cannot be made on these servers, without a period; NULL, as the function may be, if it
     * can. Among all it is left out then. */
    const char *(*find_obstacle)(const struct target_options *target);
    int (*run)(struct paper *paper); /* returns the exit status, after complaints */

    /* The cells: the columns of their file are the number of servers, the values on the axes,
     * `trials`, `valid`, and what `fill` adds. NULL: `run` has its own cells. */
    const struct table_type *figures;
    struct {
        size_t column; /* of the rows of trials */
        size_t levels; /* the offset of its struct levels in struct paper_options */
    } axes[PAPER_AXES_MAX];
    size_t axis_count;
    size_t complete, valid, metric; /* columns of the rows of trials */
    struct interval (*mean)(const double *values, size_t count, double confidence);
    bool (*is_starved)(const struct table_value *trial, const struct paper_cell *cell,
                       const struct target_options *target); /* NULL: never */
    const struct paper_figure *published;
    size_t published_count;
    void (*fill)(const struct paper_cell *cell, struct table_value *row);

    const struct paper_claim *claims;
    size_t claim_count;
    void (*judge)(struct paper_cells *cells); /* instead of by claims */
    const char *quantity, *unit;              /* as in struct shape */

    /* The table for people, above the judgements. */
    const struct row_column *columns;
    size_t column_count;
    bool shows_ends; /* the first and the last value on the first axis alone */
};

extern const struct evaluation evaluation_table1, evaluation_table2, evaluation_table3,
    evaluation_figure8;

/* ------------------------------------------------------------------ cells */

struct paper_cells {
    const struct evaluation *evaluation;
    const struct paper_options *options;
    size_t topologies, lengths[PAPER_AXES_MAX];
    struct paper_cell *list; /* by topology, and the values on the axes, all ascending */
    size_t count;
    struct table figures; /* a row a cell */
    struct shape shape;
};

/* Gathers and judges the trials of each topology. The options and the rows must outlive the cells,
 * the caller's to paper_cells_deinit. */
void paper_cells_init(struct paper_cells *cells, const struct evaluation *evaluation,
                      const struct paper_options *options, const struct table *const rows[]);
void paper_cells_deinit(struct paper_cells *cells);

/* By the indices of a topology and of values on the axes; without a second axis the last is 0. */
struct paper_cell *paper_cells_at(const struct paper_cells *cells, size_t topology, size_t first,
                                  size_t second);

/* A column of the trials that count, unknown ones as NaN; the caller's to free. */
double *paper_cell_values(const struct paper_cell *cell, size_t column);

/* The figure at a place; NaN if the paper has none. */
double paper_published(const struct paper_figure *list, size_t count, uint64_t x, uint64_t y);

/* Why these servers cannot show how throughput changes with their number, of writes or of reads
 * alone: a static text without a period; NULL if they can. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes);

#endif

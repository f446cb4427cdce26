// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of `zkherd paper` share. Layer: bench/paper.
 *
 * A new evaluation of the paper (Hunt et al., USENIX ATC 2010, section 5) is a struct evaluation,
 * and a row of the list in paper.c. Its trials are gathered in cells; cells give judgements, which
 * are rows of shape.csv and findings.
 *
 * Invariant: a verdict counts valid trials alone. The figure of a cell without a valid trial is of
 * its trials that are not valid, and belongs to no verdict but "undetermined".
 */
#ifndef BENCH_PAPER_INTERNAL_H
#define BENCH_PAPER_INTERNAL_H

#include "bench/output/row_grid.h"
#include "bench/output/series.h"
#include "bench/paper/options.h"

#include <jansson.h>

#define PAPER_CONFIDENCE 0.95
#define PAPER_AXES_MAX   2

struct paper;

/* A figure of the paper, by the values on both axes, or by servers and the value on the one. */
struct paper_figure {
    uint64_t x, y;
    double value;
};

/* The trials at a number of servers and a value on each axis. */
struct paper_cell {
    size_t topology; /* index of the target */
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
    const char *noun,
        *fixed; /* of what there is more, and the same: "workers", "server"; or NULL */
};

/* ------------------------------------------------------------------ an evaluation */

/* A member of the struct below, with the one behind it. */
#define PAPER_LIST(member, list) .member = list, .member##_count = sizeof(list) / sizeof(list)[0]

/* Constant. */
struct evaluation {
    const char *name; /* "table1": the operand, and the folder among all */

    struct arguments arguments;
    const char *simulated; /* the default numbers of simulated servers */
    bool (*is_consistent)(const struct paper_options *options); /* complains; NULL: always */
    int (*run)(struct paper *paper); /* returns the exit status, after complaints */

    /* The cells: the columns are the number of servers, the values on the axes, `trials`, `valid`,
     * `starved` if there are such trials, the mean of the metric with its interval, and others. */
    const struct table_type *figures;
    struct {
        size_t column; /* of the rows of trials */
        size_t levels; /* the offset of its struct levels in struct paper_options */
    } axes[PAPER_AXES_MAX];
    size_t axis_count;
    size_t complete, valid, metric; /* columns of the rows of trials */
    size_t cores; /* the column of the cores that servers used, of which those of a starved trial
                     with 100 on the first axis used too few; 0: no trial is starved */
    struct interval (*mean)(const double *values, size_t count, double confidence);
    const struct paper_figure *published;
    size_t published_count, published_column;                             /* of the cells */
    void (*fill)(const struct paper_cell *cell, struct table_value *row); /* the others; or NULL */
    const struct paper_claim *claims;
    size_t claims_count;
    void (*judge)(struct paper *paper); /* beside the claims; NULL: nothing */
    const char *quantity;               /* of a judgement: "ratio" or "exponent" */
    const char *unit;                   /* of it: "times" or "power" */
    const struct row_column *columns;   /* of the cells, for people */
    size_t columns_count;
};

extern const struct evaluation evaluation_table1, evaluation_table2, evaluation_table3;

/* An evaluation that is made, and what it comes to. */
struct paper {
    const struct evaluation *evaluation;
    struct paper_options options;
    int argc; /* the command line: argv[0] and argv[1] are the subcommand and the name */
    char **argv;
    bool interrupted; /* by a signal, and the status says so */
    json_t *results;  /* of --json: the cells of each topology; NULL: nothing has ended */

    struct paper_cell *cells; /* by topology, and the values on the axes, all ascending */
    size_t cell_count, lengths[PAPER_AXES_MAX]; /* of the axes, 1 without one */
    struct table figures, judgements;           /* a row a cell; shape.csv */
    struct table findings;                      /* a row a judgement, and those about trials */
};

struct paper paper_new(const struct evaluation *evaluation);
void paper_deinit(struct paper *paper);

/* ------------------------------------------------------------------ cells and judgements */

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

/* Adds the judgement, and its finding. */
void paper_add(struct paper *paper, const struct judgement *judgement);

/* Lays out the cells, which the options give: before the trials, or by paper_judge. */
void paper_lay_out(struct paper *paper);

/* Gathers and judges the trials of each topology; the rows must outlive the cells. */
void paper_judge(struct paper *paper, const struct table *const rows[]);

/* By the indices of a topology and of values on the axes. */
struct paper_cell *paper_cell_at(const struct paper *paper, size_t topology, size_t first,
                                 size_t second);

/* A column of the trials that count, unknown ones as NaN; the caller's to free. */
double *paper_cell_values(const struct paper_cell *cell, size_t column);

/* NaN if the paper has no figure there. */
double paper_published(const struct paper_figure *list, size_t count, uint64_t x, uint64_t y);

/* ------------------------------------------------------------------ trials and results */

void paper_add_trials(struct paper *paper, const struct series *series);

/* Judges all trials of a series, writes the files, draws the plots, adds the page, and prints, or
 * sets the results. Returns the exit status of the findings, or of an error that has been
 * complained about. */
int paper_finish(struct paper *paper, const struct series *series);

/* The evaluations of --json, to which paper_json_add appends one. paper: NULL without a result,
 * which leaves the verdict of all open. */
struct paper_list {
    json_t *json;
    enum verdict worst;
    bool has_result, interrupted; /* by a signal */
};
void paper_json_add(struct paper_list *list, const char *name, const struct paper *paper);

/* Writes the object, if an evaluation has a result or was interrupted, and frees the list. */
void paper_json_write(struct paper_list *list, FILE *stream);

/* The status of two: a claim that fails outweighs an error, and both what is undetermined. */
int paper_worse_status(int status, int other);

#endif

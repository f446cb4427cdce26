// SPDX-License-Identifier: Apache-2.0
/*
 * judgement: the claims about the shape of an evaluation, each with its interval and its verdict.
 * Layer: bench/paper.
 *
 * Invariant: a verdict is that of the interval, or `reason` says why it is another.
 */
#ifndef BENCH_PAPER_JUDGEMENT_H
#define BENCH_PAPER_JUDGEMENT_H

#include "base/error.h"
#include "bench/output/verdict.h"
#include "measure/csv.h"
#include "measure/statistics.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JUDGEMENT_CONFIDENCE 0.95

struct judgement {
    char claim[100];      /* such as "reads rise from 1 to 3 servers" */
    char row[48];         /* the same in fewer words, for a table of 80 columns */
    uint64_t servers;     /* that the claim is about */
    uint64_t against;     /* servers that they are compared with; 0: none */
    struct interval ours; /* a ratio or an exponent; low and high are NaN without valid trials */
    double paper;         /* the same of the paper's figures; NaN: the paper has none */
    enum verdict verdict;
    char reason[96]; /* why the verdict is not that of the interval, without a period; "": it is */
};

struct judgements {
    const char *quantity; /* what `ours` is: "ratio", "exponent"; a static text */
    const char *unit;     /* of it, for a heading: "times"; a static text */
    struct judgement *list;
    size_t count, room;
};

/* Appends a judgement, all zero, and returns it; NULL: ERROR_NO_MEMORY, with *error filled in. The
 * list is the caller's to judgements_deinit. */
struct judgement *judgements_add(struct judgements *judgements, struct error *error);
void judgements_deinit(struct judgements *judgements);

/* Makes the judgement undetermined for this reason; NULL: leaves the judgement as it is. */
void judgement_deny(struct judgement *judgement, const char *reason);

/* The ratio of the geometric means of b's values to a's, with its interval over trials
 * (statistics_ratio). No interval unless both have a valid trial. */
struct interval judgement_ratio(const double *b, size_t b_count, size_t b_valid, const double *a,
                                size_t a_count, size_t a_valid);

/* 0 if every judgement holds, 1 if one fails, else 4, as without a judgement. */
int judgements_exit_status(const struct judgements *judgements);

/* The file shape.csv. */
void judgements_write(const struct judgements *judgements, struct csv *csv);

/* A table for people, for a terminal of so many columns, and the reasons below the table.
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind judgements_print(const struct judgements *judgements, unsigned columns,
                                            FILE *stream, struct error *error);

/* Complains about each judgement that does not hold: for those who do not see the table. */
void judgements_complain(const struct judgements *judgements);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * table3: the time of double barriers against their number and that of the clients, and whether it
 * grows as in Table 3 of the paper. Layer: bench/paper.
 *
 * As in the paper, the time of a trial is the mean over its clients of the time in which a client
 * enters all barriers and leaves them, and the time of a cell the mean over its trials.
 *
 * Judged is that this time grows linearly with the barriers, for each number of clients, and with
 * the clients, for each number of barriers: as a power of them whose exponent, by least squares of
 * the logarithms of all valid trials, has a 95 % t-interval within 1 ± FIT_MARGIN (measure/fit.h).
 * That is the margin of O(n) everywhere in zkherd, and contains the exponents of the paper's own
 * figures, which it calls roughly linear.
 *
 * Invariant: a verdict counts valid trials alone. The figures of a cell without a valid trial are
 * of its trials that are not valid, and belong to no verdict but "undetermined".
 */
#ifndef BENCH_PAPER_TABLE3_H
#define BENCH_PAPER_TABLE3_H

#include "bench/paper/judgement.h"
#include "bench/paper/table3_sample.h"
#include "measure/csv.h"
#include "measure/fit.h"
#include "measure/statistics.h"

#include <stddef.h>
#include <stdint.h>

#define TABLE3_EXPONENT_LEAST (1 - FIT_MARGIN)
#define TABLE3_EXPONENT_MOST  (1 + FIT_MARGIN)

struct table3_cell {
    uint64_t servers;
    uint32_t clients, barriers;
    size_t trials;  /* that were led to their end */
    size_t valid;   /* of these */
    double *values; /* seconds of `count` trials: the valid ones, or all if none is */
    size_t count;
    struct interval seconds;
    /* Of those trials, NaN without one: */
    double passages_per_s; /* entries and departures of all clients */
    double requests_per_s;
    double reads_to_writes;
};

struct table3 {
    const struct paper_options *options;
    size_t topologies, clients, barriers; /* how many of each; the last two ascend */
    struct table3_cell *cells;            /* by topology, clients, barriers */
    double *values;                       /* of all cells */
    struct judgements judgements;
};

/* Gathers and judges the samples of each of the options' topologies. The options must outlive the
 * table, which on success is the caller's, to table3_deinit; ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table3_init(struct table3 *table, const struct paper_options *options,
                                       const struct table3_samples *const samples[],
                                       struct error *error);
void table3_deinit(struct table3 *table);

/* The cell of these indices. */
const struct table3_cell *table3_at(const struct table3 *table, size_t topology, size_t clients,
                                    size_t barriers);

/* The exponent of the paper's own figures: of the barriers for this number of clients, of the
 * clients for this number of barriers. NaN if the paper has no such line. */
double table3_paper_of_barriers(uint64_t clients);
double table3_paper_of_clients(uint64_t barriers);

/* The columns of table3.csv, and a cell's row. */
extern const char table3_columns[];
void table3_write(const struct table3_cell *cell, struct csv *csv);

#endif

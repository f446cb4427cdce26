// SPDX-License-Identifier: Apache-2.0
/*
 * table2: creates a second against workers and servers, and whether their shape is that of Table 2
 * of the paper. Layer: bench/paper.
 *
 * A worker is a session that creates a znode, waits for the reply, sends the delete of that znode
 * without waiting for its reply, and creates the next (the mix create-delete=100, depth 1). Only
 * the creates are in the figures.
 *
 * Two claims are judged, each by ratios of geometric means over trials, with 95 % t-intervals
 * (statistics_ratio): with each number of servers creates a second rise from each number of workers
 * to the next; and with the most workers they fall from each number of servers to the next.
 *
 * Invariant: a verdict counts valid trials alone. The figure of a cell without a valid trial is of
 * its trials that are not valid, and belongs to no verdict but "undetermined".
 */
#ifndef BENCH_PAPER_TABLE2_H
#define BENCH_PAPER_TABLE2_H

#include "bench/output/load_record.h"
#include "bench/paper/judgement.h"
#include "measure/csv.h"
#include "measure/statistics.h"

#include <stddef.h>
#include <stdint.h>

struct table2_cell {
    uint64_t servers, workers;
    size_t trials;  /* that were led to their end */
    size_t valid;   /* of these */
    double *values; /* creates a second of `count` trials: the valid ones, or all if none is */
    size_t count;
    struct interval per_s;
    struct interval latency_ms; /* of the mean latency of a create in each of these trials */
};

struct table2 {
    size_t topologies, levels;
    struct table2_cell *cells; /* of each topology, of each number of workers, both ascending */
    double *values;            /* of all cells */
    struct judgements judgements;
};

/* Gathers and judges the trials of a record for each of the options' topologies; the workers are
 * the options' sessions. What these servers cannot show (paper_servers_cannot_show) is
 * undetermined. On success the table is the caller's, to table2_deinit; ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table2_init(struct table2 *table, const struct load_options *options,
                                       const struct load_record *records, struct error *error);
void table2_deinit(struct table2 *table);

/* The cell of a topology and a number of workers, by their indices. */
const struct table2_cell *table2_at(const struct table2 *table, size_t topology, size_t level);

/* The columns of table2.csv, and a cell's row. */
extern const char table2_columns[];
void table2_write(const struct table2_cell *cell, struct csv *csv);

#endif

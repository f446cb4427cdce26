// SPDX-License-Identifier: Apache-2.0
/*
 * table1: throughput against servers and against the share of reads, and whether its shape is that
 * of Table 1 and Figure 5 of the paper. Layer: bench/paper.
 *
 * Three claims are judged, each by ratios of geometric means over trials, with 95 % t-intervals
 * (statistics_ratio): reads rise from each number of servers to the next, writes fall, and with
 * each number of servers throughput rises with the share of reads: from writes alone to reads
 * alone, with no step between neighbouring shares at which throughput falls.
 *
 * A trial of reads alone whose servers were starved (bench/target/core_shares.h) does not count as
 * valid.
 *
 * Invariant: a verdict counts valid trials alone. The figure of a cell without a valid trial is of
 * its trials that are not valid, and belongs to no verdict but "undetermined".
 */
#ifndef BENCH_PAPER_TABLE1_H
#define BENCH_PAPER_TABLE1_H

#include "bench/output/load_record.h"
#include "bench/paper/judgement.h"
#include "measure/csv.h"
#include "measure/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table1_cell {
    uint64_t servers;
    uint32_t reads; /* percent */
    size_t trials;  /* that were led to their end */
    size_t valid;   /* of these, without the starved ones */
    size_t starved; /* reads alone, and the servers did not use what they may of the CPU */
    double *values; /* operations a second of `count` trials: the valid ones, or all if none is */
    size_t count;
    struct interval per_s;
};

struct table1 {
    size_t topologies, shares;
    struct table1_cell *cells; /* of each topology, of each share of reads, both ascending */
    double *values;            /* of all cells */
    struct judgements judgements;
};

/* Gathers and judges the trials of a record for each of the options' topologies; the first share of
 * the options' reads is 0, and the last 100. What these servers
 * cannot show (paper_servers_cannot_show) is undetermined. On success the table is the caller's, to
 * table1_deinit; ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table1_init(struct table1 *table, const struct load_options *options,
                                       const struct load_record *records, struct error *error);
void table1_deinit(struct table1 *table);

/* The cell of a topology and a share, by their indices. */
const struct table1_cell *table1_at(const struct table1 *table, size_t topology, size_t share);

/* The columns of table1.csv, and a cell's row. */
extern const char table1_columns[];
void table1_write(const struct table1_cell *cell, struct csv *csv);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * table3_plan: the trials of Table 3, their order, and how long they take. Layer: bench/paper.
 *
 * A cell is a number of clients and of barriers on a topology of servers. Every round makes one
 * trial of each cell, in a random order of its own. Before the first round each topology rehearses
 * its largest cell, once.
 */
#ifndef BENCH_PAPER_TABLE3_PLAN_H
#define BENCH_PAPER_TABLE3_PLAN_H

#include "base/error.h"
#include "bench/paper/paper_options.h"

#include <stddef.h>
#include <stdint.h>

struct table3_trial {
    size_t topology; /* index of the target */
    uint32_t clients;
    uint32_t barriers;
    uint32_t number; /* from 1; 0: a rehearsal, not to be kept */
};

struct table3_plan {
    struct table3_trial *list;
    size_t count;
    size_t rehearsals; /* how many of them, the first, are not to be kept */
    /* What the trials so far took, and how many entries and departures they had. */
    uint64_t took_ns[OPTIONS_TOPOLOGIES_MAX];
    uint64_t passages[OPTIONS_TOPOLOGIES_MAX];
};

/* Lays out all trials; table3_plan_deinit frees. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table3_plan_init(struct table3_plan *plan,
                                            const struct paper_options *options,
                                            struct error *error);
void table3_plan_deinit(struct table3_plan *plan);

/* Entries and departures of all clients of a trial: the barrier operations of the paper. */
uint64_t table3_passages(const struct table3_trial *trial);

/* A trial took so long. */
void table3_plan_learn(struct table3_plan *plan, const struct table3_trial *trial,
                       uint64_t took_ns);

/* How long the trials from this one on will take, as if a passage of theirs took as long as those
 * so far; 0 while nothing is known of a topology. */
uint64_t table3_plan_left_ns(const struct table3_plan *plan, size_t from);

#endif

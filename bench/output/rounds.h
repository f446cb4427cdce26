// SPDX-License-Identifier: Apache-2.0
/*
 * rounds: the trials of an experiment, their order, and how long they take. Layer: bench/output.
 *
 * Every round makes one trial of each cell, in a random order of its own, so that a drift of the
 * machine or of the servers affects all cells alike. Rehearsals, which are not kept, are a round of
 * the cells that say so, before the first.
 */
#ifndef BENCH_OUTPUT_ROUNDS_H
#define BENCH_OUTPUT_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the order and the time depend on; what else a cell is, the user of the rounds knows. */
struct rounds_cell {
    size_t topology; /* index of the target */
    double cost;     /* of a trial, in a unit of the user's: requests, say */
    size_t alike;    /* from 0: trials of cells with one number take time by their cost */
    bool rehearsed;
};

struct rounds_trial {
    size_t cell;
    uint32_t number; /* from 1; 0: a rehearsal */
};

struct rounds {
    struct rounds_cell *cells;
    size_t cell_count;
    struct rounds_trial *trials;
    size_t trial_count;
    size_t rehearsals; /* the first of the trials */
    uint64_t trial_ns; /* how long each takes; 0: as those learnt from */
    struct rounds_experience {
        double cost, took_ns;
    } * learnt;           /* of the trials of cells that are alike */
    uint64_t shortest_ns; /* the shortest trial so far; 0: none was made */
};

/* Makes room for the cells, which are the caller's to fill before rounds_lay_out. */
void rounds_init(struct rounds *rounds, size_t cell_count);
void rounds_deinit(struct rounds *rounds);

/* Lays out `count` rounds of the cells, in orders that follow from the seed. */
void rounds_lay_out(struct rounds *rounds, uint32_t count, uint64_t seed);

/* Trials of this cost, of cells that are alike, have taken this time. */
void rounds_learn(struct rounds *rounds, size_t alike, double cost, uint64_t took_ns);

/* The estimated time of the trials from an index on. Trials of which nothing is known take as long
 * as the others; 0: nothing is known of any. */
uint64_t rounds_left_ns(const struct rounds *rounds, size_t from);

#endif

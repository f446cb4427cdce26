// SPDX-License-Identifier: Apache-2.0
#include "bench/output/series.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>

void rounds_init(struct rounds *rounds, size_t cell_count)
{
    *rounds = (struct rounds){.cells = memory_new(cell_count, sizeof *rounds->cells),
                              .cell_count = cell_count};
}

void rounds_deinit(struct rounds *rounds)
{
    free(rounds->cells);
    free(rounds->trials);
    free(rounds->learnt);
    *rounds = (struct rounds){0};
}

void rounds_lay_out(struct rounds *rounds, uint32_t count, uint64_t seed)
{
    struct random random;
    size_t cells = rounds->cell_count, kinds = 0;
    for (size_t i = 0; i < cells; i++)
        kinds = rounds->cells[i].alike >= kinds ? rounds->cells[i].alike + 1 : kinds;
    random_init(&random, seed);
    rounds->learnt = memory_new(kinds, sizeof *rounds->learnt);
    rounds->trials = memory_new(cells * ((size_t)count + 1), sizeof *rounds->trials);
    for (uint32_t number = 0; number <= count; number++) {
        struct rounds_trial *round = rounds->trials + rounds->trial_count;
        size_t trials = 0;
        for (size_t i = 0; i < cells; i++) {
            if (number > 0 || rounds->cells[i].rehearsed)
                round[trials++] = (struct rounds_trial){i, number};
        }
        if (trials > 0)
            random_shuffle(&random, round, trials, sizeof *round);
        rounds->rehearsals += number == 0 ? trials : 0;
        rounds->trial_count += trials;
    }
}

void rounds_learn(struct rounds *rounds, size_t alike, double cost, uint64_t took_ns)
{
    rounds->learnt[alike].cost += cost;
    rounds->learnt[alike].took_ns += cost > 0 ? (double)took_ns : 0;
}

uint64_t rounds_left_ns(const struct rounds *rounds, size_t from)
{
    double left_ns = 0;
    size_t known = 0, left = rounds->trial_count - from;
    if (rounds->trial_ns != 0)
        return left * rounds->trial_ns;
    for (size_t i = from; i < rounds->trial_count; i++) {
        const struct rounds_cell *cell = &rounds->cells[rounds->trials[i].cell];
        const struct rounds_experience *learnt = &rounds->learnt[cell->alike];
        if (!(learnt->cost > 0))
            continue;
        known++;
        left_ns += learnt->took_ns / learnt->cost * cell->cost;
    }
    return known > 0 ? (uint64_t)(left_ns * (double)left / (double)known) : 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * cost_list: the costs of a simulation (sim/options.h) as a list of numbers, in nanoseconds. Layer:
 * bench/model.
 *
 * Invariant: every list has COST_LIST_COUNT numbers, in the order of SIM_COST_LIST.
 */
#ifndef BENCH_MODEL_COST_LIST_H
#define BENCH_MODEL_COST_LIST_H

#include "sim/options.h"

#include <stddef.h>

enum cost_list_index {
#define X(name) COST_LIST_##name,
    SIM_COST_LIST(X)
#undef X
        COST_LIST_COUNT
};

/* "read", "apply", ...; a static string. index: below COST_LIST_COUNT. */
const char *cost_list_name(size_t index);

/* The index of a name; COST_LIST_COUNT: there is none. */
size_t cost_list_find(const char *name);

void cost_list_take(const struct sim_costs *costs, double *list_ns);

/* Rounds to whole nanoseconds. */
struct sim_costs cost_list_give(const double *list_ns);

#endif

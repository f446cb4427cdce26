// SPDX-License-Identifier: Apache-2.0
#include "bench/model/cost_list.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {
#define X(name) #name,
    SIM_COST_LIST(X)
#undef X
};

const char *cost_list_name(size_t index)
{
    return names[index];
}

size_t cost_list_find(const char *name)
{
    size_t index = 0;
    while (index < COST_LIST_COUNT && strcmp(names[index], name) != 0)
        index++;
    return index;
}

void cost_list_take(const struct sim_costs *costs, double *list_ns)
{
#define X(name) list_ns[COST_LIST_##name] = (double)costs->name##_ns;
    SIM_COST_LIST(X)
#undef X
}

struct sim_costs cost_list_give(const double *list_ns)
{
    return (struct sim_costs){
#define X(name) .name##_ns = (uint64_t)llround(list_ns[COST_LIST_##name]),
        SIM_COST_LIST(X)
#undef X
    };
}

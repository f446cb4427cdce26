// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/figure8_plan.h"

/* With fewer servers two of them cannot be killed. */
#define SERVERS_FOR_TWO 5

static uint32_t events_of(uint64_t servers)
{
    return servers < SERVERS_FOR_TWO ? FIGURE8_EVENTS_MAX - 1 : FIGURE8_EVENTS_MAX;
}

uint64_t figure8_plan_parts(uint64_t servers)
{
    return 3 * events_of(servers) + 2;
}

void figure8_plan_init(struct figure8_plan *plan, uint64_t servers, uint64_t duration_ns)
{
    static const struct load_fault kills[FIGURE8_EVENTS_MAX] = {
        {.target = LOAD_FAULT_FOLLOWER, .servers = 1},
        {.target = LOAD_FAULT_ANOTHER_FOLLOWER, .servers = 1},
        {.target = LOAD_FAULT_LEADER, .servers = 1},
        {.target = LOAD_FAULT_FOLLOWER, .servers = 2},
        {.target = LOAD_FAULT_LEADER, .servers = 1},
    };
    *plan = (struct figure8_plan){.events = events_of(servers),
                                  .part_ns = duration_ns / figure8_plan_parts(servers)};
    for (uint32_t i = 0, kill = 0; i < plan->events; i++, kill++) {
        if (kills[kill].servers == 2 && servers < SERVERS_FOR_TWO)
            kill++;
        plan->faults[(size_t)2 * i] = kills[kill];
        plan->faults[(size_t)2 * i].action = LOAD_FAULT_KILL;
        plan->faults[(size_t)2 * i].at_ns = (2 + 3 * i) * plan->part_ns;
        plan->faults[(size_t)2 * i + 1] = (struct load_fault){.action = LOAD_FAULT_RESTART,
                                                              .target = LOAD_FAULT_DOWN,
                                                              .at_ns = (3 + 3 * i) * plan->part_ns};
    }
}

const char *figure8_plan_word(const struct figure8_plan *plan, uint32_t event)
{
    const struct load_fault *kill = &plan->faults[(size_t)2 * event];
    if (kill->target == LOAD_FAULT_LEADER)
        return "the leader";
    if (kill->servers > 1)
        return "two followers";
    return kill->target == LOAD_FAULT_FOLLOWER ? "a follower" : "another follower";
}

bool figure8_plan_is_of_leader(const struct figure8_plan *plan, uint32_t event)
{
    return plan->faults[(size_t)2 * event].target == LOAD_FAULT_LEADER;
}

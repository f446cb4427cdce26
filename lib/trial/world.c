// SPDX-License-Identifier: Apache-2.0
#include "trial/world.h"

#include "base/clock.h"

uint64_t world_now_ns(const struct world *world)
{
    return world->simulated != NULL ? simulated_now_ns(world->simulated) : clock_now_ns();
}

enum fault_kind world_turn(const struct world *world, uint64_t until_ns, struct fault *fault)
{
    if (world->simulated == NULL)
        return events_poll(world->events, until_ns, fault);
    if (simulated_next_ns(world->simulated) <= until_ns)
        simulated_step(world->simulated);
    else
        simulated_advance(world->simulated, until_ns);
    return FAULT_NONE;
}

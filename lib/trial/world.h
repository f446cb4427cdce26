// SPDX-License-Identifier: Apache-2.0
/*
 * world: where a trial's sessions live, and its time passes. Layer: trial.
 *
 * Real servers: the event loop of the driver's own session (zk/events.h), and the host's monotonic
 * clock. A simulation (zk/simulated.h): its agenda, and its own time, which moves only in
 * world_turn.
 */
#ifndef TRIAL_WORLD_H
#define TRIAL_WORLD_H

#include "base/fault.h"
#include "zk/events.h"
#include "zk/simulated.h"

#include <stdint.h>

struct world {
    struct events *events;       /* real servers; else NULL */
    struct simulated *simulated; /* a simulation; else NULL */
};

uint64_t world_now_ns(const struct world *world);

/* Lets something happen, or time pass until until_ns at the latest: what is ready in the event
 * loop, or the simulation's next event. Those of events_poll. */
MUST_CHECK enum fault_kind world_turn(const struct world *world, uint64_t until_ns,
                                      struct fault *fault);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * stage: where a trial's sessions live, and its time passes. Layer: trial.
 *
 * Real servers: the event loop of the driver's own session (zk/events.h), and the host's monotonic
 * clock. A simulation (zk/simulated.h): its agenda, and its own time, which moves only in
 * stage_turn.
 */
#ifndef TRIAL_STAGE_H
#define TRIAL_STAGE_H

#include "base/fault.h"
#include "zk/events.h"
#include "zk/simulated.h"

#include <stdint.h>

struct stage {
    struct events *events;       /* real servers; else NULL */
    struct simulated *simulated; /* a simulation; else NULL */
};

uint64_t stage_now_ns(const struct stage *stage);

/* Lets something happen, or time pass until until_ns at the latest: what is ready in the event
 * loop, or the simulation's next event. Those of events_poll. */
MUST_CHECK enum fault_kind stage_turn(const struct stage *stage, uint64_t until_ns,
                                      struct fault *fault);

#endif

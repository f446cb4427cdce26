// SPDX-License-Identifier: Apache-2.0
/*
 * loop: where a trial's sessions live, and its time passes. Layer: fleet.
 *
 * Real servers: the event loop of the driver's own session (client/event_loop.h), and the host's
 * monotonic clock. A simulation (sim/sim.h): its agenda, and its own time, which moves only in
 * loop_turn.
 */
#ifndef FLEET_LOOP_H
#define FLEET_LOOP_H

#include "base/error.h"
#include "client/event_loop.h"
#include "sim/sim.h"

#include <stdint.h>

struct loop {
    struct event_loop *event_loop; /* real servers; else NULL */
    struct sim *sim;               /* a simulation; else NULL */
};

uint64_t loop_now_ns(const struct loop *loop);

/* Lets something happen, or time pass until until_ns at the latest: what is ready in the event
 * loop, or the simulation's next event. Those of event_loop_poll. */
MUST_CHECK enum error_kind loop_turn(const struct loop *loop, uint64_t until_ns,
                                     struct error *error);

#endif

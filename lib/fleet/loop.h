// SPDX-License-Identifier: Apache-2.0
/*
 * loop: the event loop and the clock of zkherd's own session. Layer: fleet.
 *
 * With real servers these are a client/event_loop.h and the monotonic clock. In a simulation
 * (sim/sim.h) they are its agenda and its time, which passes only in loop_turn.
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

/* Handles what is ready in the event loop, or the simulation's next event; waits for that until
 * until_ns at most. Errors of event_loop_poll. */
MUST_CHECK enum error_kind loop_turn(const struct loop *loop, uint64_t until_ns,
                                     struct error *error);

#endif

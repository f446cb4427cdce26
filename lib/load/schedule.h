// SPDX-License-Identifier: Apache-2.0
/*
 * schedule: when a session is to send each of its operations, at an offered rate. Layer: load.
 *
 * Each session draws its own due times, and all sessions together offer the rate: constant times
 * interleave, session after session; the sum of independent Poisson processes is one. No due time
 * depends on a reply: a server that is late is offered the same load (an open system).
 *
 * Invariant: due times never go back, and depend on the seed alone.
 */
#ifndef LOAD_SCHEDULE_H
#define LOAD_SCHEDULE_H

#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

struct schedule {
    uint64_t due_ns; /* of the next operation */
    uint64_t start_ns;
    uint64_t rate_per_s; /* of all sessions together */
    uint32_t sessions;
    bool poisson;          /* else at constant distances */
    uint64_t number;       /* constant: of the next operation, among those of all sessions */
    double since_start_ns; /* Poisson: due_ns, but in fractions */
    struct random random;
};

/* The schedule of one session of so many, from start_ns on. rate_per_s is not 0. */
void schedule_init(struct schedule *schedule, uint64_t rate_per_s, bool poisson, uint32_t session,
                   uint32_t sessions, uint64_t start_ns, uint64_t seed);

/* The operation of due_ns is sent or given up: due_ns is the next one's. */
void schedule_advance(struct schedule *schedule);

/* Gives up all operations that are due before until_ns, and returns how many they are. At constant
 * distances that takes no time; at random, a draw for each. */
uint64_t schedule_skip(struct schedule *schedule, uint64_t until_ns);

#endif

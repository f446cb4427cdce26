// SPDX-License-Identifier: Apache-2.0
/*
 * random: a private, seeded generator (xoshiro256**, Blackman and Vigna 2018). Layer: base.
 *
 * libc's generator is not used: the ZooKeeper C client reseeds it at any time.
 * Invariant: the same seed gives the same sequence on every machine.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

/* Any seed, zero included. */
void random_init(struct random *random, uint64_t seed);

/* The next 64 random bits. */
uint64_t random_next(struct random *random);

/* A number in 0 … bound-1, all equally likely; bound must not be zero. */
uint64_t random_below(struct random *random, uint64_t bound);

/* A number in [0, 1). */
double random_unit(struct random *random);

/* An exponentially distributed number with this mean. */
double random_exponential(struct random *random, double mean);

/* A random order (Fisher and Yates). */
void random_shuffle(struct random *random, void *items, size_t count, size_t item_size);

#endif

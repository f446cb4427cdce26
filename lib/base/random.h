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

/* 64 random bits; a number in 0 … bound-1, bound above 0; a number in [0, 1); an exponentially
 * distributed number. */
uint64_t random_next(struct random *random);
uint64_t random_below(struct random *random, uint64_t bound);
double random_unit(struct random *random);
double random_exponential(struct random *random, double mean);

/* A random order (Fisher and Yates). */
void random_shuffle(struct random *random, void *items, size_t count, size_t item_size);

#endif

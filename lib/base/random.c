// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <assert.h>
#include <math.h>

static uint64_t rotate_left(uint64_t bits, unsigned count)
{
    return (bits << count) | (bits >> (64 - count));
}

/* splitmix64 spreads a seed over the state: xoshiro must not start from all zeros. */
void random_init(struct random *random, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++) {
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->state[i] = z ^ (z >> 31);
    }
}

uint64_t random_next(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    assert(bound > 0);
    /* Without the first 2^64 mod bound values all remainders are equally likely. */
    uint64_t dropped = (0 - bound) % bound;
    uint64_t value;
    do {
        value = random_next(random);
    } while (value < dropped);
    return value % bound;
}

double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1.0p-53;
}

double random_exponential(struct random *random, double mean)
{
    return -mean * log1p(-random_unit(random));
}

void random_shuffle(struct random *random, void *items, size_t count, size_t item_size)
{
    unsigned char *bytes = items;
    for (size_t left = count; left > 1; left--) {
        unsigned char *a = bytes + random_below(random, left) * item_size;
        unsigned char *b = bytes + (left - 1) * item_size;
        for (size_t i = 0; i < item_size; i++) {
            unsigned char held = a[i];
            a[i] = b[i];
            b[i] = held;
        }
    }
}

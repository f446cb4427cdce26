// SPDX-License-Identifier: Apache-2.0
/*
 * value: the data of a znode, shared by all servers of a simulation and the messages that carry it.
 * Layer: sim, below the simulation.
 *
 * Invariant: its bytes never change; a znode without data has NULL.
 */
#ifndef SIM_VALUE_H
#define SIM_VALUE_H

#include "sim/slab.h"

#include <stddef.h>
#include <stdint.h>

struct value {
    uint32_t references;
    uint32_t length;
    char bytes[];
};

/* A copy of these bytes with one reference, the caller's; NULL if there are none. */
struct value *value_take(struct slab *slab, const void *bytes, size_t length);

/* Adds a reference; removes one. NULL is fine. */
struct value *value_hold(struct value *value);
void value_release(struct slab *slab, struct value *value);

#endif

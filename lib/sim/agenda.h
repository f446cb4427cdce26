// SPDX-License-Identifier: Apache-2.0
/*
 * agenda: the future events of a simulation, by time. Layer: sim.
 *
 * Invariant: entries come out in the order of their due times, and those with the same time in the
 * order in which they were added. No entry is due before the present time.
 */
#ifndef SIM_AGENDA_H
#define SIM_AGENDA_H

#include "sim/slab.h"

#include <stdbool.h>
#include <stdint.h>

struct agenda {
    struct slab *slab;
    struct agenda_entry *heap;
    size_t heap_capacity;
    size_t count;
    struct agenda_call *calls;
    size_t call_capacity;
    uint32_t *free_places; /* in calls */
    size_t free_capacity;
    size_t free_count;
    size_t places; /* ever taken in calls */
    uint64_t order;
    uint64_t now_ns;
};

/* The memory is the slab's. The time begins at 0. */
void agenda_init(struct agenda *agenda, struct slab *slab);

/* Adds a call; one that is due before now is due now. */
void agenda_add(struct agenda *agenda, uint64_t due_ns, void (*call)(void *context), void *context);

/* When the next entry is due; UINT64_MAX if there is none. */
uint64_t agenda_next_ns(const struct agenda *agenda);

/* Advances the time to until_ns, before which nothing may be due. A past time changes nothing. */
void agenda_advance(struct agenda *agenda, uint64_t until_ns);

/* Takes the next entry, advances the time to its due time and calls it; false if there is none. */
bool agenda_step(struct agenda *agenda);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * agenda: what is to happen in a simulation, by time. Layer: sim, below the simulation.
 *
 * Invariant: of two entries the earlier due comes out first, and of two that are due at once the
 * one that was put in first. What is put in while another is carried out is never due before it.
 */
#ifndef SIM_AGENDA_H
#define SIM_AGENDA_H

#include "sim/slab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to do when an entry is due. */
struct agenda_call {
    void (*call)(void *context);
    void *context;
};

struct agenda {
    struct slab *slab;
    struct agenda_entry *heap;
    size_t heap_capacity;
    size_t count;
    struct agenda_call *calls;
    size_t call_capacity;
    uint32_t *free_places; /* of calls */
    size_t free_capacity;
    size_t free_count;
    size_t places; /* of calls, that were ever taken */
    uint64_t order;
    uint64_t now_ns;
};

/* The memory is the slab's. The time begins at 0. */
void agenda_init(struct agenda *agenda, struct slab *slab);

/* Enters a call; one that is due before now is due now. */
void agenda_add(struct agenda *agenda, uint64_t due_ns, void (*call)(void *context), void *context);

/* When the next entry is due; UINT64_MAX if there is none. */
uint64_t agenda_next_ns(const struct agenda *agenda);

/* Moves the time on; nothing may be due before, and a time that is past is fine. */
void agenda_advance(struct agenda *agenda, uint64_t until_ns);

/* Takes the next entry out, moves the time on to it and carries it out; false if there is none. */
bool agenda_step(struct agenda *agenda);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <assert.h>

/* An event of the agenda. */
struct sim_event {
    uint64_t due_ns;
    uint64_t order; /* of those that are due at the same time */
    void (*call)(void *context);
    void *context;
};

#define FANOUT 4 /* children of an event in the heap, which lie side by side */

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->order < b->order);
}

/* Moves the hole at this index up to where the event belongs. */
static void sift_up(struct sim_event *heap, size_t at, struct sim_event event)
{
    while (at > 0 && before(&event, &heap[(at - 1) / FANOUT])) {
        heap[at] = heap[(at - 1) / FANOUT];
        at = (at - 1) / FANOUT;
    }
    heap[at] = event;
}

/* Moves the hole at the top down to a leaf, and then the event up from there: it was the last of
 * the heap, and belongs near its end. */
static void sift_down(struct sim_event *heap, size_t count, struct sim_event event)
{
    size_t at = 0;
    for (size_t below = 1; below < count; below = at * FANOUT + 1) {
        size_t end = below + FANOUT < count ? below + FANOUT : count;
        size_t least = below;
        for (size_t i = below + 1; i < end; i++)
            least = before(&heap[i], &heap[least]) ? i : least;
        heap[at] = heap[least];
        at = least;
    }
    sift_up(heap, at, event);
}

void sim_at(struct sim *sim, uint64_t due_ns, void (*call)(void *context), void *context)
{
    struct sim_agenda *agenda = &sim->agenda;
    agenda->heap =
        pool_grow(&sim->pool, agenda->heap, &agenda->capacity, agenda->count, sizeof *agenda->heap);
    struct sim_event event = {sim_later(due_ns, sim->now_ns), agenda->order++, call, context};
    sift_up(agenda->heap, agenda->count++, event);
}

uint64_t sim_now_ns(const struct sim *sim)
{
    return sim->now_ns;
}

uint64_t sim_next_ns(const struct sim *sim)
{
    return sim->agenda.count == 0 ? UINT64_MAX : sim->agenda.heap[0].due_ns;
}

void sim_advance(struct sim *sim, uint64_t until_ns)
{
    assert(sim_next_ns(sim) >= until_ns);
    sim->now_ns = sim_later(sim->now_ns, until_ns);
}

bool sim_step(struct sim *sim)
{
    struct sim_agenda *agenda = &sim->agenda;
    if (agenda->count == 0)
        return false;
    struct sim_event event = agenda->heap[0];
    if (--agenda->count > 0)
        sift_down(agenda->heap, agenda->count, agenda->heap[agenda->count]);
    sim->now_ns = event.due_ns;
    event.call(event.context);
    return true;
}

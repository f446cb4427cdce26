// SPDX-License-Identifier: Apache-2.0
#include "sim/agenda.h"

#include <assert.h>

/* An entry has 16 bytes, so that its four children in the heap share a cache line: the low bits of
 * `order` are the index of its call. */
#define PLACE_BITS 24
#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
#define FANOUT     4

struct agenda_entry {
    uint64_t due_ns;
    uint64_t order;
};

struct agenda_call {
    void (*call)(void *context);
    void *context;
};

typedef unsigned __int128 wide;

static bool before(struct agenda_entry a, struct agenda_entry b)
{
    return ((wide)a.due_ns << 64 | a.order) < ((wide)b.due_ns << 64 | b.order);
}

void agenda_init(struct agenda *agenda, struct slab *slab)
{
    *agenda = (struct agenda){.slab = slab};
}

static uint32_t take_place(struct agenda *agenda)
{
    if (agenda->free_count > 0)
        return agenda->free_places[--agenda->free_count];
    size_t place = agenda->places++;
    assert(place <= PLACE_MASK);
    agenda->calls = slab_grow(agenda->slab, agenda->calls, &agenda->call_capacity, place,
                              sizeof *agenda->calls);
    agenda->free_places = slab_grow(agenda->slab, agenda->free_places, &agenda->free_capacity,
                                    place, sizeof *agenda->free_places);
    return (uint32_t)place;
}

static void sift_up(struct agenda_entry *heap, size_t at, struct agenda_entry entry)
{
    while (at > 0) {
        size_t above = (at - 1) / FANOUT;
        if (!before(entry, heap[above]))
            break;
        heap[at] = heap[above];
        at = above;
    }
    heap[at] = entry;
}

/* The earliest of four entries. Without branches, which could not be predicted. */
static size_t first_of_four(const struct agenda_entry *heap, size_t at)
{
    size_t a = before(heap[at + 1], heap[at]) ? at + 1 : at;
    size_t b = before(heap[at + 3], heap[at + 2]) ? at + 3 : at + 2;
    return before(heap[b], heap[a]) ? b : a;
}

/* Moves the hole at the top down to a leaf, and then the entry up from there: it was the last of
 * the heap, and belongs near its end. */
static void sift_down(struct agenda_entry *heap, size_t count, struct agenda_entry entry)
{
    size_t at = 0, below = 1;
    for (; below + FANOUT <= count; below = at * FANOUT + 1) {
        size_t least = first_of_four(heap, below);
        heap[at] = heap[least];
        at = least;
    }
    if (below < count) {
        size_t least = below;
        for (size_t i = below + 1; i < count; i++)
            least = before(heap[i], heap[least]) ? i : least;
        heap[at] = heap[least];
        at = least;
    }
    sift_up(heap, at, entry);
}

void agenda_add(struct agenda *agenda, uint64_t due_ns, void (*call)(void *context), void *context)
{
    uint32_t place = take_place(agenda);
    agenda->calls[place] = (struct agenda_call){call, context};
    agenda->heap = slab_grow(agenda->slab, agenda->heap, &agenda->heap_capacity, agenda->count,
                             sizeof *agenda->heap);
    struct agenda_entry entry = {.due_ns = due_ns < agenda->now_ns ? agenda->now_ns : due_ns,
                                 .order = agenda->order++ << PLACE_BITS | place};
    sift_up(agenda->heap, agenda->count++, entry);
}

uint64_t agenda_next_ns(const struct agenda *agenda)
{
    return agenda->count == 0 ? UINT64_MAX : agenda->heap[0].due_ns;
}

void agenda_advance(struct agenda *agenda, uint64_t until_ns)
{
    assert(agenda_next_ns(agenda) >= until_ns);
    if (until_ns > agenda->now_ns)
        agenda->now_ns = until_ns;
}

bool agenda_step(struct agenda *agenda)
{
    if (agenda->count == 0)
        return false;
    struct agenda_entry entry = agenda->heap[0];
    uint32_t place = (uint32_t)(entry.order & PLACE_MASK);
    struct agenda_call call = agenda->calls[place];
    agenda->free_places[agenda->free_count++] = place;
    if (--agenda->count > 0)
        sift_down(agenda->heap, agenda->count, agenda->heap[agenda->count]);
    agenda->now_ns = entry.due_ns;
    call.call(call.context);
    return true;
}

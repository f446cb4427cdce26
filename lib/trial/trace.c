// SPDX-License-Identifier: Apache-2.0
#include "trial/trace.h"

#include <stdlib.h>

/* A client of zkherd's recipes has fewer than ten messages in a handoff. */
#define PLACES_PER_CLIENT 32

size_t trace_places(size_t handoffs, uint32_t locks, uint32_t clients)
{
    return handoffs * ((size_t)clients + locks) * PLACES_PER_CLIENT;
}

bool trace_has(const struct trace *trace, uint64_t handoff)
{
    for (size_t i = 0; i < trace->count; i++) {
        if (trace->handoffs[i] == handoff)
            return true;
    }
    return false;
}

void trace_note(struct trace *trace, const struct trace_event *event)
{
    uint64_t number = atomic_fetch_add(&trace->noted, 1);
    if (number >= trace->places)
        return;
    trace->events[number] = *event;
    trace->events[number].number = number;
}

size_t trace_kept(const struct trace *trace)
{
    uint64_t noted = atomic_load(&trace->noted);
    return noted < trace->places ? (size_t)noted : trace->places;
}

uint64_t trace_lost(const struct trace *trace)
{
    return atomic_load(&trace->noted) - trace_kept(trace);
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct trace_event *one = a, *other = b;
    if (one->lock != other->lock)
        return order(one->lock, other->lock);
    if (one->handoff != other->handoff)
        return order(one->handoff, other->handoff);
    if (one->at_ns != other->at_ns)
        return order(one->at_ns, other->at_ns);
    return order(one->number, other->number);
}

void trace_sort(struct trace *trace)
{
    qsort(trace->events, trace_kept(trace), sizeof *trace->events, compare);
}

const char *trace_kind_word(enum trace_kind kind)
{
    static const char *const words[] = {
        [TRACE_RELEASE] = "release",           [TRACE_REQUEST] = "request", [TRACE_REPLY] = "reply",
        [TRACE_NOTIFICATION] = "notification", [TRACE_GRANT] = "grant",
    };
    return words[kind];
}

const char *trace_operation_word(enum operation operation)
{
    static const char *const words[] = {
        [OP_CREATE] = "create", [OP_EXISTS] = "exists",
        [OP_GET] = "get",       [OP_GET_CHILDREN] = "get_children",
        [OP_SET] = "set",       [OP_DELETE] = "delete",
        [OP_SYNC] = "sync",     [OP_MULTI] = "multi",
    };
    return words[operation];
}

const char *trace_event_word(enum client_event event)
{
    static const char *const words[] = {
        [EVENT_CREATED] = "created", [EVENT_DELETED] = "deleted", [EVENT_CHANGED] = "changed",
        [EVENT_CHILD] = "child",     [EVENT_OTHER] = "other",
    };
    return words[event];
}

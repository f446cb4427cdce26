// SPDX-License-Identifier: Apache-2.0
/*
 * trace: the messages of chosen handoffs, one by one. Layer: trial, below the trial's memory.
 *
 * The ledger counts the messages of a handoff; the trace keeps them, with the session and the time
 * of each. All processes of the trial write to it: a place is taken with one atomic addition.
 *
 * Invariant: nothing here grows after the gate has opened. Messages that find no place are counted.
 */
#ifndef TRIAL_TRACE_H
#define TRIAL_TRACE_H

#include "client/client.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most so many handoffs of each lock are traced. */
#define TRACE_HANDOFFS_MAX 64

enum trace_kind {
    TRACE_RELEASE, /* the holder begins its release; the time of the handoff counts from here */
    TRACE_REQUEST,
    TRACE_REPLY,
    TRACE_NOTIFICATION,
    TRACE_GRANT
};

struct trace_event {
    uint64_t number; /* its place in the order in which the events of the trial were noted */
    uint64_t handoff;
    uint64_t at_ns;      /* on the trial's clock */
    uint64_t latency_ns; /* reply: since the request */
    uint32_t lock;
    uint32_t session;
    enum trace_kind kind;
    enum operation operation; /* request, reply */
    enum zk_status status;    /* reply */
    enum client_event event;  /* notification */
    bool wakes;               /* notification: the session waited for it */
};

struct trace {
    const uint64_t *handoffs; /* to be traced, ascending, `count` of them */
    size_t count;
    struct trace_event *events;
    size_t places;
    _Atomic uint64_t noted; /* events, those without a place included */
};

/* The places for so many handoffs of each of these locks, with this many clients in all: as many as
 * a client of any recipe that does not poll needs, several times over. */
size_t trace_places(size_t handoffs, uint32_t locks, uint32_t clients);

/* Whether this handoff is to be traced. */
bool trace_has(const struct trace *trace, uint64_t handoff);

/* Keeps the event, which gets its number. */
void trace_note(struct trace *trace, const struct trace_event *event);

/* The number of events that are kept, and of those that found no place. */
size_t trace_kept(const struct trace *trace);
uint64_t trace_lost(const struct trace *trace);

/* Puts the events that are kept into the order of lock, handoff, time and number. To be called when
 * nobody notes any more. */
void trace_sort(struct trace *trace);

/* Words for trace.csv: static strings. */
const char *trace_kind_word(enum trace_kind kind);
const char *trace_operation_word(enum operation operation);
const char *trace_event_word(enum client_event event);

#endif

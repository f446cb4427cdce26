// SPDX-License-Identifier: Apache-2.0
/*
 * handoffs: the locks of any clients, and what each handoff costs, out of the messages that pass.
 * Layer: relay.
 *
 * A listener of conversations: the changes that the messages ask for and confirm go to
 * history/locks.h, and each message is counted in the row that is open, as in a trial's ledger: a
 * request when it is sent, a notification, an error and the names of a list when they arrive. A
 * message is about the lock whose folder, znode or place its path is, or else about the lock at
 * which its session has arrived last. What a session asks of a lock's folder just before it arrives
 * there counts as its arrival's; requests before that, such as those that make parents, and all of
 * sessions that never arrive, belong to no lock. A release is the request to delete a place, or to
 * close its session.
 *
 * Invariant: a message is in one row at most.
 */
#ifndef RELAY_HANDOFFS_H
#define RELAY_HANDOFFS_H

#include "history/locks.h"
#include "history/orders.h"
#include "measure/histogram.h"
#include "relay/conversation.h"

/* So many rows are kept. */
#define HANDOFFS_ROWS_MAX 200000

/* A message of a handoff that is traced, or its release, or its grant. */
#define HANDOFFS_EVENTS_MAX 200000
enum handoffs_event_kind {
    HANDOFFS_RELEASE,
    HANDOFFS_REQUEST,
    HANDOFFS_REPLY,
    HANDOFFS_NOTIFICATION,
    HANDOFFS_GRANT
};
struct handoffs_event {
    uint32_t lock, session; /* their numbers */
    uint64_t handoff, released_ns;
    size_t waiters;
    uint64_t at_ns, latency_ns; /* the latency of a reply */
    enum handoffs_event_kind kind;
    enum tally_kind request; /* of a request and a reply */
    int32_t code;            /* of a reply the error, of a notification the event */
    bool wakes;
};

struct handoffs_row {
    uint32_t lock; /* its index */
    struct locks_row row;
};

struct handoffs {
    struct locks *locks;
    struct handoffs_row *rows; /* closed, of every lock, in the order of their ends */
    size_t row_count;
    const uint64_t *traced; /* the numbers of the handoffs whose messages are kept: the caller's */
    size_t traced_count;
    struct handoffs_event *events; /* in the order of lock, handoff and time, once it is ended */
    size_t event_count;
    uint64_t lost; /* rows and events that were not kept */
    struct orders orders;
    struct tally elsewhere; /* what makes folders before a lock is there */
    id_tree before;         /* of each session what it has asked before it arrives */
};

/* Its context is the struct handoffs; it is not told of openings. */
extern const struct conversation_listener handoffs_listener;

/* Ends with handoffs_deinit. */
void handoffs_init(struct handoffs *handoffs);
void handoffs_deinit(struct handoffs *handoffs);

/* Closes the rows that are open: nothing may come afterwards. */
void handoffs_end(struct handoffs *handoffs, uint64_t at_ns);

#endif

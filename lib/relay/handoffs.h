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
 * there counts as its arrival's; requests before that, such as those that make parents, belong to
 * no lock. A release is the request to delete a place, or to close its session.
 *
 * Invariant: a message is in one row at most.
 */
#ifndef RELAY_HANDOFFS_H
#define RELAY_HANDOFFS_H

#include "history/locks.h"
#include "measure/histogram.h"
#include "relay/conversation.h"

/* So many rows are kept. */
#define HANDOFFS_ROWS_MAX 200000

struct handoffs_row {
    uint32_t lock; /* its index */
    struct locks_row row;
};

struct handoffs {
    struct locks *locks;
    struct handoffs_row *rows; /* closed, of every lock, in the order of their ends */
    size_t row_count;
    uint64_t lost;          /* rows that were not kept */
    struct tally elsewhere; /* what makes folders before a lock is there */
    void *before; /* of each session what it has asked before it arrives: a tree of tsearch */
};

/* Its context is the struct handoffs; it is not told of openings. */
extern const struct conversation_listener handoffs_listener;

/* Ends with handoffs_deinit. */
void handoffs_init(struct handoffs *handoffs);
void handoffs_deinit(struct handoffs *handoffs);

/* Closes the rows that are open: nothing may come afterwards. */
void handoffs_end(struct handoffs *handoffs, uint64_t at_ns);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * orders: in which order a session of a lock sends its requests. Layer: history.
 *
 * A session's requests are cut into sequences: what it asks to arrive, up to its first notification
 * or its release; and what it asks after each notification, up to the next one or its release, by
 * which it had held the lock, or up to the one that tells it so. Of each kind the sequence that
 * most often occurs is the order.
 *
 * Invariant: every request is in one sequence; a sequence is cut off after ORDERS_LENGTH requests.
 */
#ifndef HISTORY_ORDERS_H
#define HISTORY_ORDERS_H

#include "base/id_tree.h"
#include "measure/tally.h"

#include <stddef.h>
#include <stdint.h>

enum orders_kind { ORDERS_ARRIVAL, ORDERS_GRANTED, ORDERS_IN_VAIN, ORDERS_KINDS };

#define ORDERS_LENGTH 16
#define ORDERS_MOST   32 /* different sequences of a kind; further ones are not told apart */

struct orders_sequence {
    enum tally_kind requests[ORDERS_LENGTH];
    size_t length;
    uint64_t times;
};

struct orders {
    struct orders_sequence sequences[ORDERS_KINDS][ORDERS_MOST];
    size_t counts[ORDERS_KINDS];
    id_tree sessions;
};

/* All zero bytes: nothing was asked. Ends with orders_deinit. A release is told before its own
 * request, which belongs to no sequence. */
void orders_ask(struct orders *orders, int64_t session, enum tally_kind request);
void orders_notify(struct orders *orders, int64_t session);
void orders_release(struct orders *orders, int64_t session);
void orders_deinit(struct orders *orders);

/* The order of a kind; NULL: there was no sequence of it. */
const struct orders_sequence *orders_most(const struct orders *orders, enum orders_kind kind);

#endif

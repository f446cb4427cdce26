// SPDX-License-Identifier: Apache-2.0
/*
 * order: which of the requests that are to be sent again must go before another. Layer: relay.
 *
 * Two requests are about the same if one of them writes a znode that the other names, or makes or
 * deletes a znode just below it. Of two such requests the later one waits until the earlier one is
 * sent; and if that was answered in the recording before the later one was asked, until it is
 * answered. Requests about different znodes, and two that only read, do not wait for each other.
 *
 * Invariant: a request waits for earlier ones only.
 */
#ifndef RELAY_ORDER_H
#define RELAY_ORDER_H

#include "relay/path_tree.h"
#include "wire/message.h"

#include <stdbool.h>
#include <stdint.h>

/* A request; it must not move while it is in an order. */
struct order_request {
    uint64_t asked;    /* when it was asked in the recording, as a number that only grows */
    uint64_t answered; /* likewise; 0: it has not been yet */
    bool sent;         /* again */
    struct order_touch *touches;
};

/* Adds the latest request, whose `asked` is set, to a tree of what requests are about. */
void order_add(path_tree *places, struct order_request *request,
               const struct message_request *message);

/* Takes it out: it is answered, or will never be. */
void order_remove(struct order_request *request);

/* Whether it must wait for another one. */
bool order_waits(const struct order_request *request);

/* Every request has been taken out. */
void order_free(path_tree *places);

#endif

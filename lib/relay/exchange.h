// SPDX-License-Identifier: Apache-2.0
/*
 * exchange: a request of a recording and the same one sent again, until both replies are known and
 * compared. Layer: relay.
 *
 * Sequential znodes get other names when they are made again: with both replies the names of the
 * recording are settled (relay/rename.h).
 *
 * Invariant: an exchange is compared once, if it has both replies.
 */
#ifndef RELAY_EXCHANGE_H
#define RELAY_EXCHANGE_H

#include "relay/order.h"
#include "wire/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exchange_side { EXCHANGE_RECORDED, EXCHANGE_REPLAYED, EXCHANGE_SIDES };

#define EXCHANGE_DIFFERENCES_MOST 1000

/* A reply with another error code than the recorded one. */
struct exchange_difference {
    enum opcode opcode;
    int32_t recorded,
        replayed;   /* 0: no error; of a transaction that of its first part that failed */
    uint64_t at_ns; /* when it was requested, from the start of the recording */
    uint64_t connection;
    char *path; /* as it was recorded; "": none */
};

/* Ends with exchange_forget. */
struct exchange_comparison {
    struct {
        uint64_t equal, differ; /* replies that were recorded and came: by their error codes */
    } operations[OPCODES];
    struct exchange_difference *differences; /* the first EXCHANGE_DIFFERENCES_MOST */
    size_t difference_count;
};

struct exchange {
    enum opcode opcode;
    uint64_t at_ns; /* from the start of the recording */
    uint64_t connection;
    uint64_t tag; /* the caller's */
    bool answered[EXCHANGE_SIDES];
    int32_t code[EXCHANGE_SIDES];
    char *made[EXCHANGE_SIDES]; /* paths of znodes, a line each: none has a line feed */
    struct order_request order;
    struct exchange **list, *previous, *next; /* of the connection */
    /* The list of all that have no reply yet in the replay, in the order of the recording: */
    bool listed, waits; /* for a notification: the caller sets it */
    struct exchange *older, *newer;
};

/* Those of all connections. */
struct exchanges {
    struct exchange_comparison *comparison;
    path_tree *names; /* of sequential znodes, to be settled */
    const char *root; /* of the paths that are sent */
    path_tree places; /* of what has no reply in the replay */
    uint64_t active;  /* the moment of the oldest that waits for no notification */
    /* exchange.c's own: */
    uint64_t moment;                  /* grows with each request and each reply of the recording */
    struct exchange *oldest, *newest; /* without a reply in the replay */
};

/* Adds one to a connection's list. It is sent again unless the request is NULL. */
struct exchange *exchange_add(struct exchanges *exchanges, struct exchange **list,
                              const struct exchange *facts, const struct message_request *request);

/* A reply has come on one side, to the request with this path there. */
void exchange_reply(struct exchanges *exchanges, struct exchange *exchange, enum exchange_side side,
                    const struct message_reply *reply, struct jute_bytes path);

/* No further reply comes to the replay's request. */
void exchange_give_up(struct exchanges *exchanges, struct exchange *exchange);

/* Frees it. Returns whether it was sent, and had a reply in the recording alone. */
bool exchange_end(struct exchanges *exchanges, struct exchange *exchange);

/* Looks for the oldest that waits for something else than a notification: exchanges->active. */
void exchange_find_active(struct exchanges *exchanges);

void exchange_forget(struct exchange_comparison *comparison);

#endif

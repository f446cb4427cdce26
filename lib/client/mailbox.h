// SPDX-License-Identifier: Apache-2.0
/*
 * mailbox: messages of other threads to a session's thread, in their order. Layer: client.
 *
 * The thread that takes the letters is the mailbox's owner. While the owner is busy, inside a call
 * that may take long, it takes no letters. To post to a full mailbox waits for room.
 *
 * Invariant: no letter is dropped before the mailbox is closed, except by mailbox_keep_orders.
 * Nothing is allocated.
 */
#ifndef CLIENT_MAILBOX_H
#define CLIENT_MAILBOX_H

#include "client/calls.h"
#include "client/client.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAILBOX_LETTERS_MAX 8

enum letter_kind { LETTER_STATE, LETTER_EVENT, LETTER_ORDER, LETTER_REPLY, LETTER_AUTHENTICATED };

struct letter {
    enum letter_kind kind;
    int value; /* enum client_state, enum client_event, the order, or the library's code */
    char path[REQUEST_COPY_PATH_MAX];
    struct client_reply *reply; /* LETTER_REPLY: the poster's, until mailbox_reply_read */
};

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool busy;
    bool reply_posted, reply_taken; /* and unread */
    bool orders_only;
    bool closed;
    size_t first, count;
    struct letter letters[MAILBOX_LETTERS_MAX];
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_deinit(struct mailbox *mailbox);

/* For all threads. */

/* The path is shorter than REQUEST_COPY_PATH_MAX. */
void mailbox_post(struct mailbox *mailbox, enum letter_kind kind, int value, const char *path);

/* Posts a letter without a path. If the owner is busy, calls `at_once` instead, on the caller's
 * thread; the owner stays busy until `at_once` has returned. */
void mailbox_post_or_call(struct mailbox *mailbox, enum letter_kind kind, int value,
                          void (*at_once)(void *context, int value), void *context);

/* Posts a reply, and waits until it was read or dropped: then it is the caller's again. For one
 * thread at a time. */
void mailbox_hand_over(struct mailbox *mailbox, struct client_reply *reply);

bool mailbox_is_busy(struct mailbox *mailbox);

/* From now on letters that are not orders are dropped, also those in the mailbox. A thread that
 * waits for room for one continues. */
void mailbox_keep_orders(struct mailbox *mailbox);

/* From now on all letters are dropped, also those in the mailbox. */
void mailbox_close(struct mailbox *mailbox);

/* For the owner. */

enum mailbox_news { MAILBOX_LETTER, MAILBOX_EMPTY, MAILBOX_CLOSED };

/* Takes the next letter, without waiting. If there is none and the owner has other work, the owner
 * is busy from now on. */
enum mailbox_news mailbox_take(struct mailbox *mailbox, bool has_to_do, struct letter *letter);

/* The owner has read the reply that it took last. */
void mailbox_reply_read(struct mailbox *mailbox);

/* The owner is busy no longer. False if the mailbox is closed. */
bool mailbox_return(struct mailbox *mailbox);

/* Waits for a letter or the closing, until `until_ns` of the monotonic clock; 0: for ever. */
void mailbox_await(struct mailbox *mailbox, uint64_t until_ns);

#endif

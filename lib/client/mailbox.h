// SPDX-License-Identifier: Apache-2.0
/*
 * mailbox: what a session's thread is sent by other threads, in the order in which it was sent.
 * Layer: client, below threads.
 *
 * The thread that empties it is its owner. From time to time the owner is busy: inside something
 * that may take long, and deaf to letters. Who posts to a full mailbox waits for room.
 *
 * Invariant: nothing is dropped before the mailbox is closed, but for what mailbox_keep_orders
 * says; and nothing is allocated.
 */
#ifndef CLIENT_MAILBOX_H
#define CLIENT_MAILBOX_H

#include "client/request_copy.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAILBOX_LETTERS_MAX 8

enum letter_kind { LETTER_STATE, LETTER_EVENT, LETTER_ORDER, LETTER_REPLY };

struct letter {
    enum letter_kind kind;
    int value; /* enum client_state, enum client_event, or the order */
    char path[REQUEST_COPY_PATH_MAX];
    struct client_reply *reply; /* LETTER_REPLY: the poster's, until mailbox_reply_read */
};

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool busy;
    bool reply_posted, reply_taken; /* and not read yet */
    bool orders_only;
    bool closed;
    size_t first, count;
    struct letter letters[MAILBOX_LETTERS_MAX];
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_deinit(struct mailbox *mailbox);

/* ------------------------------------------------------------------ for everybody */

/* The path is shorter than REQUEST_COPY_PATH_MAX. */
void mailbox_post(struct mailbox *mailbox, enum letter_kind kind, int value, const char *path);

/* Posts a letter without a path. But if the owner is busy, calls `at_once` instead, on the caller's
 * thread; the owner stays busy until that has returned. */
void mailbox_post_or_call(struct mailbox *mailbox, enum letter_kind kind, int value,
                          void (*at_once)(void *context, int value), void *context);

/* Posts a reply, and waits until it has been read, or dropped: it is the caller's from then on. For
 * one thread at a time. */
void mailbox_hand_over(struct mailbox *mailbox, struct client_reply *reply);

bool mailbox_is_busy(struct mailbox *mailbox);

/* From here on only orders are posted, and found: what else is, or was, is dropped. Who waits for
 * room for it goes on. */
void mailbox_keep_orders(struct mailbox *mailbox);

/* From here on nothing is posted, and nothing found. */
void mailbox_close(struct mailbox *mailbox);

/* ------------------------------------------------------------------ for the owner */

enum mailbox_news { MAILBOX_LETTER, MAILBOX_EMPTY, MAILBOX_CLOSED };

/* Takes the next letter, if there is one. If there is none and the owner has something to do
 * instead, it is busy from here on. Waits for nothing. */
enum mailbox_news mailbox_take(struct mailbox *mailbox, bool has_to_do, struct letter *letter);

/* The reply that was taken last has been read. */
void mailbox_reply_read(struct mailbox *mailbox);

/* The owner is busy no longer. False if the mailbox is closed. */
bool mailbox_return(struct mailbox *mailbox);

/* Waits for a letter, the end, or until `until_ns` of the monotonic clock; 0: without end. */
void mailbox_await(struct mailbox *mailbox, uint64_t until_ns);

#endif

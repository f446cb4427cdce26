// SPDX-License-Identifier: Apache-2.0
/*
 * messages: what clients and servers say on a connection, as bytes, for tests. Layer: tests.
 */
#ifndef TESTS_SUPPORT_MESSAGES_H
#define TESTS_SUPPORT_MESSAGES_H

#include "relay/conversation.h"

#define CLIENT CONVERSATION_CLIENT
#define SERVER CONVERSATION_SERVER

#define MESSAGES_MOST 64
#define BYTES_MOST    512

struct message {
    enum conversation_side from;
    unsigned char bytes[BYTES_MOST];
    size_t count;
};

/* What was said, and how many of them: the test's to set to 0. */
extern struct message messages[MESSAGES_MOST];
extern size_t messages_count;

/* Appends a message of these fields: i an int, l a long, both given as int; f a flag, s a text, n
 * null, a the usual ACL, S a stat. */
void messages_say(enum conversation_side from, const char *fields, ...);

/* Appends a message of these words: each is a field, by its letter, and behind that its value. */
void messages_say_words(enum conversation_side from, const char *words);

/* Appends the openings of a session. */
void messages_open(int session);

/* Says every record that a request or a reply may have, and replies that overtake others. */
void messages_hold(void);

#endif

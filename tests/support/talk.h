// SPDX-License-Identifier: Apache-2.0
/*
 * talk: messages of a client and of a server as bytes, with their lengths. Layer: tests/support.
 */
#ifndef TESTS_SUPPORT_TALK_H
#define TESTS_SUPPORT_TALK_H

#include "relay/conversation.h"

#define CLIENT CONVERSATION_CLIENT
#define SERVER CONVERSATION_SERVER

#define MESSAGES_MOST 64
#define BYTES_MOST    512

/* What was said so far; a test sets the count to 0. */
struct message {
    enum conversation_side from;
    unsigned char bytes[BYTES_MOST];
    size_t count;
};
extern struct message messages[MESSAGES_MOST];
extern size_t message_count;

/* Appends a message of these fields: i an int, l a long, f a flag, s a text, n null, a the usual
 * ACL, S a stat. */
void say(enum conversation_side from, const char *fields, ...);

void say_opening(void);

/* Says every record that a request or a reply may have, and replies that overtake others. */
void hold_a_conversation(void);

#endif

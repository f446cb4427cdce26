// SPDX-License-Identifier: Apache-2.0
/*
 * told: what the targets of libFuzzer have in common: a check, and a listener of conversations that
 * adds up what is told, so that two readings can be compared.
 */
#ifndef TESTS_FUZZ_TOLD_H
#define TESTS_FUZZ_TOLD_H

#include "relay/conversation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, with a report, unless this holds. */
void require(bool holds);

struct told {
    uint64_t bytes[CONVERSATION_SIDES];
    uint64_t messages[OPCODES]; /* requests and replies */
    uint64_t patterns;          /* a sum over their bytes */
    uint64_t elements, failed, notifications, openings, fed, unread, unanswered, unreadable;
};

/* Its context is a struct told. */
extern const struct conversation_listener told_listener;

/* Adds what a conversation has left behind at its end. */
void told_end(struct told *told, const struct conversation *conversation);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/told.h"

#include "relay/pattern.h"

#include <stdlib.h>

void require(bool holds)
{
    if (!holds)
        abort();
}

static void add_opening(void *context, const struct conversation *conversation, int64_t asked,
                        const size_t bytes[CONVERSATION_SIDES])
{
    struct told *told = context;
    (void)conversation, (void)asked;
    told->openings++;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        told->bytes[side] += bytes[side];
}

static void fold(struct told *told, const struct jute_bytes *path)
{
    char pattern[PATTERN_SIZE];
    size_t length = path->length > 0 ? pattern_fold(path->bytes, path->length, pattern) : 0;
    for (size_t i = 0; i < length; i++)
        told->patterns = 31 * told->patterns + (unsigned char)pattern[i];
}

static void add_request(void *context, const struct conversation *conversation,
                        struct conversation_request *request)
{
    struct told *told = context;
    (void)conversation;
    told->messages[request->opcode]++;
    told->bytes[CONVERSATION_CLIENT] += request->bytes;
    told->elements += request->record.elements;
    fold(told, &request->record.path);
}

static void add_reply(void *context, const struct conversation *conversation,
                      const struct conversation_request *request, const struct message_reply *reply,
                      size_t bytes)
{
    struct told *told = context;
    require(conversation->now_ns >= request->sent_ns); /* times never go back */
    told->messages[request->opcode]++;
    told->bytes[CONVERSATION_SERVER] += bytes;
    told->elements += reply->record.elements;
    told->failed += reply->error != 0;
    fold(told, &reply->record.path);
}

static void add_notification(void *context, const struct conversation *conversation,
                             const struct message_notification *notification, size_t bytes)
{
    struct told *told = context;
    (void)conversation;
    told->notifications++;
    told->bytes[CONVERSATION_SERVER] += bytes;
    fold(told, &notification->path);
}

const struct conversation_listener told_listener = {add_opening, add_request, add_reply,
                                                    add_notification};

void told_end(struct told *told, const struct conversation *conversation)
{
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++) {
        told->fed += conversation->fed_bytes[side];
        told->unread += conversation_unread(conversation, side);
    }
    for (const struct conversation_request *at = conversation->requests; at != NULL; at = at->next)
        told->unanswered++;
    told->unreadable += conversation->unreadable != NULL;
}

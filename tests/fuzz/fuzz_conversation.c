// SPDX-License-Identifier: Apache-2.0
/* What any bytes make of a conversation, for libFuzzer: no byte is lost, nothing outside of the
 * bytes is read, and the same is told however the bytes are cut.
 *
 * An input is pieces, each behind a byte with the side (the highest bit) and the number of its
 * bytes less one (the others). tests/fuzz/conversations has inputs to begin with. */
#include "relay/conversation.h"
#include "relay/pattern.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_BIT 0x80U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Feeds pieces of at most so many bytes. */
static void feed_all(struct conversation *conversation, const uint8_t *data, size_t size,
                     size_t most)
{
    for (size_t at = 0; at < size;) {
        enum conversation_side from =
            (data[at] & SIDE_BIT) != 0 ? CONVERSATION_SERVER : CONVERSATION_CLIENT;
        size_t count = (data[at++] & ~SIDE_BIT) + 1UL;
        for (count = count < size - at ? count : size - at; count > 0;) {
            size_t piece = count < most ? count : most;
            conversation_feed(conversation, from, data + at, piece, at);
            at += piece;
            count -= piece;
        }
    }
}

/* ------------------------------------------------------------------ what is told */

struct told {
    uint64_t bytes[CONVERSATION_SIDES];
    uint64_t messages[OPCODES]; /* requests and replies */
    uint64_t patterns;          /* a sum over their bytes */
    uint64_t elements, failed, notifications, openings, unread, unanswered;
    bool unreadable;
};

static void hear_opening(void *context, struct conversation *conversation,
                         const struct message_opening *request, const struct message_opening *reply,
                         const size_t bytes[CONVERSATION_SIDES])
{
    struct told *told = context;
    (void)conversation, (void)request, (void)reply;
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

static uint64_t hear_request(void *context, struct conversation *conversation,
                             const struct message_request *request,
                             const struct conversation_request *sent)
{
    struct told *told = context;
    (void)conversation;
    told->messages[request->opcode]++;
    told->bytes[CONVERSATION_CLIENT] += sent->bytes;
    told->elements += request->record.elements;
    fold(told, &request->record.path);
    return 0;
}

static void hear_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct told *told = context;
    (void)conversation, (void)at_ns;
    told->messages[request->opcode]++;
    told->bytes[CONVERSATION_SERVER] += bytes;
    told->elements += reply->record.elements;
    told->failed += reply->record.parts_failed + (reply->error != 0);
    fold(told, &reply->record.path);
}

static void hear_notification(void *context, struct conversation *conversation,
                              const struct message_notification *notification, size_t bytes,
                              uint64_t at_ns)
{
    struct told *told = context;
    (void)conversation, (void)at_ns;
    told->notifications++;
    told->bytes[CONVERSATION_SERVER] += bytes;
    fold(told, &notification->path);
}

static const struct conversation_listener listener = {hear_opening, hear_request, hear_reply,
                                                      hear_notification};

/* ------------------------------------------------------------------ what must hold */

/* Every byte that was fed was told or not read; the client's opening is told with the server's. */
static void require_accounted(const struct told *told, const struct conversation *conversation)
{
    uint64_t client = told->bytes[CONVERSATION_CLIENT] +
                      conversation_unread(conversation, CONVERSATION_CLIENT),
             server = told->bytes[CONVERSATION_SERVER] +
                      conversation_unread(conversation, CONVERSATION_SERVER);
    if (conversation->kind != CONVERSATION_ZOOKEEPER)
        return;
    require(server == conversation->fed_bytes[CONVERSATION_SERVER]);
    require(told->openings > 0 ? client == conversation->fed_bytes[CONVERSATION_CLIENT]
                               : client <= conversation->fed_bytes[CONVERSATION_CLIENT]);
}

static void hold(struct told *told, const uint8_t *data, size_t size, size_t most)
{
    struct conversation conversation;
    memset(told, 0, sizeof *told);
    conversation_init(&conversation, &listener, told);
    feed_all(&conversation, data, size, most);
    require_accounted(told, &conversation);
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        told->unread += conversation_unread(&conversation, side);
    told->unanswered = conversation_unanswered(&conversation);
    told->unreadable = conversation.unreadable != NULL;
    conversation_deinit(&conversation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct told whole, cut;
    hold(&whole, data, size, SIZE_MAX);
    hold(&cut, data, size, 1);
    require(memcmp(&whole, &cut, sizeof whole) == 0);
    return 0;
}

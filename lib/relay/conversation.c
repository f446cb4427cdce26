// SPDX-License-Identifier: Apache-2.0
#include "relay/conversation.h"

#include "base/memory.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

#define RING_LEAST 8

/* The first bytes of a record of TLS: a handshake, of version 3.x. */
#define TLS_HANDSHAKE 0x16
#define TLS_MAJOR     0x03

void conversation_init(struct conversation *conversation,
                       const struct conversation_listener *listener, void *context)
{
    *conversation = (struct conversation){.listener = listener, .context = context};
}

void conversation_give_up(struct conversation *conversation, const char *why)
{
    if (conversation->unreadable == NULL)
        conversation->unreadable = why;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        conversation->splitters[side].unreadable = true;
}

/* ------------------------------------------------------------------ requests without a reply */

static struct conversation_request *request_at(struct conversation *conversation, size_t index)
{
    return &conversation
                ->requests[(conversation->request_first + index) % conversation->request_room];
}

static void add_request(struct conversation *conversation,
                        const struct conversation_request *request)
{
    size_t room = conversation->request_room, count = conversation->request_count;
    if (count == room) {
        size_t larger = room > 0 ? 2 * room : RING_LEAST;
        struct conversation_request *requests = memory_new(larger, sizeof *requests);
        for (size_t i = 0; i < count; i++)
            requests[i] = *request_at(conversation, i);
        free(conversation->requests);
        conversation->requests = requests;
        conversation->request_first = 0;
        conversation->request_room = larger;
    }
    conversation->request_count++;
    *request_at(conversation, count) = *request;
}

/* Takes out the oldest request with this number; the older ones move up by one place. */
static bool take_request(struct conversation *conversation, int32_t xid,
                         struct conversation_request *request)
{
    size_t index = 0;
    while (index < conversation->request_count && request_at(conversation, index)->xid != xid)
        index++;
    if (index == conversation->request_count)
        return false;
    *request = *request_at(conversation, index);
    for (; index > 0; index--)
        *request_at(conversation, index) = *request_at(conversation, index - 1);
    conversation->request_first = (conversation->request_first + 1) % conversation->request_room;
    conversation->request_count--;
    return true;
}

/* Copies what a record points to, but for the data: a path, or the parts of a transaction. */
static void copy_record(struct conversation_request *request, const struct message_record *record)
{
    const struct jute *parts = &record->parts;
    request->record = *record;
    request->record.data = (struct jute_bytes){0};
    if (record->path.length > 0)
        request->record.path.bytes = request->copy =
            memory_copy(record->path.bytes, record->path.length);
    else if (parts->left > 0) {
        request->copy = memory_copy(parts->bytes, parts->left);
        request->record.parts.bytes = (const unsigned char *)request->copy;
    }
}

/* ------------------------------------------------------------------ messages */

/* Tells of a request; of one that is too long to be kept, only the header is known. */
static bool take_in_request(struct conversation *conversation, const unsigned char *message,
                            size_t kept, size_t length)
{
    struct message_request request;
    bool is_read = message_read_request(message, kept, &request);
    if (kept < length)
        request.record = (struct message_record){0};
    else if (!is_read)
        return false;
    struct conversation_request sent = {.xid = request.xid,
                                        .opcode = request.opcode,
                                        .bytes = WIRE_LENGTH + length,
                                        .sent_ns = conversation->now_ns};
    sent.tag =
        conversation->listener->requested(conversation->context, conversation, &request, &sent);
    copy_record(&sent, &request.record);
    add_request(conversation, &sent);
    return true;
}

static void take_client_message(void *context, const unsigned char *message, size_t kept,
                                size_t length)
{
    struct conversation *conversation = context;
    if (!conversation->client_opened) {
        if (!message_read_client_opening(message, kept, &conversation->opening)) {
            conversation_give_up(conversation,
                                 "the client's first message does not open a session");
            return;
        }
        conversation->client_opened = true;
        conversation->opening_bytes = WIRE_LENGTH + length;
    } else if (!take_in_request(conversation, message, kept, length)) {
        conversation_give_up(conversation, "a request cannot be read");
        return;
    }
    conversation->told_bytes[CONVERSATION_CLIENT] += WIRE_LENGTH + length;
}

static bool take_server_opening(struct conversation *conversation, const unsigned char *message,
                                size_t kept, size_t length)
{
    const size_t bytes[] = {conversation->opening_bytes, WIRE_LENGTH + length};
    struct message_opening reply;
    if (!conversation->client_opened || !message_read_server_opening(message, kept, &reply)) {
        conversation_give_up(conversation, "the server's first message does not open a session");
        return false;
    }
    conversation->server_opened = true;
    conversation->session = reply.session;
    conversation->listener->opened(conversation->context, conversation, &conversation->opening,
                                   &reply, bytes);
    return true;
}

static bool take_notification(struct conversation *conversation, const unsigned char *message,
                              size_t kept, size_t length)
{
    struct message_notification notification;
    if (!message_read_notification(message, kept, &notification)) {
        conversation_give_up(conversation, "a notification cannot be read");
        return false;
    }
    conversation->listener->notified(conversation->context, conversation, &notification,
                                     WIRE_LENGTH + length, conversation->now_ns);
    return true;
}

static bool read_reply(struct conversation *conversation,
                       const struct conversation_request *request, const unsigned char *message,
                       size_t kept, size_t length)
{
    struct message_reply reply;
    bool is_read = message_read_reply(message, kept, request->opcode, &reply);
    if (kept < length)
        reply.record = (struct message_record){0};
    else if (!is_read)
        return false;
    conversation->listener->replied(conversation->context, conversation, request, &reply,
                                    WIRE_LENGTH + length, conversation->now_ns);
    return true;
}

static bool take_reply(struct conversation *conversation, int32_t xid, const unsigned char *message,
                       size_t kept, size_t length)
{
    struct conversation_request request;
    if (!take_request(conversation, xid, &request)) {
        conversation_give_up(conversation, "a reply answers no request");
        return false;
    }
    bool is_read = read_reply(conversation, &request, message, kept, length);
    if (is_read)
        free(request.copy);
    else {
        add_request(conversation, &request); /* it has no reply */
        conversation_give_up(conversation, "a reply cannot be read");
    }
    return is_read;
}

static void take_server_message(void *context, const unsigned char *message, size_t kept,
                                size_t length)
{
    struct conversation *conversation = context;
    int32_t xid;
    bool is_read = false;
    if (!conversation->server_opened)
        is_read = take_server_opening(conversation, message, kept, length);
    else if (!message_read_xid(message, kept, &xid))
        conversation_give_up(conversation, "a reply cannot be read");
    else if (xid == MESSAGE_XID_NOTIFICATION)
        is_read = take_notification(conversation, message, kept, length);
    else
        is_read = take_reply(conversation, xid, message, kept, length);
    if (is_read)
        conversation->told_bytes[CONVERSATION_SERVER] += WIRE_LENGTH + length;
}

/* ------------------------------------------------------------------ bytes */

/* What a client speaks, by its first 4 bytes: the letters of a word are a length of more than 1.6
 * GB, and the beginning of TLS one of 369 MB. */
static enum conversation_kind kind_of(const unsigned char first[4])
{
    if (first[0] == TLS_HANDSHAKE && first[1] == TLS_MAJOR)
        return CONVERSATION_TLS;
    for (int i = 0; i < 4; i++)
        if (first[i] < 'a' || first[i] > 'z')
            return CONVERSATION_ZOOKEEPER;
    return CONVERSATION_WORD;
}

static void split(struct conversation *conversation, enum conversation_side from,
                  const unsigned char *bytes, size_t count)
{
    struct splitter *splitter = &conversation->splitters[from];
    splitter_feed(splitter, bytes, count,
                  from == CONVERSATION_CLIENT ? take_client_message : take_server_message,
                  conversation);
    if (splitter->unreadable)
        conversation_give_up(conversation, "a message has a length below 0");
}

/* Returns how many of the bytes it has taken: those that tell what is spoken. */
static size_t find_kind(struct conversation *conversation, const unsigned char *bytes, size_t count)
{
    size_t taken = 0;
    while (taken < count && conversation->first_count < sizeof conversation->first)
        conversation->first[conversation->first_count++] = bytes[taken++];
    if (conversation->first_count < sizeof conversation->first)
        return taken;
    conversation->kind = kind_of(conversation->first);
    if (conversation->kind == CONVERSATION_ZOOKEEPER)
        split(conversation, CONVERSATION_CLIENT, conversation->first, sizeof conversation->first);
    return taken;
}

/* ------------------------------------------------------------------ from the middle on */

void conversation_join(struct conversation *conversation, int64_t session)
{
    conversation->session = session;
    conversation->kind = CONVERSATION_UNJOINED;
    conversation->unmatched = true;
}

bool conversation_hears(const struct conversation *conversation, enum conversation_side side)
{
    return conversation->kind != CONVERSATION_UNJOINED &&
           (side == CONVERSATION_CLIENT || !conversation->unmatched);
}

static uint32_t length_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* A length and a message of it, or a message whose length came before. */
static bool is_request(const unsigned char *length, const unsigned char *message, size_t count)
{
    struct message_request request;
    return length_at(length) <= count &&
           message_read_request(message, length_at(length), &request) &&
           (request.opcode == OPCODE_PING ||
            (request.record.path.length > 0 && request.record.path.bytes[0] == '/'));
}

static void join_client(struct conversation *conversation, const unsigned char *bytes, size_t count)
{
    unsigned char *first = conversation->first;
    bool continues = conversation->first_count == WIRE_LENGTH && is_request(first, bytes, count);
    conversation->first_count = 0;
    if (continues ||
        (count > WIRE_LENGTH && is_request(bytes, bytes + WIRE_LENGTH, count - WIRE_LENGTH))) {
        conversation->kind = CONVERSATION_ZOOKEEPER;
        conversation->client_opened = conversation->server_opened = true;
        if (continues)
            split(conversation, CONVERSATION_CLIENT, first, WIRE_LENGTH);
        split(conversation, CONVERSATION_CLIENT, bytes, count);
    } else if (count == WIRE_LENGTH) {
        memcpy(first, bytes, WIRE_LENGTH);
        conversation->first_count = WIRE_LENGTH;
    }
}

static bool awaits(struct conversation *conversation, int32_t xid)
{
    for (size_t i = 0; i < conversation->request_count; i++)
        if (request_at(conversation, i)->xid == xid)
            return true;
    return false;
}

/* Passes over the messages before the first that answers a request. */
static void match_server(struct conversation *conversation, const unsigned char *bytes,
                         size_t count)
{
    int32_t xid;
    while (count > WIRE_LENGTH &&
           message_read_xid(bytes + WIRE_LENGTH, count - WIRE_LENGTH, &xid)) {
        size_t whole = WIRE_LENGTH + (size_t)length_at(bytes);
        if (awaits(conversation, xid)) {
            conversation->unmatched = false;
            split(conversation, CONVERSATION_SERVER, bytes, count);
            return;
        }
        bytes += whole < count ? whole : count;
        count -= whole < count ? whole : count;
    }
}

void conversation_feed(struct conversation *conversation, enum conversation_side from,
                       const void *bytes, size_t count, uint64_t at_ns)
{
    const unsigned char *rest = bytes;
    conversation->now_ns = at_ns;
    conversation->fed_bytes[from] += count;
    if (conversation->kind == CONVERSATION_SILENT && from == CONVERSATION_CLIENT) {
        size_t taken = find_kind(conversation, rest, count);
        rest += taken;
        count -= taken;
    } else if (conversation->kind == CONVERSATION_SILENT)
        conversation_give_up(conversation, "the server spoke first");
    if (conversation->kind == CONVERSATION_UNJOINED && from == CONVERSATION_CLIENT)
        join_client(conversation, rest, count);
    else if (conversation->kind == CONVERSATION_ZOOKEEPER && conversation_hears(conversation, from))
        split(conversation, from, rest, count);
    else if (conversation->kind == CONVERSATION_ZOOKEEPER)
        match_server(conversation, rest, count);
}

uint64_t conversation_unread(const struct conversation *conversation, enum conversation_side side)
{
    return conversation->kind == CONVERSATION_WORD || conversation->kind == CONVERSATION_TLS
               ? 0
               : conversation->fed_bytes[side] - conversation->told_bytes[side];
}

size_t conversation_unanswered(const struct conversation *conversation)
{
    return conversation->request_count;
}

void conversation_deinit(struct conversation *conversation)
{
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        splitter_deinit(&conversation->splitters[side]);
    for (size_t i = 0; i < conversation->request_count; i++)
        free(request_at(conversation, i)->copy);
    free(conversation->requests);
    conversation->requests = NULL;
}

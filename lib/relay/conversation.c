// SPDX-License-Identifier: Apache-2.0
#include "relay/conversation.h"

#include "base/memory.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

/* The first bytes of a record of TLS: a handshake, of version 3.x. */
#define TLS_HANDSHAKE 0x16
#define TLS_MAJOR     0x03

#define NO_OPENING "the client's first message does not open a session"

void conversation_init(struct conversation *conversation,
                       const struct conversation_listener *listener, void *context)
{
    *conversation = (struct conversation){
        .listener = listener, .context = context, .last_next = &conversation->requests};
}

void conversation_give_up(struct conversation *conversation, const char *why)
{
    if (conversation->unreadable == NULL)
        conversation->unreadable = why;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        conversation->splitters[side].unreadable = true;
}

/* ------------------------------------------------------------------ messages */

/* The place of the oldest request with this number in the list; its end if there is none. */
static struct conversation_request **find_request(struct conversation *conversation, int32_t xid)
{
    struct conversation_request **place = &conversation->requests;
    while (*place != NULL && (*place)->xid != xid)
        place = &(*place)->next;
    return place;
}

/* Keeps a request until its reply; of one that is too long to be kept only the header is known. */
static bool read_request(struct conversation *conversation, const unsigned char *message,
                         size_t kept, size_t length)
{
    struct message_request request;
    struct message_record *record = &request.record;
    bool is_read = message_read_request(message, kept, &request);
    if (kept < length)
        *record = (struct message_record){0};
    else if (!is_read)
        return false;
    bool has_path = record->path.length > 0;
    const size_t copied = has_path ? (size_t)record->path.length : record->parts.left;
    struct conversation_request *sent = memory_new(1, sizeof *sent + copied + 1);
    if (has_path)
        record->path.bytes = memcpy(sent->copy, record->path.bytes, copied);
    else if (copied > 0)
        record->parts.bytes = memcpy(sent->copy, record->parts.bytes, copied);
    record->data = (struct jute_bytes){0};
    sent->xid = request.xid;
    sent->opcode = request.opcode;
    sent->bytes = WIRE_LENGTH + length;
    sent->sent_ns = conversation->now_ns;
    sent->record = *record;
    *conversation->last_next = sent;
    conversation->last_next = &sent->next;
    if (conversation->server_opened)
        conversation->listener->requested(conversation->context, conversation, sent);
    return true;
}

static void read_client_message(void *context, const unsigned char *message, size_t kept,
                                size_t length)
{
    struct conversation *conversation = context;
    if (conversation->client_opened) {
        if (!read_request(conversation, message, kept, length)) {
            conversation_give_up(conversation, "a request cannot be read");
            return;
        }
    } else if (message_read_opening(message, kept, true, &conversation->asked)) {
        conversation->client_opened = true;
        conversation->opening_bytes = WIRE_LENGTH + length;
    } else {
        conversation_give_up(conversation, NO_OPENING);
        return;
    }
    conversation->read_bytes[CONVERSATION_CLIENT] += WIRE_LENGTH + length;
}

/* These return NULL, or why the server's message cannot be read. */

static const char *read_server_opening(struct conversation *conversation,
                                       const unsigned char *message, size_t kept, size_t length)
{
    const size_t bytes[] = {conversation->opening_bytes, WIRE_LENGTH + length};
    if (!conversation->client_opened ||
        !message_read_opening(message, kept, false, &conversation->session))
        return "the server's first message does not open a session";
    conversation->server_opened = true;
    conversation->listener->opened(conversation->context, conversation, conversation->asked, bytes);
    for (struct conversation_request *sent = conversation->requests; sent != NULL;
         sent = sent->next)
        conversation->listener->requested(conversation->context, conversation, sent);
    return NULL;
}

static const char *read_notification(struct conversation *conversation,
                                     const unsigned char *message, size_t kept, size_t length)
{
    struct message_notification notification;
    if (!message_read_notification(message, kept, &notification))
        return "a notification cannot be read";
    conversation->listener->notified(conversation->context, conversation, &notification,
                                     WIRE_LENGTH + length);
    return NULL;
}

static const char *read_reply(struct conversation *conversation, int32_t xid,
                              const unsigned char *message, size_t kept, size_t length)
{
    struct conversation_request **place = find_request(conversation, xid), *request = *place;
    struct message_reply reply;
    if (request == NULL)
        return "a reply answers no request";
    bool is_read = message_read_reply(message, kept, request->opcode, &reply);
    if (kept < length)
        reply.record = (struct message_record){0};
    else if (!is_read)
        return "a reply cannot be read";
    conversation->listener->replied(conversation->context, conversation, request, &reply,
                                    WIRE_LENGTH + length);
    *place = request->next;
    if (*place == NULL)
        conversation->last_next = place;
    free(request);
    return NULL;
}

static void read_server_message(void *context, const unsigned char *message, size_t kept,
                                size_t length)
{
    struct conversation *conversation = context;
    int32_t xid;
    const char *why =
        !conversation->server_opened ? read_server_opening(conversation, message, kept, length)
        : !message_read_xid(message, kept, &xid) ? "a reply cannot be read"
        : xid == MESSAGE_XID_NOTIFICATION ? read_notification(conversation, message, kept, length)
                                          : read_reply(conversation, xid, message, kept, length);
    if (why == NULL)
        conversation->read_bytes[CONVERSATION_SERVER] += WIRE_LENGTH + length;
    else
        conversation_give_up(conversation, why);
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
                  from == CONVERSATION_CLIENT ? read_client_message : read_server_message,
                  conversation);
    if (splitter->unreadable)
        conversation_give_up(conversation, "a message has a length below 0");
}

/* Returns how many of the bytes it has taken: those that show what is spoken. */
static size_t find_kind(struct conversation *conversation, const unsigned char *bytes, size_t count)
{
    size_t taken = 0;
    while (taken < count && conversation->first_count < sizeof conversation->first)
        conversation->first[conversation->first_count++] = bytes[taken++];
    if (conversation->first_count < sizeof conversation->first)
        return taken;
    conversation->kind = kind_of(conversation->first);
    if (conversation->kind == CONVERSATION_ZOOKEEPER && conversation->first[0] != 0)
        conversation_give_up(conversation, NO_OPENING);
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

bool conversation_reads(const struct conversation *conversation, enum conversation_side side)
{
    return conversation->kind != CONVERSATION_UNJOINED &&
           (side == CONVERSATION_CLIENT || !conversation->unmatched);
}

static uint32_t length_at(const unsigned char *bytes)
{
    return (uint32_t)jute_int(&(struct jute){bytes, WIRE_LENGTH, false});
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

/* Passes over the messages before the first that answers a request. */
static void match_server(struct conversation *conversation, const unsigned char *bytes,
                         size_t count)
{
    int32_t xid;
    while (count > WIRE_LENGTH &&
           message_read_xid(bytes + WIRE_LENGTH, count - WIRE_LENGTH, &xid)) {
        size_t whole = WIRE_LENGTH + (size_t)length_at(bytes);
        if (*find_request(conversation, xid) != NULL) {
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
    else if (conversation->kind == CONVERSATION_ZOOKEEPER && conversation_reads(conversation, from))
        split(conversation, from, rest, count);
    else if (conversation->kind == CONVERSATION_ZOOKEEPER)
        match_server(conversation, rest, count);
}

uint64_t conversation_unread(const struct conversation *conversation, enum conversation_side side)
{
    return conversation->kind == CONVERSATION_WORD || conversation->kind == CONVERSATION_TLS
               ? 0
               : conversation->fed_bytes[side] - conversation->read_bytes[side];
}

void conversation_deinit(struct conversation *conversation)
{
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        splitter_deinit(&conversation->splitters[side]);
    while (conversation->requests != NULL) {
        struct conversation_request *request = conversation->requests;
        conversation->requests = request->next;
        free(request);
    }
}

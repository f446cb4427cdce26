// SPDX-License-Identifier: Apache-2.0
/* What any packets make of a capture, for libFuzzer: nothing outside of a packet is read, and every
 * byte that a conversation was fed is in a message that was told, or is unread.
 *
 * An input is a byte with the link, and packets, each behind the number of its bytes that were
 * captured and of those that were not. tests/fuzz/captures has inputs to begin with. */
#include "relay/capture.h"

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ------------------------------------------------------------------ what is told */

struct told {
    uint64_t openings, messages, ends;
    uint64_t bytes, fed, unread;
};

static void hear_opening(void *context, struct conversation *conversation,
                         const struct message_opening *request, const struct message_opening *reply,
                         const size_t bytes[CONVERSATION_SIDES])
{
    struct told *told = context;
    (void)conversation, (void)request, (void)reply;
    told->openings++;
    told->bytes += bytes[CONVERSATION_CLIENT] + bytes[CONVERSATION_SERVER];
}

static uint64_t hear_request(void *context, struct conversation *conversation,
                             const struct message_request *request,
                             const struct conversation_request *sent)
{
    struct told *told = context;
    (void)conversation, (void)request;
    told->messages++;
    told->bytes += sent->bytes;
    return sent->sent_ns;
}

static void hear_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct told *told = context;
    (void)conversation, (void)reply;
    require(at_ns >= request->tag); /* times never go back */
    told->messages++;
    told->bytes += bytes;
}

static void hear_notification(void *context, struct conversation *conversation,
                              const struct message_notification *notification, size_t bytes,
                              uint64_t at_ns)
{
    struct told *told = context;
    (void)conversation, (void)notification, (void)at_ns;
    told->messages++;
    told->bytes += bytes;
}

static const struct conversation_listener listener = {hear_opening, hear_request, hear_reply,
                                                      hear_notification};

static void hear_end(void *context, const struct conversation *conversation)
{
    struct told *told = context;
    told->ends++;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++) {
        require(conversation_unread(conversation, side) <= conversation->fed_bytes[side]);
        if (conversation->kind == CONVERSATION_WORD || conversation->kind == CONVERSATION_TLS)
            continue;
        told->fed += conversation->fed_bytes[side];
        told->unread += conversation_unread(conversation, side);
    }
}

/* ------------------------------------------------------------------ the packets */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int links[] = {DLT_RAW, DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL};
    static const uint64_t ports[] = {2181};
    struct told told = {0};
    const struct capture_options options = {ports, 1, &listener, hear_end, &told};
    struct capture *capture = capture_new(&options);
    int link = links[size > 0 ? data[0] % (sizeof links / sizeof links[0]) : 0];
    for (size_t at = 1, packets = 0; at + 2 <= size; packets++) {
        size_t captured = data[at], more = data[at + 1];
        at += 2;
        captured = captured < size - at ? captured : size - at;
        capture_take(capture, link, data + at, captured, captured + more, packets * 1000 % 7000);
        at += captured;
    }
    capture_end(capture);
    /* The opening of a client is told with the server's, and only then. */
    require(told.bytes + told.unread <= told.fed && told.openings + told.messages <= told.fed);
    require(told.ends > 0 || told.fed == 0);
    capture_free(capture);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
/* What any packets make of a capture, for libFuzzer: nothing outside of a packet is read, and every
 * byte that a conversation was fed is in a message that was told, or is unread.
 *
 * An input is a byte with the link, and packets, each behind the number of its bytes that were
 * captured and of those that were not. tests/fuzz/seeds has inputs to begin with. */
#include "relay/capture.h"
#include "tests/fuzz/told.h"

#include <pcap/dlt.h>

/* ------------------------------------------------------------------ what is told */

struct heard {
    struct told told; /* first: the context of the listener is both */
    uint64_t ends, fed, unread;
};

static uint64_t messages_of(const struct told *told)
{
    uint64_t messages = told->openings + told->notifications;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        messages += told->messages[opcode];
    return messages;
}

static void add_end(void *context, const struct conversation *conversation)
{
    struct heard *heard = context;
    heard->ends++;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++) {
        require(conversation_unread(conversation, side) <= conversation->fed_bytes[side]);
        if (conversation->kind == CONVERSATION_WORD || conversation->kind == CONVERSATION_TLS)
            continue;
        heard->fed += conversation->fed_bytes[side];
        heard->unread += conversation_unread(conversation, side);
    }
}

/* ------------------------------------------------------------------ the packets */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int links[] = {DLT_RAW, DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL};
    static const uint64_t ports[] = {2181};
    struct heard heard = {0};
    const struct capture_options options = {ports, 1, &told_listener, add_end, &heard};
    struct capture *capture = capture_new(&options);
    int link = links[size > 0 ? data[0] % (sizeof links / sizeof links[0]) : 0];
    for (size_t at = 1, packets = 0; at + 2 <= size; packets++) {
        size_t captured = data[at], more = data[at + 1];
        at += 2;
        captured = captured < size - at ? captured : size - at;
        capture_read_packet(capture, link, data + at, captured, captured + more,
                            packets * 1000 % 7000);
        at += captured;
    }
    capture_end(capture);
    /* The opening of a client is told with the server's, and only then. */
    const uint64_t *bytes = heard.told.bytes;
    require(bytes[CONVERSATION_CLIENT] + bytes[CONVERSATION_SERVER] + heard.unread <= heard.fed);
    require(messages_of(&heard.told) <= heard.fed);
    require(heard.ends > 0 || heard.fed == 0);
    capture_free(capture);
    return 0;
}

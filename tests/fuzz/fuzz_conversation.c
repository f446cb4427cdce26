// SPDX-License-Identifier: Apache-2.0
/* What any bytes make of a conversation, for libFuzzer: no byte is lost, nothing outside of the
 * bytes is read, and the same is told however the bytes are cut.
 *
 * An input is pieces, each behind a byte with the side (the highest bit) and the number of its
 * bytes less one (the others). tests/fuzz/seeds has inputs to begin with. */
#include "tests/fuzz/told.h"

#include <string.h>

#define SIDE_BIT 0x80U

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
    conversation_init(&conversation, &told_listener, told);
    feed_all(&conversation, data, size, most);
    require_accounted(told, &conversation);
    told_end(told, &conversation);
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

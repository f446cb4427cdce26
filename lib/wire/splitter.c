// SPDX-License-Identifier: Apache-2.0
#include "wire/splitter.h"

#include "base/memory.h"
#include "wire/jute.h"
#include "wire/wire.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

/* Takes bytes of the length, which may come in pieces too. Returns how many. */
static size_t feed_length(struct splitter *splitter, const unsigned char *bytes, size_t count)
{
    size_t taken = MIN(count, WIRE_LENGTH - splitter->length_arrived);
    memcpy(splitter->length_bytes + splitter->length_arrived, bytes, taken);
    splitter->length_arrived += taken;
    if (splitter->length_arrived < WIRE_LENGTH)
        return taken;
    splitter->length =
        (uint32_t)jute_int(&(struct jute){splitter->length_bytes, WIRE_LENGTH, false});
    splitter->unreadable = splitter->length > INT32_MAX;
    splitter->arrived = 0;
    return taken;
}

static void keep(struct splitter *splitter, const unsigned char *bytes, size_t count)
{
    if (splitter->arrived >= SPLITTER_KEPT_MAX)
        return;
    count = MIN(count, SPLITTER_KEPT_MAX - splitter->arrived);
    size_t needed = splitter->arrived + count;
    if (needed > splitter->room) {
        splitter->room = MIN(2 * needed, SPLITTER_KEPT_MAX);
        splitter->kept = memory_or_end(realloc(splitter->kept, splitter->room));
    }
    memcpy(splitter->kept + splitter->arrived, bytes, count);
}

/* Takes bytes of the message itself. A message that comes whole is not copied. */
static size_t feed_message(struct splitter *splitter, const unsigned char *bytes, size_t count,
                           splitter_listener *on_message, void *context)
{
    size_t taken = MIN(count, splitter->length - splitter->arrived);
    bool is_whole = taken == splitter->length;
    if (!is_whole)
        keep(splitter, bytes, taken);
    splitter->arrived += taken;
    if (splitter->arrived < splitter->length)
        return taken;
    splitter->length_arrived = 0;
    on_message(context, is_whole ? bytes : splitter->kept,
               is_whole ? taken : MIN(splitter->length, SPLITTER_KEPT_MAX), splitter->length);
    return taken;
}

void splitter_feed(struct splitter *splitter, const unsigned char *bytes, size_t count,
                   splitter_listener *on_message, void *context)
{
    /* A message without bytes is whole when its length is. */
    while (!splitter->unreadable &&
           (count > 0 || (splitter->length_arrived == WIRE_LENGTH && splitter->length == 0))) {
        size_t taken = splitter->length_arrived < WIRE_LENGTH
                           ? feed_length(splitter, bytes, count)
                           : feed_message(splitter, bytes, count, on_message, context);
        bytes += taken;
        count -= taken;
    }
}

void splitter_deinit(struct splitter *splitter)
{
    free(splitter->kept);
    *splitter = (struct splitter){0};
}

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/messages.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

struct message messages[MESSAGES_MOST];
size_t messages_count;
static unsigned char *at; /* where the next field goes */

static void put_integer(uint64_t value, unsigned width)
{
    while (width-- > 0)
        *at++ = (unsigned char)(value >> 8 * width);
}

static void put_bytes(const char *text, size_t length)
{
    put_integer(length, 4);
    memcpy(at, text, length);
    at += length;
}

static void put_text(const char *text)
{
    put_bytes(text, strlen(text));
}

void messages_say(enum conversation_side from, const char *fields, ...)
{
    struct message *message = &messages[messages_count++];
    va_list values;
    va_start(values, fields);
    at = message->bytes + 4;
    for (; *fields != '\0'; fields++) {
        switch (*fields) {
        case 'i':
            put_integer((uint64_t)va_arg(values, int), 4);
            break;
        case 'l':
            put_integer((uint64_t)va_arg(values, int), 8);
            break;
        case 'f':
            put_integer((uint64_t)va_arg(values, int), 1);
            break;
        case 's':
            put_text(va_arg(values, const char *));
            break;
        case 'n':
            put_integer(UINT32_MAX, 4);
            break;
        case 'a':
            put_integer(1, 4);
            put_integer(31, 4);
            put_text("world");
            put_text("anyone");
            break;
        default:
            memset(at, 7, 68);
            at += 68;
        }
    }
    va_end(values);
    message->from = from;
    message->count = (size_t)(at - message->bytes);
    at = message->bytes;
    put_integer(message->count - 4, 4);
}

void messages_open(int session)
{
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 0, "0123456789abcdef", 0);
    messages_say(SERVER, "iilsf", 0, 30000, session, "0123456789abcdef", 0);
}

void messages_hold(void)
{
    messages_count = 0;
    messages_open(77);
    messages_say(CLIENT, "iissai", 1, 1, "/l/q-", "me", 3); /* create */
    messages_say(SERVER, "ilis", 1, 9, 0, "/l/q-0000000000");
    messages_say(CLIENT, "iisnail", 2, 21, "/l/t", 5, 900); /* createTTL */
    messages_say(CLIENT, "iissai", 3, 15, "/l/b", "x", 0);  /* create2 */
    messages_say(CLIENT, "iisf", 4, 12, "/l", 1);           /* getChildren2 */
    messages_say(SERVER, "ilisS", 2, 10, 0, "/l/t");
    messages_say(SERVER, "ili", 3, 11, -110);
    messages_say(SERVER, "iliissS", 4, 11, 0, 2, "q-0000000000", "t");
    messages_say(CLIENT, "iisf", 5, 3, "/l/b", 1); /* exists */
    messages_say(CLIENT, "ii", -2, 11);            /* ping */
    messages_say(SERVER, "ili", -2, 11, 0);
    messages_say(SERVER, "iliS", 5, 11, 0);
    messages_say(CLIENT, "iisf", 6, 4, "/l/b", 0); /* getData */
    messages_say(SERVER, "ilisS", 6, 11, 0, "x");
    messages_say(CLIENT, "iissi", 7, 5, "/l/b", "y", -1); /* setData */
    messages_say(SERVER, "iliiis", -1, -1, 0, 3, 3, "/l/b");
    messages_say(SERVER, "iliS", 7, 12, 0);
    messages_say(CLIENT, "iilisisisii", -8, 105, 12, 1, "/a", 1, "/b", 1, "/c", 0,
                 0);                         /* setWatches2 */
    messages_say(CLIENT, "iis", 8, 6, "/l"); /* getACL */
    messages_say(SERVER, "iliaS", 8, 12, 0);
    messages_say(SERVER, "ili", -8, 12, 0);
    messages_say(CLIENT, "iisai", 9, 7, "/l", -1); /* setACL */
    messages_say(SERVER, "iliS", 9, 13, 0);
    /* A transaction: create, check, set, delete. */
    messages_say(CLIENT,
                 "ii"
                 "ifi"
                 "snai"
                 "ifi"
                 "si"
                 "ifi"
                 "ssi"
                 "ifi"
                 "si"
                 "ifi",
                 10, 14, 1, 0, -1, "/m", 0, 13, 0, -1, "/m", 0, 5, 0, -1, "/m", "z", 0, 2, 0, -1,
                 "/m", 1, -1, 1, -1);
    messages_say(SERVER,
                 "ili"
                 "ifi"
                 "s"
                 "ifi"
                 "ifi"
                 "S"
                 "ifi"
                 "ifi",
                 10, 14, 0, 1, 0, 0, "/m", 13, 0, 0, 5, 0, 0, 2, 0, 0, -1, 1, -1);
    messages_say(CLIENT,
                 "ii"
                 "ifi"
                 "si"
                 "ifi",
                 11, 14, 2, 0, -1, "/none", 0, -1, 1, -1);
    messages_say(SERVER,
                 "ili"
                 "ifi"
                 "i"
                 "ifi",
                 11, 15, 0, -1, 0, -101, -101, -1, 1, -1);
    messages_say(CLIENT, "iisi", 12, 106, "/l", 1); /* addWatch */
    messages_say(SERVER, "ilii", 12, 15, 0, 0);
    messages_say(CLIENT, "iisi", 13, 18, "/l", 3); /* removeWatches */
    messages_say(SERVER, "ili", 13, 15, 0);
    messages_say(CLIENT, "ii", 14, 107); /* whoAmI */
    messages_say(SERVER, "iliiss", 14, 15, 0, 1, "ip", "127.0.0.1");
    messages_say(CLIENT, "iiiss", -4, 100, 0, "digest", "me:too"); /* auth */
    messages_say(SERVER, "ili", -4, 15, 0);
    messages_say(CLIENT, "iis", 15, 104, "/"); /* getAllChildrenNumber */
    messages_say(SERVER, "ilii", 15, 15, 0, 4);
    messages_say(CLIENT, "iis", 16, 103, "/"); /* getEphemerals */
    messages_say(SERVER, "iliis", 16, 15, 0, 1, "/l/q-0000000000");
    messages_say(CLIENT, "iisi", 17, 200, "/of/a/later/release", 3);
    messages_say(SERVER, "ilil", 17, 15, 0, 3);
    messages_say(CLIENT, "iis", 18, 9, "/l"); /* sync */
    messages_say(SERVER, "ilis", 18, 15, 0, "/l");
    messages_say(CLIENT, "iisi", 19, 2, "/l/b", -1); /* delete */
    messages_say(SERVER, "iliiis", -1, -1, 0, 2, 3, "/l/b");
    messages_say(SERVER, "ili", 19, 16, 0);
    messages_say(CLIENT, "ii", 20, -11); /* closeSession */
    messages_say(SERVER, "ili", 20, 17, 0);
}

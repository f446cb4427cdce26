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

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/messages.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
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

/* Appends a field that is no text. */
static void put_field(char letter, int value)
{
    switch (letter) {
    case 'i':
    case 'l':
    case 'f':
        put_integer((uint64_t)value, letter == 'i' ? 4 : letter == 'l' ? 8 : 1);
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

static void end_message(struct message *message, enum conversation_side from)
{
    message->from = from;
    message->count = (size_t)(at - message->bytes);
    at = message->bytes;
    put_integer(message->count - 4, 4);
}

void messages_say(enum conversation_side from, const char *fields, ...)
{
    struct message *message = &messages[messages_count++];
    va_list values;
    va_start(values, fields);
    at = message->bytes + 4;
    for (; *fields != '\0'; fields++) {
        if (*fields == 's')
            put_text(va_arg(values, const char *));
        else
            put_field(*fields, strchr("ilf", *fields) != NULL ? va_arg(values, int) : 0);
    }
    va_end(values);
    end_message(message, from);
}

void messages_open(int session)
{
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 0, "0123456789abcdef", 0);
    messages_say(SERVER, "iilsf", 0, 30000, session, "0123456789abcdef", 0);
}

void messages_say_words(enum conversation_side from, const char *words)
{
    struct message *message = &messages[messages_count++];
    at = message->bytes + 4;
    for (; *words != '\0'; words += strspn(words, " ")) {
        char letter = *words++;
        size_t length = strcspn(words, " ");
        if (letter == 's')
            put_bytes(words, length);
        else
            put_field(letter, atoi(words));
        words += length;
    }
    end_message(message, from);
}

void messages_hold(void)
{
    static const struct {
        enum conversation_side from;
        const char *words;
    } said[] = {
        {CLIENT, "i1 i1 s/l/q- sme a i3"}, /* create */
        {SERVER, "i1 l9 i0 s/l/q-0000000000"},
        {CLIENT, "i2 i21 s/l/t n a i5 l900"}, /* createTTL */
        {CLIENT, "i3 i15 s/l/b sx a i0"},     /* create2 */
        {CLIENT, "i4 i12 s/l f1"},            /* getChildren2 */
        {SERVER, "i2 l10 i0 s/l/t S"},
        {SERVER, "i3 l11 i-110"},
        {SERVER, "i4 l11 i0 i2 sq-0000000000 st S"},
        {CLIENT, "i5 i3 s/l/b f1"}, /* exists */
        {CLIENT, "i-2 i11"},        /* ping */
        {SERVER, "i-2 l11 i0"},
        {SERVER, "i5 l11 i0 S"},
        {CLIENT, "i6 i4 s/l/b f0"}, /* getData */
        {SERVER, "i6 l11 i0 sx S"},
        {CLIENT, "i7 i5 s/l/b sy i-1"}, /* setData */
        {SERVER, "i-1 l-1 i0 i3 i3 s/l/b"},
        {SERVER, "i7 l12 i0 S"},
        {CLIENT, "i-8 i105 l12 i1 s/a i1 s/b i1 s/c i0 i0"}, /* setWatches2 */
        {CLIENT, "i8 i6 s/l"},                               /* getACL */
        {SERVER, "i8 l12 i0 a S"},
        {SERVER, "i-8 l12 i0"},
        {CLIENT, "i9 i7 s/l a i-1"}, /* setACL */
        {SERVER, "i9 l13 i0 S"},
        /* A transaction: create, check, set, delete. */
        {CLIENT, "i10 i14 i1 f0 i-1 s/m n a i0 i13 f0 i-1 s/m i0 i5 f0 i-1 s/m sz i0 i2 f0 i-1 s/m "
                 "i1 i-1 f1 i-1"},
        {SERVER, "i10 l14 i0 i1 f0 i0 s/m i13 f0 i0 i5 f0 i0 S i2 f0 i0 i-1 f1 i-1"},
        {CLIENT, "i11 i14 i2 f0 i-1 s/none i0 i-1 f1 i-1"},
        {SERVER, "i11 l15 i0 i-1 f0 i-101 i-101 i-1 f1 i-1"},
        {CLIENT, "i12 i106 s/l i1"}, /* addWatch */
        {SERVER, "i12 l15 i0 i0"},
        {CLIENT, "i13 i18 s/l i3"}, /* removeWatches */
        {SERVER, "i13 l15 i0"},
        {CLIENT, "i14 i107"}, /* whoAmI */
        {SERVER, "i14 l15 i0 i1 sip s127.0.0.1"},
        {CLIENT, "i-4 i100 i0 sdigest sme:too"}, /* auth */
        {SERVER, "i-4 l15 i0"},
        {CLIENT, "i15 i104 s/"}, /* getAllChildrenNumber */
        {SERVER, "i15 l15 i0 i4"},
        {CLIENT, "i16 i103 s/"}, /* getEphemerals */
        {SERVER, "i16 l15 i0 i1 s/l/q-0000000000"},
        {CLIENT, "i17 i200 s/of/a/later/release i3"},
        {SERVER, "i17 l15 i0 l3"},
        {CLIENT, "i18 i9 s/l"}, /* sync */
        {SERVER, "i18 l15 i0 s/l"},
        {CLIENT, "i19 i2 s/l/b i-1"}, /* delete */
        {SERVER, "i-1 l-1 i0 i2 i3 s/l/b"},
        {SERVER, "i19 l16 i0"},
        {CLIENT, "i20 i-11"}, /* closeSession */
        {SERVER, "i20 l17 i0"},
    };
    messages_count = 0;
    messages_open(77);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        messages_say_words(said[i].from, said[i].words);
}

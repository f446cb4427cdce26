// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SEQUENCE_DIGITS 10

bool queue_sequence(const char *name, int32_t *sequence)
{
    size_t length = strlen(name);
    size_t digits = 0;
    uint64_t number = 0;
    while (digits < SEQUENCE_DIGITS && digits < length &&
           isdigit((unsigned char)name[length - 1 - digits]))
        digits++;
    if (digits < SEQUENCE_DIGITS)
        return false;
    for (size_t i = length - SEQUENCE_DIGITS; i < length; i++)
        number = number * 10 + (uint64_t)(name[i] - '0');
    /* The server formats with %010d: a negative number has eleven characters, "-" and ten digits.
     * The prefix of our own znodes ends in "-" as well, so a number is negative only behind two of
     * them. */
    const char *before = name + length - SEQUENCE_DIGITS;
    bool negative = before - name >= 2 && before[-1] == '-' && before[-2] == '-';
    int64_t value = negative ? -(int64_t)number : (int64_t)number;
    if (value < INT32_MIN || value > INT32_MAX)
        return false;
    *sequence = (int32_t)value;
    return true;
}

bool queue_before(int32_t a, int32_t b)
{
    /* Unsigned subtraction wraps as the server's counter does. */
    uint32_t distance = (uint32_t)b - (uint32_t)a;
    return distance != 0 && distance <= INT32_MAX;
}

bool queue_take_place(struct contender *s)
{
    if (s->status != ZK_OK || !queue_sequence(s->reply->path, &s->sequence))
        return false;
    snprintf(s->node, sizeof s->node, "%s", s->reply->path);
    return true;
}

bool queue_is_lowest(struct contender *s)
{
    const char *predecessor = NULL;
    int32_t predecessor_sequence = 0;
    for (size_t i = 0; i < s->reply->name_count; i++) {
        int32_t sequence;
        if (!queue_sequence(s->reply->names[i], &sequence) || !queue_before(sequence, s->sequence))
            continue;
        if (predecessor == NULL || queue_before(predecessor_sequence, sequence)) {
            predecessor = s->reply->names[i];
            predecessor_sequence = sequence;
        }
    }
    if (predecessor == NULL)
        return true;
    contender_child(s, predecessor, s->watched);
    return false;
}

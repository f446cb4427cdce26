// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"

#include <stdio.h>
#include <string.h>

#define SEQUENCE_WIDTH 10

/* Reads SEQUENCE_WIDTH characters: digits, or a sign and digits. Without strtoll and without a
 * branch at each digit, because a holder of the scalable lock reads the name of every waiter. */
static bool read_number(const char *text, int64_t *number)
{
    bool digits = true;
    *number = 0;
    for (size_t i = text[0] == '-' ? 1 : 0; i < SEQUENCE_WIDTH; i++) {
        unsigned digit = (unsigned)(text[i] - '0');
        digits &= digit <= 9;
        *number = *number * 10 + digit;
    }
    return digits;
}

bool queue_sequence(const char *name, int32_t *sequence)
{
    int64_t value;
    size_t length = strlen(name);
    if (length < SEQUENCE_WIDTH)
        return false;
    const char *number = name + length - SEQUENCE_WIDTH;
    if (!read_number(number, &value))
        return false;
    /* %010d counts the sign as a character, but for ten digits adds it in front. A "-" before ten
     * digits is the sign only if the prefix ends before it. */
    if (number[0] == '-' ||
        (number - name >= 2 && number[-1] == '-' && (number[-2] == '-' || number[-2] == '_')))
        value = -value;
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

struct recipe_sent queue_create_place(struct contender *s, const char *prefix)
{
    contender_child(s, prefix, s->node);
    return create(s, s->node, EPHEMERAL_SEQUENTIAL);
}

bool queue_take_place(struct contender *s)
{
    if (s->status != ZK_OK || !queue_sequence(s->reply->path, &s->sequence))
        return false;
    snprintf(s->node, sizeof s->node, "%s", s->reply->path);
    return true;
}

bool queue_find_place(struct contender *s)
{
    for (size_t i = 0; i < s->reply->name_count; i++) {
        const char *name = s->reply->names[i];
        if (strncmp(name, s->prefix, strlen(s->prefix)) == 0 &&
            queue_sequence(name, &s->sequence)) {
            contender_child(s, name, s->node);
            return true;
        }
    }
    return false;
}

bool queue_none_before(struct contender *s, const char *prefix, enum queue_which which)
{
    const char *found = NULL;
    for (size_t i = 0; i < s->reply->name_count; i++) {
        const char *name = s->reply->names[i];
        int32_t sequence;
        if (!queue_sequence(name, &sequence) || !queue_before(sequence, s->sequence))
            continue;
        if (found != NULL && queue_before(s->predecessor, sequence) != (which == QUEUE_LAST))
            continue;
        if (strncmp(name, prefix, strlen(prefix)) == 0) {
            found = name;
            s->predecessor = sequence;
        }
    }
    if (found == NULL)
        return true;
    contender_child(s, found, s->watched);
    return false;
}

bool queue_is_lowest(struct contender *s)
{
    return queue_none_before(s, "", QUEUE_LAST);
}

int32_t queue_first(const struct contender *s)
{
    int32_t first = s->sequence;
    for (size_t i = 0; i < s->reply->name_count; i++) {
        int32_t sequence;
        if (queue_sequence(s->reply->names[i], &sequence) && queue_before(sequence, first))
            first = sequence;
    }
    return first;
}

int32_t queue_previous(int32_t sequence)
{
    return sequence == INT32_MIN ? INT32_MAX : sequence - 1;
}

void queue_place(const struct contender *s, const char *prefix, int32_t sequence, char *path)
{
    snprintf(path, RECIPE_PATH_MAX, "%s/%s%010d", s->lock, prefix, sequence);
}

/* ------------------------------------------------------------------ watching the predecessor */

enum recipe_step queue_acquire(struct contender *s, look_function *look)
{
    BEGIN;
    AWAIT(queue_create_place(s, QUEUE_PREFIX));
    if (!queue_take_place(s))
        FAILED;
    for (;;) {
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
        AWAIT(look(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

enum recipe_step queue_acquire_exists(struct contender *s)
{
    return queue_acquire(s, exists);
}

/* An arriving client lists all places, its own included, and looks at another if it must wait. */
void queue_arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, 1 + view->holders + view->waiters);
    if (view->granted == 0)
        tally_add(cost, view->look, 1);
}

/* The clients that are granted are woken, no other is; each lists the remaining places. */
void queue_release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->granted);
    tally_add(cost, TALLY_GET_CHILDREN, view->granted);
    tally_add(cost, TALLY_NAMES_LISTED, view->granted * (view->holders - 1 + view->waiters));
}

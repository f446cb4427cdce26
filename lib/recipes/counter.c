// SPDX-License-Identifier: Apache-2.0
/*
 * The contended counter. A grant is an increment: it holds nothing, and its release needs no
 * request. Under lockstep all clients have read before any writes. That is the worst case, and n
 * clients without a pause approach it.
 */
#include "recipes/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTER "counter"

static const char description[] =
    "Not a lock: a number in a znode, which each client increments once. A client reads the "
    "number and its version, and writes the next number if the version is unchanged. If not, "
    "another client was faster, and the client starts again. Of n clients that have read, one "
    "succeeds: n(n+1)/2 attempts in all. Afterwards zkherd checks that no increment was lost.";

static const char pseudo_code[] = "increment\n"
                                  "1 value, version = getData(c)\n"
                                  "2 if setData(c, value + 1, version) exit\n"
                                  "3 goto 1";

static const struct recipe_znode laid_out[] = {{COUNTER, "0"}, {NULL, NULL}};

static bool parse_value(struct contender *s)
{
    char text[24], *end;
    if (s->status != ZK_OK || s->reply->value_length == 0 || s->reply->value_length >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)s->reply->value_length, s->reply->value);
    s->value = strtoll(text, &end, 10);
    s->version = s->reply->version;
    return *end == '\0';
}

static OPERATION write_next(struct contender *s)
{
    char text[24];
    size_t length = (size_t)snprintf(text, sizeof text, "%" PRId64, s->value + 1);
    return set_data(s, s->node, text, length, s->version);
}

ACQUIRE(counter)
{
    BEGIN;
    contender_child(s, COUNTER, s->node);
    for (;;) {
        AWAIT(get_data(s, s->node, NO_WATCH));
        if (!parse_value(s))
            FAILED;
        AWAIT_TURN;
        AWAIT(write_next(s));
        if (s->status == ZK_OK)
            GRANTED;
        if (s->status != ZK_BAD_VERSION)
            FAILED;
    }
    END;
}

RELEASE(counter)
{
    (void)s;
    RELEASED;
}

static const char steps[] =
    "arrival     1 getData\n"
    "a turn      when all W waiters have read: W setData, of which one succeeds,\n"
    "            and W - 1 getData. A turn is part of the release before it, the\n"
    "            first turn of the arrivals\n"
    "release     nothing";

static void arrival(const struct law_view *view, struct tally *cost)
{
    (void)view;
    tally_add(cost, TALLY_GET, 1);
}

static void release(const struct law_view *view, struct tally *cost)
{
    (void)view;
    (void)cost;
}

/* All waiters write, one succeeds, and the others read again. */
static void turn(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_SET, view->waiters);
    tally_add(cost, TALLY_GET, view->waiters - 1);
}

const struct recipe recipe_counter = {
    .name = "counter",
    .summary =
        "no lock: all clients increment a number; a write succeeds if its version is unchanged",
    .about = {description, pseudo_code, "lectures 9.2 and 9.3 (MIT 6.824, ZooKeeper)",
              "Apache Curator (DistributedAtomicLong)"},
    .shares = recipe_all_share,
    .laid_out = laid_out,
    .counter_znode = COUNTER,
    .acquire = counter_acquire,
    .release = counter_release,
    .law = {arrival, release, "n^2 + n", "0"},
    .turn_law = turn,
    .law_in_words = steps,
};

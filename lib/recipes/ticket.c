// SPDX-License-Identifier: Apache-2.0
/*
 * The ticket lock. Sequence numbers count only the creates below their parent, so the predecessor
 * of k is k - 1. The scalable lock lists after a wake-up because the predecessor may have given up;
 * here the znode turn shows whether the predecessor has held.
 *
 * Safe: only p writes turn = p, while it holds. No lower number is left then, and none can come. p
 * was the next lower number when the client looked, so the client's number is the lowest.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#include <stdio.h>
#include <string.h>

#define TICKET_PREFIX "queue/t-"

static const char description[] =
    "A queue of sequential znodes that is not listed: the ticket before k is k - 1. A releasing "
    "client writes its own number to the znode turn and deletes its ticket, in one transaction. "
    "A woken client reads turn: if turn is the number of the ticket that the client watched, the "
    "client holds the lock. If not, its predecessor gave up or died, and the client lists once. "
    "No cost grows with the number of waiters: a drain is O(n) in requests, notifications and "
    "bytes.";

static const char pseudo_code[] =
    "acquire                                             release\n"
    "1 k = create(l + \"/queue/t-\", EPHEMERAL|SEQUENTIAL)   1 multi:\n"
    "2 p = k - 1                                               setData(turn, k),\n"
    "3 if getData(turn) = p, exit                              delete(t-k)\n"
    "4 if getData(t-p, true) wait for watch event\n"
    "5 if getData(turn) = p, exit\n"
    "6 C = getChildren(l + \"/queue\", false)\n"
    "7 if k is lowest in C, exit\n"
    "8 p = number in C just before k\n"
    "9 goto 4";

static const struct recipe_znode laid_out[] = {{"queue", ""}, {"turn", "-1"}, {NULL, NULL}};

static bool is_our_turn(const struct contender *s)
{
    char number[16];
    size_t length = (size_t)snprintf(number, sizeof number, "%d", s->predecessor);
    return s->status == ZK_OK && s->reply->value_length == length &&
           memcmp(s->reply->value, number, length) == 0;
}

static OPERATION hand_on(struct contender *s)
{
    char number[16];
    size_t length = (size_t)snprintf(number, sizeof number, "%d", s->sequence);
    return multi(s, request_set(CHILD("turn"), number, length, REQUEST_ANY_VERSION),
                 request_delete(s->node));
}

ACQUIRE(ticket)
{
    BEGIN;
    AWAIT(queue_create_place(s, TICKET_PREFIX));
    if (!queue_take_place(s))
        FAILED;
    s->predecessor = queue_previous(s->sequence);
    AWAIT(get_data(s, CHILD("turn"), NO_WATCH));
    if (is_our_turn(s))
        GRANTED;
    for (;;) {
        queue_place(s, TICKET_PREFIX, s->predecessor, s->watched);
        AWAIT(get_data(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
        AWAIT(get_data(s, CHILD("turn"), NO_WATCH));
        if (is_our_turn(s))
            GRANTED;
        AWAIT(get_children(s, CHILD("queue"), NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
    }
    END;
}

RELEASE(ticket)
{
    BEGIN;
    AWAIT(hand_on(s));
    if (s->status == ZK_OK)
        RELEASED;
    END;
}

static void arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET, view->held ? 2 : 1);
}

/* One client is woken, and reads turn. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_MULTI, 1);
    if (view->waiters > 0) {
        tally_add(cost, TALLY_NOTIFICATION, 1);
        tally_add(cost, TALLY_GET, 1);
    }
}

const struct recipe recipe_ticket = {
    .name = "ticket",
    .summary = "a queue without lists; each release writes whose turn it was: O(n) in bytes too",
    .about = {description, pseudo_code, "zkherd", NULL},
    .fifo = true,
    .laid_out = laid_out,
    .acquire = ticket_acquire,
    .release = ticket_release,
    .law = {arrival, release, "5n - 2", "n - 1"},
};

// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"
#include "recipes/recipe.h"
#include "recipes/registry.h"

static const char description[] =
    "A queue of sequential znodes; the lowest holds the lock. Each other client watches the "
    "children of the lock, and lists them again at every change, so each arrival and each "
    "departure wakes all waiters.";

static const char pseudo_code[] =
    "acquire                                              release\n"
    "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 delete(n)\n"
    "2 C = getChildren(l, true)\n"
    "3 if n is lowest znode in C, exit\n"
    "4 wait for watch event\n"
    "5 goto 2";

ACQUIRE(childwatch)
{
    BEGIN;
    AWAIT(queue_create_place(s, QUEUE_PREFIX));
    if (!queue_take_place(s))
        FAILED;
    for (;;) {
        AWAIT(get_children(s, s->lock, WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
        AWAIT_WATCH(EVENT_CHILD, s->lock);
    }
    END;
}

/* The arriving client and all waiters, which it wakes, list the queue. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t in_line = 1 + view->waiters + (view->held ? 1 : 0);
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters + queue_holders_watch(view));
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, queue_holders_watch(view));
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters + 1);
    tally_add(cost, TALLY_NAMES_LISTED, (view->waiters + 1) * in_line);
}

/* All waiters are woken, and list the remaining places. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters + queue_holders_watch(view));
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, queue_holders_watch(view));
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters);
    tally_add(cost, TALLY_NAMES_LISTED, view->waiters * view->waiters);
}

const struct recipe recipe_childwatch = {
    .name = "childwatch",
    .summary = "a queue; all clients watch the whole queue with getChildren: another herd",
    .about = {description, pseudo_code, "common guides to ZooKeeper locks",
              "code4wt's ZKReadWriteLock1"},
    .fifo = true,
    .acquire = childwatch_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "n^2 + n + 1", "n^2 - n + 1"},
};

// SPDX-License-Identifier: Apache-2.0
/*
 * The queue of scalable, whose clients list only what is up to date: on an ensemble the server of a
 * client may be behind, and sync makes it catch up first. Hunt et al. call a read behind a sync the
 * slow read. The lock is no better for it: a list that is old costs a watch on a znode that is
 * gone, never a second holder. It shows what caution costs: one request in each acquire, and a
 * second in each that waits.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

static const char description[] =
    "A queue of sequential znodes; the lowest holds the lock. Each other client watches the znode "
    "just before its own with exists. Before each list a client has its server catch up with sync, "
    "which the leader answers behind all that was committed before.";

static const char pseudo_code[] =
    "acquire                                            release\n"
    "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)   1 delete(n)\n"
    "2 sync(l)\n"
    "3 C = getChildren(l, false)\n"
    "4 if n is lowest znode in C, exit\n"
    "5 p = znode in C ordered just before n\n"
    "6 if exists(p, true) wait for watch event\n"
    "7 goto 2";

ACQUIRE(syncqueue)
{
    BEGIN;
    AWAIT(queue_create_place(s, QUEUE_PREFIX));
    if (!queue_take_place(s))
        FAILED;
    for (;;) {
        AWAIT(sync_server(s, s->lock));
        if (s->status != ZK_OK)
            FAILED;
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
        AWAIT(exists(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

/* One sync for each list. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    queue_arrival(view, cost);
    tally_add(cost, TALLY_SYNC, 1);
}

static void release(const struct law_view *view, struct tally *cost)
{
    queue_release(view, cost);
    tally_add(cost, TALLY_SYNC, view->waiters > 0 ? 1 : 0);
}

RECIPE(syncqueue) = {
    .name = "syncqueue",
    .summary = "scalable, with a sync before each list: what a slow read costs",
    .about =
        {description, pseudo_code,
         "Hunt et al., USENIX ATC 2010, section 2.3 (slow reads), and section 2.4, Simple Locks "
         "without Herd Effect",
         NULL},
    .fifo = true,
    .acquire = syncqueue_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "7n - 3", "n - 1"},
};

// SPDX-License-Identifier: Apache-2.0
/*
 * The traffic of ZooKeeper's C recipe, zkr_lock_lock of zoo_lock.c. Copied with it: a client whose
 * predecessor goes between the list and exists() deletes its own znode and queues again at the
 * tail, and the watch of exists() remains. Not copied: the original gives up silently when that has
 * happened four times, compares sequence numbers as strings, always returns success, and creates
 * the lock's folder, which exists in every trial.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"
#include "recipes/registry.h"

#include <inttypes.h>
#include <stdio.h>

static const char description[] =
    "The queue as shipped with ZooKeeper for C. A client that locks, or is woken, checks that "
    "the lock's znode exists, lists to find a znode of its own session, and lists again to find "
    "its predecessor: two more requests per handoff than in the paper. If the predecessor is "
    "gone by then, the client gives up its place and queues again at the tail.";

static const char pseudo_code[] =
    "zkr_lock_lock()                                      zkr_lock_unlock()\n"
    "1 exists(l, false)                                   1 delete(n)\n"
    "2 n = znode in getChildren(l, false) with prefix\n"
    "      \"x-\" + session id + \"-\"\n"
    "  if none: n = create(l + prefix, EPHEMERAL|SEQUENTIAL)\n"
    "3 C = getChildren(l, false)\n"
    "4 if n is lowest znode in C, exit\n"
    "5 p = znode in C ordered just before n\n"
    "6 if exists(p, true): on its watch event goto 1\n"
    "7 else: delete(n), goto 2";

ACQUIRE(zoolock)
{
    BEGIN;
    snprintf(s->prefix, sizeof s->prefix, "x-%016" PRIx64 "-", client_session_id(s->client));
    for (;;) {
        AWAIT(exists(s, s->lock, NO_WATCH));
        for (;;) {
            AWAIT(get_children(s, s->lock, NO_WATCH));
            if (s->status != ZK_OK)
                FAILED;
            if (!queue_find_place(s)) {
                AWAIT(queue_create_place(s, s->prefix));
                if (!queue_take_place(s))
                    FAILED;
            }
            AWAIT(get_children(s, s->lock, NO_WATCH));
            if (s->status != ZK_OK)
                FAILED;
            if (queue_is_lowest(s))
                GRANTED;
            AWAIT(exists(s, s->watched, WATCH));
            if (s->status == ZK_OK)
                break;
            AWAIT(delete_znode(s, s->node));
        }
        AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

/* One client is woken, starts again, and lists the remaining places twice. */
static void release(const struct law_view *view, struct tally *cost)
{
    queue_law_shipped_release(view, cost, 2);
}

const struct recipe recipe_zoolock = {
    .name = "zoolock",
    .summary = "the queue as shipped with ZooKeeper for C: a woken client starts again from step 1",
    .about = {description, pseudo_code, "Apache ZooKeeper, zoo_lock.c (zkr_lock_lock)",
              "Apache ZooKeeper (zookeeper-recipes-lock, C)"},
    .fifo = true,
    .acquire = zoolock_acquire,
    .release = contender_delete_own,
    .law = {queue_shipped_arrival, release, "9n - 4", "n - 1"},
};

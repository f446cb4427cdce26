// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"
#include "recipes/recipe.h"
#include "recipes/registry.h"

static const char description[] =
    "The scalable lock, except that its LIST sets a watch. Each client waits for the znode just "
    "before its own and, because of this watch, also for the children of the lock. So each "
    "arrival and each departure wakes all waiters, which list again and look again: the herd "
    "effect is back.";

static const char pseudo_code[] =
    "acquire                                              release\n"
    "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 delete(n)\n"
    "2 C = getChildren(l, true)\n"
    "3 if n is lowest znode in C, exit\n"
    "4 p = znode in C ordered just before n\n"
    "5 if exists(p, true) wait for any watch event\n"
    "6 goto 2";

ACQUIRE(scalable_listwatch)
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
        AWAIT(exists(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_ANY_WATCH(s->watched);
    }
    END;
}

/* The arriving client and all waiters, which it wakes, list and look. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t in_line = 1 + view->waiters + (view->held ? 1 : 0);
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters + queue_holders_watch(view));
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, queue_holders_watch(view));
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters + 1);
    tally_add(cost, TALLY_NAMES_LISTED, (view->waiters + 1) * in_line);
    tally_add(cost, TALLY_EXISTS, in_line - 1);
}

/* All waiters are woken, and list. The next one gets two events, of which the second finds it
 * awake; all others look again. */
static void release(const struct law_view *view, struct tally *cost)
{
    uint64_t next = view->waiters > 0 ? 1 : 0;
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters + next + queue_holders_watch(view));
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, next + queue_holders_watch(view));
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters);
    tally_add(cost, TALLY_NAMES_LISTED, view->waiters * view->waiters);
    tally_add(cost, TALLY_EXISTS, view->waiters - next);
}

const struct recipe recipe_scalable_listwatch = {
    .name = "scalable-listwatch",
    .summary = "scalable, but its LIST sets a watch: the herd effect is back",
    .about = {description, pseudo_code,
              "the mistake that the paper's getChildren(l, false) avoids: Hunt et al., USENIX ATC "
              "2010, section 2.4; ZooKeeper's recipes, Locks, step 2",
              NULL},
    .fifo = true,
    .acquire = scalable_listwatch_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "2n^2 - n + 2", "n^2"},
};

// SPDX-License-Identifier: Apache-2.0
/* A queue whose LIST sets a watch: alone (childwatch), or beside that of the scalable lock. Each
 * arrival and each departure wakes all waiters, which list again: the herd effect. */
#include "recipes/queue.h"
#include "recipes/recipe.h"

/* ------------------------------------------------------------------ the law of such a LIST */

/* 1 if the watch of the holder's last list is still armed, else 0. It fires at the first arrival or
 * departure after the grant, and wakes no waiter. */
static uint64_t holders_watch(const struct law_view *view)
{
    return view->held && view->arrivals_since_grant == 0 ? 1 : 0;
}

/* The arriving client and all waiters, which it wakes, list the queue. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t in_line = 1 + view->waiters + (view->held ? 1 : 0);
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters + holders_watch(view));
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, holders_watch(view));
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters + 1);
    tally_add(cost, TALLY_NAMES_LISTED, (view->waiters + 1) * in_line);
}

/* All waiters are woken, and list the remaining places. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters + holders_watch(view));
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, holders_watch(view));
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters);
    tally_add(cost, TALLY_NAMES_LISTED, view->waiters * view->waiters);
}

/* ------------------------------------------------------------------ childwatch */

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

/* ------------------------------------------------------------------ beside the scalable lock's */

static const char listwatch_description[] =
    "The scalable lock, except that its LIST sets a watch. Each client waits for the znode just "
    "before its own and, because of this watch, also for the children of the lock. So each "
    "arrival and each departure wakes all waiters, which list again and look again: the herd "
    "effect is back.";

static const char listwatch_pseudo_code[] =
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

/* All that have listed and are not the lowest look, too. */
static void listwatch_arrival(const struct law_view *view, struct tally *cost)
{
    arrival(view, cost);
    tally_add(cost, TALLY_EXISTS, view->waiters + (view->held ? 1 : 0));
}

/* The next one gets two events, of which the second finds it awake; all others look again. */
static void listwatch_release(const struct law_view *view, struct tally *cost)
{
    uint64_t next = view->waiters > 0 ? 1 : 0;
    release(view, cost);
    tally_add(cost, TALLY_NOTIFICATION, next);
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, next);
    tally_add(cost, TALLY_EXISTS, view->waiters - next);
}

const struct recipe recipe_scalable_listwatch = {
    .name = "scalable-listwatch",
    .summary = "scalable, but its LIST sets a watch: the herd effect is back",
    .about = {listwatch_description, listwatch_pseudo_code,
              "the mistake that the paper's getChildren(l, false) avoids: Hunt et al., USENIX ATC "
              "2010, section 2.4; ZooKeeper's recipes, Locks, step 2",
              NULL},
    .fifo = true,
    .acquire = scalable_listwatch_acquire,
    .release = contender_delete_own,
    .law = {listwatch_arrival, listwatch_release, "2n^2 - n + 2", "n^2"},
};

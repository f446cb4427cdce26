// SPDX-License-Identifier: Apache-2.0
/*
 * A queue whose clients watch the two znodes before their own: whoever is second in line looks
 * again when the holder releases. A watch on two znodes needs AWAIT_ANY_WATCH. It costs a
 * notification, a list and a look more in each handoff, and gains nothing: with AWAIT_WATCH on the
 * predecessor alone it is scalable.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

static const char description[] =
    "A queue of sequential znodes; the lowest holds the lock. Each other client watches the znode "
    "just before its own, and the one before that.";

static const char pseudo_code[] =
    "acquire                                              release\n"
    "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 delete(n)\n"
    "2 C = getChildren(l, false)\n"
    "3 if n is lowest znode in C, exit\n"
    "4 p = znode in C ordered just before n\n"
    "5 if p is not the lowest, getData(znode before p, true)\n"
    "6 if getData(p, true) wait for any watch event\n"
    "7 goto 2";

static OPERATION look_at_second(struct contender *s)
{
    char second[RECIPE_PATH_MAX];
    queue_place(s, QUEUE_PREFIX, queue_previous(s->predecessor), second);
    return get_data(s, second, WATCH);
}

ACQUIRE(twowatches)
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
        s->first = queue_first(s);
        if (s->predecessor != s->first)
            AWAIT(look_at_second(s));
        AWAIT(get_data(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_ANY_WATCH(s->watched);
    }
    END;
}

static void arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, 1 + view->waiters + (view->held ? 1 : 0));
    if (view->held)
        tally_add(cost, TALLY_GET, view->waiters > 0 ? 2 : 1);
}

/* The first waiter is granted; the second finds the first before it, and looks at that again. */
static void release(const struct law_view *view, struct tally *cost)
{
    uint64_t woken = view->waiters < 2 ? view->waiters : 2;
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, woken);
    tally_add(cost, TALLY_GET_CHILDREN, woken);
    tally_add(cost, TALLY_NAMES_LISTED, woken * view->waiters);
    tally_add(cost, TALLY_GET, woken == 2 ? 1 : 0);
}

RECIPE(twowatches) = {
    .name = "twowatches",
    .summary = "a queue whose clients watch the two znodes before their own",
    .about = {description, pseudo_code, "made up, to show AWAIT_ANY_WATCH", NULL},
    .fifo = true,
    .acquire = twowatches_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "8n - 8", "2n - 3"},
};

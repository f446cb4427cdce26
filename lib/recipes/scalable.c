// SPDX-License-Identifier: Apache-2.0
/*
 * The scalable lock: a queue in which each watches the one before (lecture 9.4; Hunt et al. 2010,
 * section 2.4, "Simple Locks without Herd Effect"). Twice: with exists, as the paper has it, and
 * with getData, as Curator has it, which leaves no watch behind when the predecessor is gone.
 *
 *   acquire                                              release
 *   1 n = create(l + "/lock-", EPHEMERAL|SEQUENTIAL)       1 delete(n)
 *   2 C = getChildren(l, false)
 *   3 if n is lowest znode in C, exit
 *   4 p = znode in C ordered just before n
 *   5 if exists(p, true) wait for watch event
 *   6 goto 2
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"
#include "recipes/registry.h"

static enum recipe_step acquire(struct contender *s, look_function *look)
{
    BEGIN;
    contender_child(s, QUEUE_PREFIX, s->node);
    AWAIT(create(s, s->node, EPHEMERAL_SEQUENTIAL));
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

ACQUIRE(scalable)
{
    return acquire(s, exists);
}

ACQUIRE(scalable_get)
{
    return acquire(s, get_data);
}

/* Whoever arrives behind others lists them all, itself included, and looks at the last. */
static void arrival(const struct law_view *view, struct tally *cost, enum tally_kind look)
{
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, 1 + view->waiters + (view->held ? 1 : 0));
    if (view->held)
        tally_add(cost, look, 1);
}

/* One is woken, lists those who are left, and is the lowest. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    if (view->waiters > 0) {
        tally_add(cost, TALLY_NOTIFICATION, 1);
        tally_add(cost, TALLY_GET_CHILDREN, 1);
        tally_add(cost, TALLY_NAMES_LISTED, view->waiters);
    }
}

static void exists_arrival(const struct law_view *view, struct tally *cost)
{
    arrival(view, cost, TALLY_EXISTS);
}

static void get_arrival(const struct law_view *view, struct tally *cost)
{
    arrival(view, cost, TALLY_GET);
}

const struct recipe recipe_scalable = {
    .name = "scalable",
    .summary = "a queue, each watches the one before with exists: one wake-up a release",
    .fifo = true,
    .acquire = scalable_acquire,
    .release = contender_delete_own,
    .law = {exists_arrival, release, "5n - 2", "n - 1"},
};

const struct recipe recipe_scalable_get = {
    .name = "scalable-get",
    .summary = "a queue, each watches the one before with getData, as Curator does",
    .fifo = true,
    .acquire = scalable_get_acquire,
    .release = contender_delete_own,
    .law = {get_arrival, release, "5n - 2", "n - 1"},
};

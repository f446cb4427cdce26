// SPDX-License-Identifier: Apache-2.0
/*
 * The non-scalable lock, with exists as in the lecture, and with getData as in the paper ("read the
 * znode with the watch flag"). exists on a missing znode leaves a watch for its creation; getData
 * leaves none.
 */
#include "recipes/recipe.h"

#define DESCRIPTION(look)                                                                          \
    "The lock is one ephemeral znode. The client that creates it holds the lock; all others "      \
    "watch it with " look " and try again when it is deleted. Each release wakes all waiters: "    \
    "one succeeds, and every other one makes a CREATE that fails, which is a transaction of the "  \
    "whole ensemble."

#define PSEUDO_CODE(look)                                                                          \
    "acquire                                       release\n"                                      \
    "  while true:                                   delete(f)\n"                                  \
    "    if create(f, EPHEMERAL): return\n"                                                        \
    "    if " look "(f, watch = true):\n"                                                          \
    "      wait"

static enum recipe_step acquire(struct contender *s, look_function *look)
{
    BEGIN;
    contender_child(s, "f", s->node);
    for (;;) {
        AWAIT(create(s, s->node, EPHEMERAL));
        if (s->status == ZK_OK)
            GRANTED;
        if (s->status != ZK_NODE_EXISTS)
            FAILED;
        AWAIT(look(s, s->node, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->node);
    }
    END;
}

ACQUIRE(nonscalable)
{
    return acquire(s, exists);
}

ACQUIRE(nonscalable_get)
{
    return acquire(s, get_data);
}

/* At a held lock the create of an arriving client fails, and the client looks. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    if (view->held) {
        tally_add(cost, TALLY_CREATE_FAILED, 1);
        tally_add(cost, view->look, 1);
    }
}

/* The herd: all waiters are notified and create, one succeeds, the others look again. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters);
    tally_add(cost, TALLY_CREATE, view->waiters);
    if (view->waiters > 0) {
        tally_add(cost, TALLY_CREATE_FAILED, view->waiters - 1);
        tally_add(cost, view->look, view->waiters - 1);
    }
}

const struct recipe recipe_nonscalable = {
    .name = "nonscalable",
    .summary = "one znode, watched by all clients with exists: the herd effect",
    .about = {.description = DESCRIPTION("exists"),
              .pseudo_code = PSEUDO_CODE("exists"),
              .source = "lecture 9.3 (MIT 6.824, ZooKeeper)"},
    .acquire = nonscalable_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "n^2 + n", "n(n-1)/2"},
};

const struct recipe recipe_nonscalable_get = {
    .name = "nonscalable-get",
    .summary = "one znode, watched by all clients with getData: the herd effect",
    .about = {.description = DESCRIPTION("getData"),
              .pseudo_code = PSEUDO_CODE("getData"),
              .source = "Hunt et al., USENIX ATC 2010, section 2.4, Simple Locks"},
    .acquire = nonscalable_get_acquire,
    .release = contender_delete_own,
    .watches_data = true,
    .law = {arrival, release, "n^2 + n", "n(n-1)/2"},
};

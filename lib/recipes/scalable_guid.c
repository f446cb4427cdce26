// SPDX-License-Identifier: Apache-2.0
/*
 * The scalable lock with a GUID in the name. One GUID per session is enough: the session repeats
 * the deletion until it has succeeded, so it has at most one znode in the queue. While no
 * connection is lost its law is that of the scalable lock.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#include <stdio.h>

static const char description[] =
    "The scalable lock for a network that loses replies. The name of each znode contains a GUID. "
    "If the connection is lost while a CREATE is outstanding, the client lists, and creates "
    "again only if no name has its GUID. The client repeats lists and looks, and the deletion of "
    "its release, until they have succeeded. Without a GUID, a lost reply to a CREATE leaves a "
    "znode in the queue that blocks it for as long as the session lives.";

static const char pseudo_code[] =
    "acquire                                              release\n"
    "1 n = create(l + \"/_c_GUID-lock-\", EPHEMERAL|SEQ.)     1 delete(n)\n"
    "  connection lost:                                     connection lost: goto 1\n"
    "    if n in getChildren(l, false) has GUID: goto 2\n"
    "    goto 1\n"
    "2 C = getChildren(l, false)\n"
    "3 if n is lowest znode in C, exit\n"
    "4 p = znode in C ordered just before n\n"
    "5 if exists(p, true) wait for watch event\n"
    "6 goto 2";

ACQUIRE(scalable_guid)
{
    BEGIN;
    snprintf(s->prefix, sizeof s->prefix, "_c_%s-" QUEUE_PREFIX, s->guid);
    for (;;) {
        AWAIT(queue_create_place(s, s->prefix));
        if (queue_take_place(s))
            break;
        if (s->status != ZK_CONNECTION_LOSS)
            FAILED;
        do
            AWAIT(get_children(s, s->lock, NO_WATCH));
        while (s->status == ZK_CONNECTION_LOSS);
        if (queue_find_place(s))
            break;
    }
    for (;;) {
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status == ZK_CONNECTION_LOSS)
            continue;
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

/* ZK_NO_NODE: the deletion whose reply was lost was made; only this session deletes the znode. */
RELEASE(scalable_guid)
{
    BEGIN;
    do
        AWAIT(delete_znode(s, s->node));
    while (s->status == ZK_CONNECTION_LOSS);
    if (s->status == ZK_OK || s->status == ZK_NO_NODE)
        RELEASED;
    END;
}

const struct recipe recipe_scalable_guid = {
    .name = "scalable-guid",
    .summary =
        "scalable with a GUID in the name: a client finds its znode after a lost reply to CREATE",
    .about = {description, pseudo_code,
              "ZooKeeper's recipes, \"Important Note About Using the GUID\"; Apache Curator's "
              "protected mode",
              "Apache Curator (InterProcessMutex)"},
    .fifo = true,
    .recovers = true,
    .acquire = scalable_guid_acquire,
    .release = scalable_guid_release,
    .law = QUEUE_LAW,
};

// SPDX-License-Identifier: Apache-2.0
/*
 * The traffic of kazoo's Lock (Python, kazoo/recipe/lock.py), as a process causes it that keeps the
 * Lock object and acquires it again and again. Not copied: a missing folder, which kazoo creates,
 * exists in every trial; the list of a later acquire also looks for a znode that a lost reply to a
 * CREATE has left; and sequence numbers are compared as strings.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#include <stdio.h>

static const char description[] =
    "A queue of sequential znodes; the lowest holds the lock. Each other client watches the znode "
    "just before its own with getData. The first acquire of a client checks that the folder "
    "exists; each later one lists instead, because a lost reply may have left a znode behind.";

static const char pseudo_code[] =
    "Lock.acquire()                                       Lock.release()\n"
    "1 the first time: exists(l, false)                   1 delete(n)\n"
    "  later: getChildren(l, false)\n"
    "2 n = create(l + \"/GUID__lock__\", EPHEMERAL|SEQUENTIAL)\n"
    "3 C = getChildren(l, false)\n"
    "4 if n is lowest znode in C, exit\n"
    "5 p = znode in C ordered just before n\n"
    "6 if getData(p, true) wait for watch event\n"
    "7 goto 3";

/* Of a GUID kazoo leaves the dashes out. */
static void set_prefix(struct contender *s)
{
    const char *guid = s->guid;
    snprintf(s->prefix, sizeof s->prefix, "%.8s%.4s%.4s%.4s%.12s__lock__", guid, guid + 9,
             guid + 14, guid + 19, guid + 24);
}

ACQUIRE(kazoo)
{
    BEGIN;
    set_prefix(s);
    if (s->has_folder)
        AWAIT(get_children(s, s->lock, NO_WATCH));
    else
        AWAIT(exists(s, s->lock, NO_WATCH));
    if (s->status != ZK_OK)
        FAILED;
    s->has_folder = true;
    AWAIT(queue_create_place(s, s->prefix));
    if (!queue_take_place(s))
        FAILED;
    for (;;) {
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
        AWAIT(get_data(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

/* All clients have arrived once when the first of them releases. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t others = view->waiters + (view->held ? 1 : 0);
    bool is_first = view->releases == 0;
    tally_add(cost, TALLY_EXISTS, is_first ? 1 : 0);
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET_CHILDREN, is_first ? 1 : 2);
    tally_add(cost, TALLY_NAMES_LISTED, (is_first ? 0 : others) + others + 1);
    tally_add(cost, TALLY_GET, view->held ? 1 : 0);
}

/* One client is woken, lists the remaining places, and is the lowest. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    if (view->waiters > 0) {
        tally_add(cost, TALLY_NOTIFICATION, 1);
        tally_add(cost, TALLY_GET_CHILDREN, 1);
        tally_add(cost, TALLY_NAMES_LISTED, view->waiters);
    }
}

static const char steps[] =
    "arrival     a client's first: 1 EXISTS; a later one: 1 getChildren (names the\n"
    "            others). Then 1 CREATE, 1 getChildren (names all znodes), and\n"
    "            1 getData if it waits\n"
    "release     1 DELETE\n"
    "if woken    1 notification, 1 getChildren (names all znodes left)";

RECIPE(kazoo) = {
    .name = "kazoo",
    .summary = "the queue of kazoo's Lock for Python: one request more per arrival",
    .about = {description, pseudo_code, "kazoo, kazoo/recipe/lock.py (Lock)", "kazoo (Lock)"},
    .fifo = true,
    .acquire = kazoo_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "6n - 2", "n - 1"},
    .law_in_words = steps,
};

// SPDX-License-Identifier: Apache-2.0
/* zk-ruby's exclusive locker. The list of predecessors is kept as a range of sequence numbers,
 * which has no gaps while no client gives up. */
#include "recipes/queue.h"
#include "recipes/recipe.h"

static const char description[] =
    "A queue of sequential znodes; the lowest holds the lock. Each other client watches the "
    "znode just before its own. When that znode is deleted, the client does not list again: it "
    "re-checks every predecessor that it saw on arrival, one after another. All of them have "
    "gone: k predecessors cost k - 1 requests, and leave as many watches that will never fire. A "
    "release also tries to delete the lock's own znode.";

static const char pseudo_code[] =
    "acquire                                              release\n"
    "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 exists(l, false)\n"
    "  if l is missing: create(l), goto 1                 2 delete(n)\n"
    "2 exists(l, false)                                   3 delete(l)\n"
    "3 if n is lowest znode in getChildren(l, false), exit\n"
    "4 C = getChildren(l, false)\n"
    "5 for each p in C before n, the last one first\n"
    "6   if exists(p, true) wait for watch event";

ACQUIRE(walkback)
{
    BEGIN;
    for (;;) {
        AWAIT(queue_create_place(s, QUEUE_PREFIX));
        if (s->status != ZK_NO_NODE)
            break;
        AWAIT(create(s, s->lock, PERSISTENT));
    }
    if (!queue_take_place(s))
        FAILED;
    AWAIT(exists(s, s->lock, NO_WATCH));
    for (s->attempts = 0; s->attempts < 2; s->attempts++) {
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
    }
    s->first = queue_first(s);
    for (;;) {
        AWAIT(exists(s, s->watched, WATCH));
        if (s->status == ZK_OK) {
            AWAIT_WATCH(EVENT_DELETED, s->watched);
            if (s->happened != EVENT_DELETED)
                continue;
        }
        if (s->predecessor == s->first)
            GRANTED;
        s->predecessor = queue_previous(s->predecessor);
        queue_place(s, QUEUE_PREFIX, s->predecessor, s->watched);
    }
    END;
}

RELEASE(walkback)
{
    BEGIN;
    AWAIT(exists(s, s->lock, NO_WATCH));
    AWAIT(delete_znode(s, s->node));
    if (s->status != ZK_OK)
        FAILED;
    AWAIT(delete_znode(s, s->lock));
    RELEASED;
    END;
}

/* A release without waiters deletes the lock's folder. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t in_line = 1 + view->waiters + (view->held ? 1 : 0);
    bool missing = !view->held && view->releases > 0;
    tally_add(cost, TALLY_CREATE, missing ? 3 : 1);
    tally_add(cost, TALLY_CREATE_FAILED, missing ? 1 : 0);
    tally_add(cost, TALLY_EXISTS, view->held ? 2 : 1);
    tally_add(cost, TALLY_GET_CHILDREN, view->held ? 2 : 1);
    tally_add(cost, TALLY_NAMES_LISTED, (view->held ? 2 : 1) * in_line);
}

/* One client is woken, and checks every place that it found on arrival, except the watched one. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_EXISTS, 1);
    tally_add(cost, TALLY_DELETE, 2);
    if (view->waiters > 0) {
        tally_add(cost, TALLY_DELETE_FAILED, 1);
        tally_add(cost, TALLY_NOTIFICATION, 1);
        tally_add(cost, TALLY_EXISTS, view->next_found - 1);
    }
}

/* Not .fifo: a new folder begins with sequence number 0 again. */
const struct recipe recipe_walkback = {
    .name = "walkback",
    .summary = "a queue; a woken client re-checks every predecessor seen on arrival: O(n^2) again",
    .about = {description, pseudo_code, "zk-ruby, ZK::Locker::ExclusiveLocker", "zk-ruby"},
    .acquire = walkback_acquire,
    .release = walkback_release,
    .law = {arrival, release, "n(n-1)/2 + 7n - 1", "n - 1"},
};

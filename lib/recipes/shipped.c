// SPDX-License-Identifier: Apache-2.0
/* The queue as ZooKeeper ships it, in Java (writelock) and in C (zoolock). */
#include "base/clock.h"
#include "recipes/queue.h"
#include "recipes/recipe.h"

#include <inttypes.h>
#include <stdio.h>

/* An arriving client also checks that the folder exists, and lists to find a znode of its own. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    queue_arrival(view, cost);
    tally_add(cost, TALLY_EXISTS, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, view->holders + view->waiters);
}

/* A woken client also checks the folder. */
static void release(const struct law_view *view, struct tally *cost)
{
    queue_release(view, cost);
    tally_add(cost, TALLY_EXISTS, view->granted);
}

/* ------------------------------------------------------------------ in Java */

/* The traffic of ZooKeeper's Java recipe, org.apache.zookeeper.recipes.lock.WriteLock, without two
 * errors. If its predecessor goes between the list and exists(), it sleeps although the lock is
 * free; this recipe lists again. If it finds its own znode in the list, after a lost reply to a
 * CREATE, it takes the name for a path and never gets the lock; this recipe uses the path. */

/* The first retry is made at once, each later one after RETRY_DELAY_NS more than the one before. */
#define ATTEMPTS_MAX   10
#define RETRY_DELAY_NS (500 * NS_PER_MS)

static const char writelock_description[] =
    "The queue as shipped with ZooKeeper for Java. Each lock() checks that the lock's znode "
    "exists; the first one looks for a znode of its own session before it creates one. A release "
    "wakes one client, which calls lock() again: one more request per handoff than in the paper. "
    "After a lost connection, operations are retried up to ten times, except the deletion: a "
    "znode that it leaves goes with the session.";

static const char writelock_pseudo_code[] =
    "lock()                                               unlock()\n"
    "1 if not exists(l, false): create(l)                 1 delete(n)\n"
    "2 if n is not known yet                              2 lockReleased()\n"
    "    n = znode in getChildren(l, false) with prefix\n"
    "        \"x-\" + session id + \"-\"\n"
    "    if none: n = create(l + prefix, EPHEMERAL|SEQUENTIAL)\n"
    "3 C = getChildren(l, false)\n"
    "4 if n is lowest znode in C: lockAcquired(), exit\n"
    "5 p = znode in C ordered just before n\n"
    "6 if exists(p, true): on its watch event lock(); else goto 3\n"
    "connection lost in 1: again; in 2 to 6: goto 2, after a pause";

static bool is_to_be_retried(struct contender *s)
{
    return s->status == ZK_CONNECTION_LOSS && ++s->attempts < ATTEMPTS_MAX;
}

#define PAUSE_BEFORE_RETRY                                                                         \
    do {                                                                                           \
        if (s->attempts > 1)                                                                       \
            AWAIT_PAUSE((s->attempts - 1) * RETRY_DELAY_NS);                                       \
    } while (0)

/* ensurePathExists() */
static enum recipe_step ensure_folder(struct contender *s)
{
    BEGIN;
    s->attempts = 0;
    do {
        PAUSE_BEFORE_RETRY;
        AWAIT(exists(s, s->lock, NO_WATCH));
    } while (is_to_be_retried(s));
    if (s->status == ZK_NO_NODE)
        AWAIT(create(s, s->lock, PERSISTENT));
    return STEP_DONE;
    END;
}

/* execute() with its retries: ends when the lock is held, or waits for a watch. */
static enum recipe_step execute(struct contender *s)
{
    BEGIN;
    snprintf(s->prefix, sizeof s->prefix, "x-%" PRId64 "-", client_session_id(s->client));
    s->attempts = 0;
    do {
        PAUSE_BEFORE_RETRY;
        if (!s->has_place) {
            AWAIT(get_children(s, s->lock, NO_WATCH));
            if (s->status != ZK_OK)
                continue;
            if (!queue_find_place(s)) {
                AWAIT(queue_create_place(s, s->prefix));
                if (!queue_take_place(s))
                    continue;
            }
            s->has_place = true;
        }
        for (;;) {
            AWAIT(get_children(s, s->lock, NO_WATCH));
            if (s->status != ZK_OK)
                break;
            if (queue_is_lowest(s))
                GRANTED;
            AWAIT(exists(s, s->watched, WATCH));
            if (s->status != ZK_NO_NODE)
                break;
        }
    } while (is_to_be_retried(s));
    if (s->status != ZK_OK)
        FAILED;
    contender_park(s, EVENT_DELETED, s->watched);
    return STEP_WATCH;
    END;
}

/* lock(): a watch that fires calls it from its beginning. */
ACQUIRE(writelock)
{
    if (!s->has_folder) {
        enum recipe_step step = ensure_folder(s);
        if (step != STEP_DONE)
            return step;
        s->has_folder = true;
        s->resume_at = 0;
    }
    enum recipe_step step = execute(s);
    if (step != STEP_REPLY && step != STEP_PAUSE) {
        s->has_folder = false;
        s->resume_at = 0;
    }
    return step;
}

RELEASE(writelock)
{
    BEGIN;
    AWAIT(delete_znode(s, s->node));
    s->has_place = false;
    if (s->status == ZK_OK || s->status == ZK_NO_NODE)
        RELEASED;
    END;
}

const struct recipe recipe_writelock = {
    .name = "writelock",
    .summary =
        "the queue as shipped with ZooKeeper for Java: retries, one more request per handoff",
    .about = {writelock_description, writelock_pseudo_code,
              "Apache ZooKeeper, org.apache.zookeeper.recipes.lock.WriteLock",
              "Apache ZooKeeper (zookeeper-recipes-lock, Java)"},
    .fifo = true,
    .recovers = true,
    .acquire = writelock_acquire,
    .release = writelock_release,
    .law = {arrival, release, "8n - 3", "n - 1"},
};

/* ------------------------------------------------------------------ in C */

/* The traffic of ZooKeeper's C recipe, zkr_lock_lock of zoo_lock.c. Copied with it: a client whose
 * predecessor goes between the list and exists() deletes its own znode and queues again at the
 * tail, and the watch of exists() remains. Not copied: the original gives up silently when that has
 * happened four times, compares sequence numbers as strings, always returns success, and creates
 * the lock's folder, which exists in every trial. */

static const char zoolock_description[] =
    "The queue as shipped with ZooKeeper for C. A client that locks, or is woken, checks that "
    "the lock's znode exists, lists to find a znode of its own session, and lists again to find "
    "its predecessor: two more requests per handoff than in the paper. If the predecessor is "
    "gone by then, the client gives up its place and queues again at the tail.";

static const char zoolock_pseudo_code[] =
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

/* A woken client starts again from its first step, and lists to find its own znode, too. */
static void zoolock_release_law(const struct law_view *view, struct tally *cost)
{
    release(view, cost);
    tally_add(cost, TALLY_GET_CHILDREN, view->granted);
    tally_add(cost, TALLY_NAMES_LISTED, view->granted * view->waiters);
}

const struct recipe recipe_zoolock = {
    .name = "zoolock",
    .summary = "the queue as shipped with ZooKeeper for C: a woken client starts again from step 1",
    .about = {zoolock_description, zoolock_pseudo_code,
              "Apache ZooKeeper, zoo_lock.c (zkr_lock_lock)",
              "Apache ZooKeeper (zookeeper-recipes-lock, C)"},
    .fifo = true,
    .acquire = zoolock_acquire,
    .release = contender_delete_own,
    .law = {arrival, zoolock_release_law, "9n - 4", "n - 1"},
};

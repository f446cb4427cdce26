// SPDX-License-Identifier: Apache-2.0
/*
 * Locks that are broken on purpose: the scalable lock, each with one mistake. The checker must
 * report each of them in every trial. Their laws hold until the mistake has an effect.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#define LAW_REST "-", "-"

/* ------------------------------------------------------------------ grants at once */

ACQUIRE(nolock)
{
    BEGIN;
    AWAIT(queue_create_place(s, QUEUE_PREFIX));
    if (!queue_take_place(s))
        FAILED;
    GRANTED;
    END;
}

static void nolock_arrival(const struct law_view *view, struct tally *cost)
{
    (void)view;
    tally_add(cost, TALLY_CREATE, 1);
}

static void nolock_release(const struct law_view *view, struct tally *cost)
{
    (void)view;
    tally_add(cost, TALLY_DELETE, 1);
}

const struct recipe recipe_broken_nolock = {
    .name = "broken-nolock",
    .summary = "broken on purpose: grants the lock without a check for predecessors",
    .about = {"A client takes a place in line, and holds the lock at once.",
              "acquire                                              release\n"
              "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 delete(n)",
              "zkherd", NULL},
    .broken = 2,
    .acquire = nolock_acquire,
    .release = contender_delete_own,
    .law = {nolock_arrival, nolock_release, LAW_REST},
};

/* ------------------------------------------------------------------ a deletion is ownership */

/* Lists once; a woken client holds the lock. which: the predecessor that a client watches. */
static enum recipe_step trust_a_deletion(struct contender *s, enum queue_which which)
{
    BEGIN;
    AWAIT(queue_create_place(s, QUEUE_PREFIX));
    if (!queue_take_place(s))
        FAILED;
    AWAIT(get_children(s, s->lock, NO_WATCH));
    if (s->status != ZK_OK)
        FAILED;
    if (queue_none_before(s, "", which))
        GRANTED;
    AWAIT(exists(s, s->watched, WATCH));
    if (s->status == ZK_OK)
        AWAIT_WATCH(EVENT_DELETED, s->watched);
    GRANTED;
    END;
}

ACQUIRE(norecheck)
{
    return trust_a_deletion(s, QUEUE_LAST);
}

static void norecheck_release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters > 0 ? 1 : 0);
}

const struct recipe recipe_broken_norecheck = {
    .name = "broken-norecheck",
    .summary = "broken on purpose: treats its predecessor's departure as its own grant",
    .about = {"The scalable lock, but a woken client does not list again: it treats its "
              "predecessor's departure as its own grant. The predecessor may have been a waiter, "
              "not the holder. In each trial, one waiter ends its session.",
              QUEUE_PSEUDO_CODE("delete(n)", "znode in C ordered just before n",
                                "5 if exists(p, true) wait for watch event"),
              "code4wt, ZKReadWriteLock2", "code4wt's ZKReadWriteLock2"},
    .broken = 3,
    .death = {.how = DEATH_EXIT, .who = DEATH_WAITER},
    .acquire = norecheck_acquire,
    .release = contender_delete_own,
    .law = {queue_arrival, norecheck_release, LAW_REST},
};

/* ------------------------------------------------------------------ the wrong predecessor */

ACQUIRE(wrongpred)
{
    return trust_a_deletion(s, QUEUE_FIRST);
}

static void wrongpred_release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters);
}

const struct recipe recipe_broken_wrongpred = {
    .name = "broken-wrongpred",
    .summary = "broken on purpose: treats the departure of the first in line as its own grant",
    .about =
        {"The scalable lock, but each client watches the lowest znode, and holds the lock when "
         "that znode is deleted: all waiters hold together.",
         QUEUE_PSEUDO_CODE("delete(n)", "lowest znode in C",
                           "5 if exists(p, true) wait for watch event"),
         "zkherd", NULL},
    .broken = 3,
    .acquire = wrongpred_acquire,
    .release = contender_delete_own,
    .law = {queue_arrival, wrongpred_release, LAW_REST},
};

/* ------------------------------------------------------------------ no watch */

static OPERATION look_away(struct contender *s, const char *path, enum watch_flag watch)
{
    (void)watch;
    return exists(s, path, NO_WATCH);
}

ACQUIRE(nowatch)
{
    return queue_acquire(s, look_away);
}

const struct recipe recipe_broken_nowatch = {
    .name = "broken-nowatch",
    .summary = "broken on purpose: calls exists without the watch flag, and waits for ever",
    .about = {"The scalable lock, but its exists has no watch flag, so a client waits for ever. "
              "The deadline ends each trial: try -n 8 -t 1 --timeout 5s.",
              QUEUE_PSEUDO_CODE("delete(n)", "znode in C ordered just before n",
                                "5 if exists(p, false) wait for watch event\n"
                                "6 goto 2"),
              "zkherd", NULL},
    .fifo = true,
    .broken = 2,
    .acquire = nowatch_acquire,
    .release = contender_delete_own,
    .law = {queue_arrival, queue_release, LAW_REST},
};

/* ------------------------------------------------------------------ the znode stays */

RELEASE(leak)
{
    (void)s;
    CRASHED;
}

/* When the session has expired the next client is woken, and lists. */
static void leak_cost(const struct law_view *view, struct tally *cost)
{
    queue_release(view, cost);
    cost->of[TALLY_DELETE] = 0;
}

const struct recipe recipe_broken_leak = {
    .name = "broken-leak",
    .summary = "broken on purpose: ends its session instead of deleting its znode",
    .about = {"The scalable lock, but a release deletes nothing: the client ends without closing "
              "its session. Its znode stays until the session timeout, and the next client in "
              "line waits until then: use a short --session-timeout.",
              QUEUE_PSEUDO_CODE("exit(0)", "znode in C ordered just before n",
                                "5 if exists(p, true) wait for watch event\n"
                                "6 goto 2"),
              "zkherd", NULL},
    .fifo = true,
    .broken = 2,
    .acquire = queue_acquire_exists,
    .release = leak_release,
    .law = {queue_arrival, leak_cost, LAW_REST},
};

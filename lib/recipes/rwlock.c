// SPDX-License-Identifier: Apache-2.0
/*
 * The read/write lock. In the paper a reader watches the writer just before it, so a release wakes
 * only the clients that it grants. In Curator a reader watches the lowest writer, so each of V
 * writers wakes every reader behind it.
 *
 * The paper sends a woken reader to step 3 with its old list, in which the writer that has gone is
 * still before it. ZooKeeper's page of recipes lists again, as this recipe does.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#define READER "read-"
#define WRITER "write-"

#define ONE_WRITES_IN 4 /* the first client and every fourth after it write; the others read */

#define DESCRIPTION(which)                                                                         \
    "A queue of sequential znodes. A writer holds the lock alone: it waits for the znode just "    \
    "before its own. Readers hold the lock together: a reader waits only if a writer is before "   \
    "it, and then for " which ". In zkherd the first client and every fourth after it are "        \
    "writers; all others are readers."

#define PSEUDO_CODE(which, look, gap)                                                              \
    "write lock                                read lock\n"                                        \
    "1 n = create(l + \"/write-\",               1 n = create(l + \"/read-\",\n"                   \
    "             EPHEMERAL|SEQUENTIAL)                     EPHEMERAL|SEQUENTIAL)\n"               \
    "2 C = getChildren(l, false)               2 C = getChildren(l, false)\n"                      \
    "3 if n is lowest znode in C, exit         3 if no write znode is lower, exit\n"               \
    "4 p = znode in C ordered just before n    4 p = " which "\n"                                  \
    "5 if " look "(p, true) wait for event" gap "5 if " look "(p, true) wait for event\n"          \
    "6 goto 2                                  6 goto 2\n"                                         \
    "release: 1 delete(n)"

#define STEPS(look, writers_release)                                                               \
    "arrival     1 CREATE, 1 getChildren (names all znodes); 1 " look " if it waits\n"             \
    "release     1 DELETE. A reader wakes the next client if that is a writer, else\n"             \
    "            none (readers release in order). A writer wakes the next client if\n"             \
    "            that is a writer, " writers_release "\n"                                          \
    "if woken    1 notification, 1 getChildren (names all znodes left)"

static bool reads(uint32_t number)
{
    return number % ONE_WRITES_IN != 0;
}

/* which: of the writers before a reader, the one that it watches. */
static enum recipe_step acquire(struct contender *s, enum queue_which which, look_function *look)
{
    BEGIN;
    AWAIT(queue_create_place(s, reads(s->number) ? READER : WRITER));
    if (!queue_take_place(s))
        FAILED;
    for (;;) {
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (reads(s->number) ? queue_none_before(s, WRITER, which) : queue_is_lowest(s))
            GRANTED;
        AWAIT(look(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

ACQUIRE(rwlock)
{
    return acquire(s, QUEUE_LAST, exists);
}

ACQUIRE(rwlock_curator)
{
    return acquire(s, QUEUE_FIRST, get_data);
}

/* All readers watch the lowest writer. Its departure wakes also those that are not granted: they
 * list, and watch the writer that is now the lowest. */
static void curator_release(const struct law_view *view, struct tally *cost)
{
    uint64_t again = view->shares ? 0 : view->sharing - view->granted_sharing;
    queue_release(view, cost);
    tally_add(cost, TALLY_NOTIFICATION, again);
    tally_add(cost, TALLY_GET_CHILDREN, again);
    tally_add(cost, TALLY_NAMES_LISTED, again * (view->holders - 1 + view->waiters));
    tally_add(cost, view->look, again);
}

static const char paper_steps[] = STEPS("EXISTS", "else all readers up to the next writer");

static const char curator_steps[] =
    STEPS("getData", "and all readers in line") "\n"
                                                "            and 1 getData if it must wait again\n"
                                                "The totals below hold if 4 divides n.";

const struct recipe recipe_rwlock = {
    .name = "rwlock",
    .summary = "a queue of readers and writers: readers behind a writer are granted together",
    .about = {DESCRIPTION("the writer just before it"),
              PSEUDO_CODE("write znode just before n", "exists", "       "),
              "Hunt et al., USENIX ATC 2010, section 2.4, Read/Write Locks; ZooKeeper's recipes, "
              "Shared Locks",
              "kazoo (ReadLock, WriteLock), with getData"},
    .fifo = true,
    .shares = reads,
    .acquire = rwlock_acquire,
    .release = contender_delete_own,
    .law = QUEUE_LAW,
    .law_in_words = paper_steps,
};

const struct recipe recipe_rwlock_curator = {
    .name = "rwlock-curator",
    .summary = "rwlock, but a reader watches the lowest writer, as in Curator: a herd of readers",
    .about = {DESCRIPTION("the lowest writer in the queue, so that each writer wakes all "
                          "readers behind it"),
              PSEUDO_CODE("lowest write znode in C", "getData", "      "),
              "Apache Curator, InterProcessReadWriteLock",
              "Apache Curator (InterProcessReadWriteLock)"},
    .fifo = true,
    .shares = reads,
    .acquire = rwlock_curator_acquire,
    .release = contender_delete_own,
    .watches_data = true,
    .law = {queue_arrival, curator_release, "3n^2/16 + 17n/4 - 2", "3n^2/32 + 5n/8 - 1"},
    .law_texts_every = 4,
    .law_in_words = curator_steps,
};

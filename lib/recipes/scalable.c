// SPDX-License-Identifier: Apache-2.0
/* The scalable lock, with exists as in the paper, and with getData as in Curator, which leaves no
 * watch behind if the predecessor is gone. */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#define DESCRIPTION(look)                                                                          \
    "A queue of sequential znodes; the lowest holds the lock. Each other client watches the "      \
    "znode just before its own with " look ", and lists again when that znode is deleted, "        \
    "because its predecessor may have given up without holding. A release wakes one client."

#define PSEUDO_CODE(look)                                                                          \
    QUEUE_PSEUDO_CODE("delete(n)", "znode in C ordered just before n",                             \
                      "5 if " look "(p, true) wait for watch event\n6 goto 2")

ACQUIRE(scalable_get)
{
    return queue_acquire(s, get_data);
}

const struct recipe recipe_scalable = {
    .name = "scalable",
    .summary = "a queue; each client watches its predecessor with exists: one wake-up per release",
    .about = {.description = DESCRIPTION("exists"),
              .pseudo_code = PSEUDO_CODE("exists"),
              .source = "Hunt et al., USENIX ATC 2010, section 2.4, Simple Locks without Herd "
                        "Effect; lecture 9.4 (MIT 6.824, ZooKeeper)",
              .shipped_by = "menagerie (ReentrantZkLock)"},
    .fifo = true,
    .acquire = queue_acquire_exists,
    .release = contender_delete_own,
    .law = QUEUE_LAW,
};

const struct recipe recipe_scalable_get = {
    .name = "scalable-get",
    .summary = "a queue; each client watches its predecessor with getData, as in Curator",
    .about = {.description = DESCRIPTION("getData"),
              .pseudo_code = PSEUDO_CODE("getData"),
              .source = "Apache Curator, LockInternals",
              .shipped_by =
                  "Apache Curator (InterProcessMutex); go-zookeeper (Lock), with a GUID in the "
                  "name"},
    .fifo = true,
    .acquire = scalable_get_acquire,
    .release = contender_delete_own,
    .watches_data = true,
    .law = QUEUE_LAW,
};

/* ------------------------------------------------------------------ an election */

static const char election_description[] =
    "The scalable lock, used for an election. A candidate volunteers with a sequential znode; "
    "the candidate with the lowest znode leads. Each other candidate watches the znode just "
    "before its own. When the leader resigns, or its session dies, only the next candidate is "
    "notified, lists once, and leads: there is no contest. The time of a handoff is the time to "
    "a new leader.";

static const char election_pseudo_code[] =
    "volunteer                                            resign\n"
    "1 n = create(e + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 delete(n)\n"
    "2 C = getChildren(e, false)\n"
    "3 if n is lowest znode in C, lead\n"
    "4 p = znode in C ordered just before n\n"
    "5 if exists(p, true) wait for watch event\n"
    "6 goto 2";

const struct recipe recipe_election = {
    .name = "election",
    .summary = "leader election on the queue: the next in line follows without a contest",
    .about = {election_description, election_pseudo_code,
              "ZooKeeper's recipes, Leader Election; ZooKeeper's WriteLock, \"an exclusive write "
              "lock or to elect a leader\"",
              "Apache ZooKeeper (zookeeper-recipes-election, zookeeper-recipes-lock), Apache "
              "Curator (LeaderLatch)"},
    .fifo = true,
    .acquire = queue_acquire_exists,
    .release = contender_delete_own,
    .law = QUEUE_LAW,
};

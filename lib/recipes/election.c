// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"
#include "recipes/recipe.h"
#include "recipes/registry.h"

static const char description[] =
    "The scalable lock, used for an election. A candidate volunteers with a sequential znode; "
    "the candidate with the lowest znode leads. Each other candidate watches the znode just "
    "before its own. When the leader resigns, or its session dies, only the next candidate is "
    "notified, lists once, and leads: there is no contest. The time of a handoff is the time to "
    "a new leader.";

static const char pseudo_code[] =
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
    .about = {description, pseudo_code,
              "ZooKeeper's recipes, Leader Election; ZooKeeper's WriteLock, \"an exclusive write "
              "lock or to elect a leader\"",
              "Apache ZooKeeper (zookeeper-recipes-election, zookeeper-recipes-lock), Apache "
              "Curator (LeaderLatch)"},
    .fifo = true,
    .acquire = queue_acquire_exists,
    .release = contender_delete_own,
    .law = QUEUE_LAW,
};

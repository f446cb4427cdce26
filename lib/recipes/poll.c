// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "recipes/recipe.h"

#define INTERVAL_NS (10 * NS_PER_MS)

static const char description[] =
    "The lock is one ephemeral znode, and no client watches it. A client that cannot create the "
    "znode asks every 10 ms whether it still exists, and tries again when it does not. The cost "
    "depends on how long the lock is held; the order of the grants depends on chance. This "
    "recipe has no exact law and cannot run under lockstep: run it with --pace free.";

static const char pseudo_code[] = "acquire                                       release\n"
                                  "  while true:                                   delete(f)\n"
                                  "    if create(f, EPHEMERAL): return\n"
                                  "    do pause\n"
                                  "    while exists(f, watch = false)";

ACQUIRE(poll)
{
    BEGIN;
    contender_child(s, "f", s->node);
    for (;;) {
        AWAIT(create(s, s->node, EPHEMERAL));
        if (s->status == ZK_OK)
            GRANTED;
        if (s->status != ZK_NODE_EXISTS)
            FAILED;
        do {
            AWAIT_PAUSE(INTERVAL_NS);
            AWAIT(exists(s, s->node, NO_WATCH));
        } while (s->status == ZK_OK);
    }
    END;
}

const struct recipe recipe_poll = {
    .name = "poll",
    .summary = "one znode, no watches: each client asks every 10 ms; free pace only",
    .about = {description, pseudo_code,
              "the purpose of watches: Hunt et al., USENIX ATC 2010, section 2.1", NULL},
    .acquire = poll_acquire,
    .release = contender_delete_own,
    .law = {NULL, NULL, "no law", "0"},
};

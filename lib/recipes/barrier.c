// SPDX-License-Identifier: Apache-2.0
/*
 * The double barrier (Hunt et al. 2010, section 2.4). A grant is an entry, a release a departure.
 * A barrier can be passed once: `ready` is not deleted. Clients may enter other barriers before
 * they leave this one, so the release makes the path of the client's child again. The paper does
 * not say which child a leaving client watches: here it is the last one, so that no client wakes
 * too early if they leave in order.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#define READY  "ready"
#define PREFIX "p-"

static const char description[] =
    "Not a lock: all clients begin together and end together. Each creates a child of the "
    "barrier; the client that completes their number creates the znode ready, for which the "
    "others wait. To leave, each client deletes its child and waits for the deletion of one that "
    "still exists, until none is left. Both times one client wakes all others, as intended. The "
    "time to enter is the latency `acquire`, the time to leave `release`; elapsed_s covers both "
    "for all clients.";

static const char pseudo_code[] =
    "enter                                      leave\n"
    "1 n = create(b + \"/p-\" + number,           1 delete(n)\n"
    "             EPHEMERAL)                    2 C = getChildren(b, false)\n"
    "2 C = getChildren(b, false)                3 if C has no client, exit\n"
    "3 if C has all: create(ready), exit        4 p = last client in C\n"
    "4 if not exists(ready, true) wait for it   5 if exists(p, true) wait for event\n"
    "                                           6 goto 2";

static const struct recipe_znode laid_out[] = {{READY, NULL}, {NULL, NULL}};

/* The number of clients in the list just received; s->predecessor is the number of the last one. */
static uint32_t count_clients(struct contender *s)
{
    uint32_t count = 0;
    for (size_t i = 0; i < s->reply->name_count; i++) {
        int32_t number;
        if (!queue_sequence(s->reply->names[i], &number))
            continue;
        if (count++ == 0 || number > s->predecessor)
            s->predecessor = number;
    }
    return count;
}

ACQUIRE(barrier)
{
    BEGIN;
    queue_place(s, PREFIX, (int32_t)s->number, s->node);
    AWAIT(create(s, s->node, EPHEMERAL));
    if (s->status != ZK_OK)
        FAILED;
    AWAIT(get_children(s, s->lock, NO_WATCH));
    if (s->status != ZK_OK)
        FAILED;
    contender_child(s, READY, s->watched);
    if (count_clients(s) >= s->clients) {
        AWAIT(create(s, s->watched, PERSISTENT));
        if (s->status != ZK_OK && s->status != ZK_NODE_EXISTS)
            FAILED;
    } else {
        do {
            AWAIT(exists(s, s->watched, WATCH));
            if (s->status != ZK_NO_NODE)
                break;
            AWAIT_WATCH(EVENT_CREATED, s->watched);
        } while (s->happened != EVENT_CREATED);
    }
    GRANTED;
    END;
}

RELEASE(barrier)
{
    BEGIN;
    queue_place(s, PREFIX, (int32_t)s->number, s->node);
    AWAIT(delete_znode(s, s->node));
    if (s->status != ZK_OK)
        FAILED;
    for (;;) {
        AWAIT(get_children(s, s->lock, NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (count_clients(s) == 0)
            RELEASED;
        queue_place(s, PREFIX, s->predecessor, s->watched);
        AWAIT(exists(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

static const char steps[] =
    "arrival        1 CREATE, 1 getChildren (1 name per client that has arrived),\n"
    "               1 EXISTS\n"
    "last arrival   2 CREATE, 1 getChildren (n names), n - 1 notifications\n"
    "release        1 DELETE, 1 getChildren (ready, and 1 name per client left),\n"
    "               1 EXISTS\n"
    "last release   1 DELETE, n - 1 notifications, n getChildren (1 name each)";

/* The last client to arrive wakes all others, which send no further request. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    bool last = view->granted > 0;
    tally_add(cost, TALLY_CREATE, last ? 2 : 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, 1 + view->waiters);
    tally_add(cost, TALLY_EXISTS, last ? 0 : 1);
    tally_add(cost, TALLY_NOTIFICATION, last ? view->waiters : 0);
}

/* A leaving client lists the others and ready. The last wakes the others, which list ready. */
static void release(const struct law_view *view, struct tally *cost)
{
    uint64_t left = view->holders - 1;
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_EXISTS, left > 0 ? 1 : 0);
    tally_add(cost, TALLY_GET_CHILDREN, left > 0 ? 1 : view->releases + 1);
    tally_add(cost, TALLY_NAMES_LISTED, left > 0 ? left + 1 : view->releases + 1);
    tally_add(cost, TALLY_NOTIFICATION, left > 0 ? 0 : view->releases);
}

const struct recipe recipe_barrier = {
    .name = "barrier",
    .summary = "no lock: the double barrier; all clients enter together and leave together",
    .about = {description, pseudo_code,
              "Hunt et al., USENIX ATC 2010, section 2.4, Double Barrier, and Table 3",
              "no library in this form: Apache Curator (DistributedDoubleBarrier) and kazoo "
              "(DoubleBarrier) check ready before they list, delete it when they leave, and wait "
              "for the lowest client"},
    .shares = recipe_all_share,
    .barrier = true,
    .laid_out = laid_out,
    .acquire = barrier_acquire,
    .release = barrier_release,
    .law = {arrival, release, "7n - 2", "2n - 2"},
    .law_in_words = steps,
};

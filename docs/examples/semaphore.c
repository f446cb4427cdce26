// SPDX-License-Identifier: Apache-2.0
/*
 * The requests of Curator 2's InterProcessSemaphoreV2 with three leases. Curator gives the znodes a
 * GUID, and makes a folder that is missing; a client whose own znode is not in the list begins
 * anew. Later releases of Curator also send a checkWatches for each acquire, which takes no watch
 * away (docs/tap.md).
 *
 * Who has the lock of the line creates a lease, and waits with that lock until there are no more
 * leases than may be. So one client watches the leases, and a release wakes one. But each list of
 * the leases leaves a watch, which fires when the next client creates its lease or the first one
 * deletes it: a notification that wakes nobody.
 */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#include <string.h>

#define LEASES 3

#define LINE  "locks/lock-"
#define LEASE "leases/lease-"

static const char description[] =
    "A semaphore: up to three clients hold at once. A client first takes the lock of a queue, then "
    "creates a lease, and lists the leases with a watch until there are no more than three; then "
    "it gives the lock up. So of all that wait only one waits for a lease.";

static const char pseudo_code[] =
    "acquire                                                release\n"
    "1 n = create(s + \"/locks/lock-\", EPHEMERAL|SEQUENTIAL)  1 delete(k)\n"
    "2 C = getChildren(s + \"/locks\", false)\n"
    "3 if n is not lowest znode in C:\n"
    "    p = znode in C ordered just before n\n"
    "    if getData(p, true) wait for watch event; goto 2\n"
    "4 k = create(s + \"/leases/lease-\", EPHEMERAL|SEQUENTIAL)\n"
    "5 C = getChildren(s + \"/leases\", true)\n"
    "6 if C has more than three, wait for watch event; goto 5\n"
    "7 delete(n)";

static const struct recipe_znode laid_out[] = {{"locks", ""}, {"leases", ""}, {NULL, NULL}};

/* The lock of the line. */
static enum recipe_step lock_line(struct contender *s)
{
    BEGIN;
    AWAIT(queue_create_place(s, LINE));
    if (!queue_take_place(s))
        FAILED;
    for (;;) {
        AWAIT(get_children(s, CHILD("locks"), NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (queue_is_lowest(s))
            GRANTED;
        queue_place(s, LINE, s->predecessor, s->watched);
        AWAIT(get_data(s, s->watched, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->watched);
    }
    END;
}

/* Who has that lock waits for a lease, and gives it up. */
static enum recipe_step take_lease(struct contender *s)
{
    BEGIN;
    AWAIT(create(s, CHILD(LEASE), EPHEMERAL_SEQUENTIAL));
    if (s->status != ZK_OK)
        FAILED;
    strcpy(s->node, s->reply->path); /* as long as a place in line */
    for (;;) {
        AWAIT(get_children(s, CHILD("leases"), WATCH));
        if (s->status != ZK_OK)
            FAILED;
        if (s->reply->name_count <= LEASES)
            break;
        AWAIT_WATCH(EVENT_CHILD, CHILD("leases"));
    }
    queue_place(s, LINE, s->sequence, s->watched);
    AWAIT(delete_znode(s, s->watched));
    if (s->status == ZK_OK)
        GRANTED;
    END;
}

/* The two, one after the other. */
ACQUIRE(semaphore)
{
    if (!s->has_place) {
        enum recipe_step step = lock_line(s);
        if (step != STEP_DONE)
            return step;
        s->has_place = true;
        s->resume_at = 0;
    }
    enum recipe_step step = take_lease(s);
    if (step == STEP_DONE)
        s->has_place = false;
    return step;
}

/* Creates a lease and lists them. The watch of the client that listed before is still there if no
 * lease was deleted since. */
static void lease_cost(uint64_t leases, bool is_watched, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, leases);
    tally_add(cost, TALLY_NOTIFICATION, is_watched ? 1 : 0);
    tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, is_watched ? 1 : 0);
}

/* Nobody in line has the lock of the line unless it waits for a lease. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, view->waiters + 1);
    if (view->waiters > 0)
        tally_add(cost, TALLY_GET, 1);
    else
        lease_cost(view->holders + 1, view->held && view->releases_since_grant == 0, cost);
    tally_add(cost, TALLY_DELETE, view->granted);
}

/* The deletion is seen by the client that waits for a lease, or by the one that listed last. The
 * lease that is free goes to that client, and the lock of the line to the next, which waits. */
static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    if (view->waiters == 0) {
        uint64_t left = view->releases_since_grant == 0 ? 1 : 0;
        tally_add(cost, TALLY_NOTIFICATION, left);
        tally_add(cost, TALLY_NOTIFICATION_SPURIOUS, left);
        return;
    }
    tally_add(cost, TALLY_NOTIFICATION, 1);
    tally_add(cost, TALLY_GET_CHILDREN, 1);
    tally_add(cost, TALLY_NAMES_LISTED, LEASES);
    tally_add(cost, TALLY_DELETE, 1);
    if (view->waiters > 1) {
        tally_add(cost, TALLY_NOTIFICATION, 1);
        tally_add(cost, TALLY_GET_CHILDREN, 1);
        tally_add(cost, TALLY_NAMES_LISTED, view->waiters - 1);
        lease_cost(LEASES + 1, true, cost);
    }
}

static const char steps[] =
    "arrival     1 CREATE, 1 getChildren (names the waiters and the client); 1 getData\n"
    "            if it waits for the lock of the line, else 1 CREATE, 1 getChildren\n"
    "            (names the leases) and 1 spurious notification of the list before;\n"
    "            1 DELETE if it is granted\n"
    "release     1 DELETE\n"
    "if nobody   1 spurious notification, at the first release behind a grant\n"
    "if granted  1 notification, 1 getChildren (names 3 leases), 1 DELETE\n"
    "if others   2 notifications, of them 1 spurious; 1 CREATE, 2 getChildren (name\n"
    "            the waiters left, and 4 leases)";

RECIPE(semaphore) = {
    .name = "semaphore",
    .summary = "three may hold at once: a queue for the right to wait for a lease",
    .about = {description, pseudo_code, "Apache Curator 2, InterProcessSemaphoreV2",
              "Apache Curator (InterProcessSemaphoreV2)"},
    .fifo = true,
    .shares = recipe_all_share,
    .leases = LEASES,
    .laid_out = laid_out,
    .acquire = semaphore_acquire,
    .release = contender_delete_own,
    .law = {arrival, release, "9n - 11 from n = 4", "3n - 7 from n = 4"},
    .law_in_words = steps,
};

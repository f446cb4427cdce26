// SPDX-License-Identifier: Apache-2.0
/* The ready flag. The data are the znodes a and b; both must have the last holder's number. */
#include "recipes/queue.h"
#include "recipes/recipe.h"

#include <stdio.h>

static const char description[] =
    "The scalable lock around data that are written in two steps. The holder deletes the znode "
    "ready before the first step, and creates it again after the second. A holder that crashes "
    "in between leaves the data half-written and ready missing: the next holder detects that, "
    "completes the data, and continues.";

static const char pseudo_code[] =
    "acquire: scalable's, work:                           release\n"
    "1 delete(ready)                                      1 delete(n)\n"
    "  if it is missing: setData(b, getData(a))\n"
    "2 setData(a, n)\n"
    "3 setData(b, n)\n"
    "4 create(ready)";

static const struct recipe_znode laid_out[] = {
    {"data", ""}, {"data/a", ""}, {"data/b", ""}, {"data/ready", ""}, {NULL, NULL}};

static OPERATION write_number(struct contender *s, const char *part)
{
    char number[16];
    size_t length = (size_t)snprintf(number, sizeof number, "%d", s->sequence);
    return set_data(s, CHILD(part), number, length, REQUEST_ANY_VERSION);
}

WORK(ready)
{
    BEGIN;
    AWAIT(delete_znode(s, CHILD("data/ready")));
    if (s->status == ZK_NO_NODE) {
        AWAIT(get_data(s, CHILD("data/a"), NO_WATCH));
        if (s->status != ZK_OK)
            FAILED;
        AWAIT(set_data(s, CHILD("data/b"), s->reply->value, s->reply->value_length,
                       REQUEST_ANY_VERSION));
        s->repairs++;
    }
    if (s->status != ZK_OK)
        FAILED;
    AWAIT(write_number(s, "data/a"));
    if (s->status != ZK_OK)
        FAILED;
    if (s->doomed)
        CRASHED;
    AWAIT(write_number(s, "data/b"));
    if (s->status != ZK_OK)
        FAILED;
    AWAIT(create(s, CHILD("data/ready"), PERSISTENT));
    if (s->status == ZK_OK)
        WORKED;
    END;
}

static void work(struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_SET, 2);
    tally_add(cost, TALLY_CREATE, 1);
}

/* Each list contains one name that is no place: data. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    queue_arrival(view, cost);
    tally_add(cost, TALLY_NAMES_LISTED, 1);
    if (!view->held)
        work(cost);
}

static void release(const struct law_view *view, struct tally *cost)
{
    queue_release(view, cost);
    if (view->waiters > 0) {
        tally_add(cost, TALLY_NAMES_LISTED, 1);
        work(cost);
    }
}

const struct recipe recipe_ready = {
    .name = "ready",
    .summary = "scalable around data with a ready flag: the next holder detects half-written data",
    .about = {description, pseudo_code,
              "lecture 9.4 (MIT 6.824, ZooKeeper); Hunt et al., USENIX ATC 2010, section 2.3",
              NULL},
    .fifo = true,
    .laid_out = laid_out,
    .acquire = queue_acquire_exists,
    .work = ready_work,
    .release = contender_delete_own,
    .law = {arrival, release, "9n - 2", "n - 1"},
};

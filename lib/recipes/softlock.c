// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"
#include "recipes/recipe.h"

static const char description[] =
    "A list of tasks with one lock each (--locks). Each client is a worker that works through "
    "the list, beginning with its own task. Under the lock of a task, the worker checks whether "
    "the task is done; if not, the worker runs the task and marks it as done. A task whose "
    "worker crashed is not marked: the next worker runs it again.";

static const char pseudo_code[] =
    "for each task l: acquire as scalable, work:          release\n"
    "1 if getData(l) = done, exit                         1 delete(n)\n"
    "2 run the task\n"
    "3 setData(l, done)";

#define UNMARKED_VERSION 0 /* the version of a task's znode until the task is marked */

static const char done[] = "done";

WORK(softlock)
{
    BEGIN;
    AWAIT(get_data(s, s->lock, NO_WATCH));
    if (s->status != ZK_OK)
        FAILED;
    if (s->reply->value_length > 0)
        WORKED;
    if (s->doomed)
        CRASHED;
    AWAIT(set_data(s, s->lock, done, sizeof done - 1, UNMARKED_VERSION));
    if (s->status != ZK_OK)
        FAILED;
    s->tasks_done++;
    WORKED;
    END;
}

/* Every holder reads whether the task is done; the first one runs and marks it. */
static void arrival(const struct law_view *view, struct tally *cost)
{
    queue_arrival(view, cost);
    if (view->held)
        return;
    tally_add(cost, TALLY_GET, 1);
    tally_add(cost, TALLY_SET, view->releases == 0 ? 1 : 0);
}

static void release(const struct law_view *view, struct tally *cost)
{
    queue_release(view, cost);
    tally_add(cost, TALLY_GET, view->waiters > 0 ? 1 : 0);
}

const struct recipe recipe_softlock = {
    .name = "softlock",
    .summary = "a list of tasks with a scalable lock each: a task whose worker crashed runs again",
    .about = {description, pseudo_code, "lecture 9.4 (MIT 6.824, ZooKeeper)", NULL},
    .fifo = true,
    .every_lock = true,
    .acquire = queue_acquire_exists,
    .work = softlock_work,
    .release = contender_delete_own,
    .law = {arrival, release, "6n - 1", "n - 1"},
};

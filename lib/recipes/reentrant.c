// SPDX-License-Identifier: Apache-2.0
#include "recipes/queue.h"
#include "recipes/recipe.h"

static const char description[] =
    "The scalable lock, which its holder may acquire again: the client counts its acquires, at "
    "no cost. The lock is free after as many releases. A release by a client that does not hold "
    "the lock is an error. zkherd acquires the lock three times, nested, and releases it three "
    "times.";

static const char pseudo_code[] =
    "acquire                                              release\n"
    "1 if holds > 0: holds = holds + 1, exit              1 if holds = 0, fail\n"
    "2 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       2 holds = holds - 1\n"
    "3 C = getChildren(l, false)                          3 if holds = 0: delete(n)\n"
    "4 if n is lowest znode in C: holds = 1, exit\n"
    "5 p = znode in C ordered just before n\n"
    "6 if exists(p, true) wait for watch event\n"
    "7 goto 3";

ACQUIRE(reentrant)
{
    if (s->holds == 0) {
        enum recipe_step step = queue_acquire_exists(s);
        if (step == STEP_DONE)
            s->holds = 1;
        return step;
    }
    s->holds++;
    GRANTED;
}

RELEASE(reentrant)
{
    if (s->holds == 0)
        FAILED;
    if (s->holds == 1) {
        enum recipe_step step = contender_delete_own(s);
        if (step == STEP_DONE)
            s->holds = 0;
        return step;
    }
    s->holds--;
    RELEASED;
}

const struct recipe recipe_reentrant = {
    .name = "reentrant",
    .summary = "scalable; the holder may acquire it again: nested acquires cost no request",
    .about = {description, pseudo_code,
              "java.util.concurrent.locks.ReentrantLock; menagerie, ReentrantZkLock",
              "menagerie (ReentrantZkLock), Apache Curator (InterProcessMutex)"},
    .fifo = true,
    .nesting = 3,
    .acquire = reentrant_acquire,
    .release = reentrant_release,
    .law = QUEUE_LAW,
};

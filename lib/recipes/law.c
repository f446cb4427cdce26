// SPDX-License-Identifier: Apache-2.0
#include "recipes/law.h"

#include <assert.h>

void law_lock_init(struct law_lock *lock, const struct recipe *recipe)
{
    *lock = (struct law_lock){.recipe = recipe};
}

void law_lock_arrival(struct law_lock *lock, struct tally *cost)
{
    struct law_view *view = &lock->view;
    struct tally step = {0};
    lock->recipe->law.arrival(view, &step);
    tally_sum(cost, &step);
    uint64_t in_line = 1 + view->waiters + (view->held ? 1 : 0);
    if (in_line > lock->longest_line)
        lock->longest_line = in_line;
    if (view->held) {
        view->waiters++;
        view->arrivals_since_grant++;
    } else {
        view->held = true;
        view->arrivals_since_grant = 0;
    }
}

/* All clients arrive before the first release, each behind those before it. Who queues again
 * afterwards finds all the others. */
static uint64_t found_by_next(const struct law_lock *lock)
{
    uint64_t others = lock->longest_line - 1;
    return lock->view.releases + 1 < others ? lock->view.releases + 1 : others;
}

void law_lock_release(struct law_lock *lock, struct tally *cost)
{
    struct law_view *view = &lock->view;
    struct tally step = {0};
    assert(view->held);
    view->next_found = found_by_next(lock);
    lock->recipe->law.release(view, &step);
    tally_sum(cost, &step);
    view->releases++;
    view->held = view->waiters > 0;
    view->arrivals_since_grant = 0;
    if (view->held)
        view->waiters--;
}

void law_total(const struct recipe *recipe, uint64_t clients, uint64_t handoffs,
               struct tally *total)
{
    assert(handoffs >= clients);
    struct law_lock lock;
    law_lock_init(&lock, recipe);
    uint64_t arrivals = 0;
    while (arrivals < clients) {
        law_lock_arrival(&lock, total);
        arrivals++;
    }
    for (uint64_t releases = 0; releases < handoffs; releases++) {
        law_lock_release(&lock, total);
        if (arrivals < handoffs) {
            law_lock_arrival(&lock, total);
            arrivals++;
        }
    }
}

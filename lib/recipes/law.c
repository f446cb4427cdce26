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
    if (view->held) {
        view->waiters++;
        view->arrivals_since_grant++;
    } else {
        view->held = true;
        view->arrivals_since_grant = 0;
    }
}

void law_lock_release(struct law_lock *lock, struct tally *cost)
{
    struct law_view *view = &lock->view;
    struct tally step = {0};
    assert(view->held);
    lock->recipe->law.release(view, &step);
    tally_sum(cost, &step);
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

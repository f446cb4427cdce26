// SPDX-License-Identifier: Apache-2.0
#include "recipes/law.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

void law_lock_init(struct law_lock *lock, const struct recipe *recipe, uint64_t clients)
{
    assert(recipe_has_law(recipe) && clients > 0);
    *lock =
        (struct law_lock){.recipe = recipe, .view.look = recipe_look(recipe), .clients = clients};
}

/* Whether the client with this many before it in the queue may share. */
static bool shares(const struct law_lock *lock, uint64_t behind)
{
    return recipe_shares(lock->recipe, (uint32_t)((lock->view.releases + behind) % lock->clients));
}

/* Whether the first waiter is granted in the state after a step. */
static bool is_next_granted(const struct law_lock *lock)
{
    const struct law_view *view = &lock->view;
    if (view->waiters == 0 || lock->recipe->turn_law != NULL)
        return false;
    if (lock->recipe->barrier)
        return view->releases > 0 || view->holders + view->waiters == lock->clients;
    bool has_lease = lock->recipe->leases == 0 || view->holders < lock->recipe->leases;
    return view->holders == 0 || (has_lease && shares(lock, 0) && shares(lock, view->holders));
}

static void grant(struct law_lock *lock)
{
    struct law_view *view = &lock->view;
    view->granted++;
    view->granted_sharing += shares(lock, view->holders);
    view->waiters--;
    view->holders++;
}

/* A law gets the state before the step, with the grants that the step makes. */
static void add_step(struct law_lock *lock, const struct law_view *before,
                     void (*law)(const struct law_view *view, struct tally *cost),
                     struct tally *cost)
{
    struct law_view *view = &lock->view, step = *before;
    struct tally costs = {0};
    view->granted = view->granted_sharing = 0;
    while (is_next_granted(lock))
        grant(lock);
    view->held = view->holders > 0;
    if (view->granted > 0)
        view->arrivals_since_grant = view->releases_since_grant = 0;
    step.granted = view->granted;
    step.granted_sharing = view->granted_sharing;
    law(&step, &costs);
    tally_sum(cost, &costs);
}

void law_lock_arrival(struct law_lock *lock, struct tally *cost)
{
    struct law_view *view = &lock->view;
    view->shares = shares(lock, view->holders + view->waiters);
    struct law_view before = *view;
    view->waiters++;
    view->arrivals_since_grant++;
    view->sharing += view->shares;
    add_step(lock, &before, lock->recipe->law.arrival, cost);
}

void law_lock_release(struct law_lock *lock, struct tally *cost)
{
    struct law_view *view = &lock->view;
    assert(view->held);
    /* Each client finds those that arrived before it; one that arrives again all the others. */
    uint64_t before_it = view->releases + 1, others = lock->clients - 1;
    view->next_found = before_it < others ? before_it : others;
    view->shares = shares(lock, 0);
    view->sharing -= view->shares;
    struct law_view before = *view;
    view->releases++;
    view->releases_since_grant++;
    view->holders--;
    add_step(lock, &before, lock->recipe->law.release, cost);
}

void law_lock_release_alone(const struct law_lock *lock, struct tally *cost)
{
    struct law_lock alone = *lock;
    alone.view.waiters = alone.view.sharing = alone.view.arrivals_since_grant = 0;
    law_lock_release(&alone, cost);
}

uint64_t law_lock_turn(struct law_lock *lock, struct tally *cost)
{
    struct law_view *view = &lock->view, before = *view;
    if (lock->recipe->turn_law == NULL || view->held || view->waiters == 0)
        return 0;
    grant(lock);
    add_step(lock, &before, lock->recipe->turn_law, cost);
    return before.waiters;
}

uint32_t law_lock_first(const struct law_lock *lock)
{
    return (uint32_t)(lock->view.releases % lock->clients);
}

void law_total(const struct recipe *recipe, uint64_t clients, uint64_t handoffs,
               struct tally *total)
{
    assert(handoffs >= clients);
    struct law_lock lock;
    law_lock_init(&lock, recipe, clients);
    for (uint64_t arrivals = 0; arrivals < clients; arrivals++)
        law_lock_arrival(&lock, total);
    law_lock_turn(&lock, total);
    for (uint64_t releases = 0; releases < handoffs; releases++) {
        law_lock_release(&lock, total);
        law_lock_turn(&lock, total);
        if (clients + releases < handoffs) {
            law_lock_arrival(&lock, total);
            law_lock_turn(&lock, total);
        }
    }
}

bool law_barriers_agree(const struct tally *total, uint64_t clients, uint64_t barriers, char *why,
                        size_t size)
{
    const uint64_t *of = total->of, passages = clients * barriers;
    const uint64_t creates = of[TALLY_CREATE] - of[TALLY_CREATE_FAILED];
    const uint64_t others = clients - 1;
    const struct {
        const char *name;
        uint64_t found, least, most;
    } counts[] = {
        /* One of the clients that find all znodes creates ready. */
        {"creates that succeed", creates, passages + barriers, passages + barriers},
        {"creates that fail", of[TALLY_CREATE_FAILED], 0, barriers * others},
        {"deletes", of[TALLY_DELETE], passages, passages},
        {"deletes that fail", of[TALLY_DELETE_FAILED], 0, 0},
        /* To enter, a client lists once; to leave, once more than there are others to wait for. */
        {"lists", of[TALLY_GET_CHILDREN], 2 * passages, (2 + others) * passages},
        /* A client creates a znode and lists; then it creates ready or looks whether that exists.
         * To leave, it looks for another client's znode after each list but the last. */
        {"creates and exists", of[TALLY_CREATE] + of[TALLY_EXISTS], of[TALLY_GET_CHILDREN],
         of[TALLY_GET_CHILDREN]},
        {"other requests", of[TALLY_GET] + of[TALLY_SET] + of[TALLY_MULTI] + of[TALLY_SYNC], 0, 0},
        {"notifications", of[TALLY_NOTIFICATION], 0, of[TALLY_EXISTS]},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t found = counts[i].found, least = counts[i].least, most = counts[i].most;
        if (found >= least && found <= most)
            continue;
        snprintf(why, size, "%s: %" PRIu64 ", where there are %" PRIu64 " to %" PRIu64,
                 counts[i].name, found, least, most);
        return false;
    }
    return true;
}

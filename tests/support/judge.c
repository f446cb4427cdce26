// SPDX-License-Identifier: Apache-2.0
#include "tests/support/judge.h"

/* ------------------------------------------------------------------ who may hold */

bool judge_holds(const struct actor *actor)
{
    if (actor->doing == GONE)
        return sim_now_ns(actor->ordeal->world) < actor->holds_until_ns;
    return (actor->doing == WORKING || actor->doing == HOLDING) && !actor->expired;
}

static bool shares(const struct actor *actor)
{
    return recipe_shares(actor->ordeal->recipe, actor->contender.number);
}

/* After whom it must come: a writer after all, a reader after all writers. */
static void check_order(struct ordeal *ordeal, const struct actor *actor)
{
    int32_t place = actor->contender.sequence;
    bool known = shares(actor) ? ordeal->any_alone : ordeal->any_granted;
    int32_t before = shares(actor) ? ordeal->last_alone : ordeal->last;
    if (known && place <= before)
        ordeal_condemn(ordeal, actor, "granted before its turn");
    if (!ordeal->any_granted || place > ordeal->last)
        ordeal->last = place;
    if (!shares(actor))
        ordeal->last_alone = place;
    ordeal->any_granted = true;
    ordeal->any_alone |= !shares(actor);
}

void judge_grant(struct ordeal *ordeal, const struct actor *actor)
{
    for (uint32_t i = 0; i < ordeal->actor_count; i++) {
        const struct actor *other = &ordeal->actors[i];
        if (other != actor && judge_holds(other) && !(shares(actor) && shares(other)))
            ordeal_condemn(ordeal, actor, "two hold");
    }
    if (ordeal->recipe->fifo)
        check_order(ordeal, actor);
    if (ordeal->recipe->barrier && ordeal->begun != (UINT32_C(1) << ordeal->clients) - 1)
        ordeal_condemn(ordeal, actor, "through the barrier before all have come");
}

void judge_release(struct ordeal *ordeal, const struct actor *actor)
{
    for (uint32_t i = 0; i < ordeal->actor_count && ordeal->recipe->barrier; i++) {
        const struct actor *other = &ordeal->actors[i];
        if (other != actor &&
            (judge_holds(other) || (other->doing == ACQUIRING && !other->expired)))
            ordeal_condemn(ordeal, actor, "out of the barrier before all would leave");
    }
}

/* ------------------------------------------------------------------ what is left */

/* Who was to pass a barrier that somebody did not come to waits for ever, and so do all. */
static bool may_wait(const struct ordeal *ordeal, const struct actor *actor)
{
    return ordeal->recipe->barrier && ordeal->grants == 0 && actor->parked;
}

static void check_ends(struct ordeal *ordeal)
{
    for (uint32_t i = 0; i < ordeal->actor_count; i++) {
        struct actor *actor = &ordeal->actors[i];
        if (actor->doing == DONE || actor->doing == GONE || may_wait(ordeal, actor))
            continue;
        char what[RECIPE_PATH_MAX + 32];
        snprintf(what, sizeof what, "does not come to its end%s%s",
                 actor->parked ? ", awaits " : "", actor->parked ? actor->contender.watched : "");
        ordeal_condemn(ordeal, actor, what);
    }
}

/* What was done under the lock: a number that counts, a task, data in two parts. */
static void check_work(struct ordeal *ordeal)
{
    const struct recipe *recipe = ordeal->recipe;
    const struct actor *nobody = &ordeal->actors[0];
    bool worked = ordeal->grants > 0 && !ordeal->torn;
    if (recipe->counter_znode != NULL) {
        unsigned counted = 0;
        assert_int_equal(sscanf(ordeal_read(ordeal, LOCK "/counter"), "%u", &counted), 1);
        if (counted < ordeal->sets || counted > ordeal->sets + ordeal->uncertain_sets)
            ordeal_condemn(ordeal, nobody, "increments are lost, or made twice");
    } else if (recipe->every_lock) {
        if (ordeal->sets > 1)
            ordeal_condemn(ordeal, nobody, "a task is run twice");
        if (worked && strcmp(ordeal_read(ordeal, LOCK), "done") != 0)
            ordeal_condemn(ordeal, nobody, "a task is not run");
    } else if (recipe->work != NULL && worked) {
        char first[sizeof ordeal->text];
        snprintf(first, sizeof first, "%s", ordeal_read(ordeal, LOCK "/data/a"));
        if (strcmp(first, ordeal_read(ordeal, LOCK "/data/b")) != 0)
            ordeal_condemn(ordeal, nobody, "half-written data is left");
        if (strcmp(ordeal_read(ordeal, LOCK "/data/ready"), "missing") == 0)
            ordeal_condemn(ordeal, nobody, "the ready flag is missing");
    }
}

/* How many watches a living session may leave: the last of its list, where that arms one; those for
 * what has gone for good, as no name comes twice in a queue; at a barrier that for ready, which may
 * be there already, or never come. */
static uint64_t watches_granted(const struct actor *actor)
{
    const struct recipe *recipe = actor->ordeal->recipe;
    bool lists = recipe == &recipe_childwatch || recipe == &recipe_scalable_listwatch;
    bool no_name_twice = recipe->fifo || recipe->barrier || recipe == &recipe_walkback;
    return (lists || recipe->barrier ? 1 : 0) + (no_name_twice ? actor->unanswerable : 0);
}

static void check_leaks(struct ordeal *ordeal, uint64_t watches, uint64_t ephemerals)
{
    uint64_t watch_count = 0;
    for (unsigned i = 0; i < ordeal->servers; i++) {
        struct four_letter_counters counters;
        sim_counters(ordeal->world, i, &counters);
        watch_count += counters.watch_count;
        if (counters.ephemerals_count != ephemerals)
            ordeal_condemn(ordeal, &ordeal->actors[0], "ephemeral znodes are left");
    }
    if (watch_count > watches)
        ordeal_condemn(ordeal, &ordeal->actors[0], "watches are left");
}

/* First while all who live keep their sessions, then when these have ended. */
static void check_leftovers(struct ordeal *ordeal)
{
    uint64_t watches = 0, ephemerals = 0;
    for (uint32_t i = 0; i < ordeal->actor_count; i++) {
        const struct actor *actor = &ordeal->actors[i];
        watches += actor->doing == GONE ? 0 : watches_granted(actor);
        ephemerals += actor->doing != GONE && may_wait(ordeal, actor) ? 1 : 0;
    }
    check_leaks(ordeal, watches, ephemerals);
    for (uint32_t i = 0; i < ordeal->actor_count; i++) {
        if (ordeal->actors[i].doing != GONE)
            sim_close(ordeal->actors[i].contender.client);
        ordeal->actors[i].doing = GONE;
    }
    ordeal_run_dry(ordeal);
    check_leaks(ordeal, 0, 0);
}

void judge_outcome(struct ordeal *ordeal)
{
    static void (*const checks[])(struct ordeal *) = {check_ends, check_work, check_leftovers};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && ordeal->verdict[0] == '\0'; i++)
        checks[i](ordeal);
}

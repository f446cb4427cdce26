// SPDX-License-Identifier: Apache-2.0
#include "tests/support/actor.h"

/* So many lost replies at most. */
#define CUTS 3

/* ------------------------------------------------------------------ what befalls a client */

static bool carry_out(struct actor *actor)
{
    struct client *client = actor->contender.client;
    switch (actor->mishap) {
    case CRASH:
        return client_crash(client);
    case EXIT:
        actor->leaving = client->outstanding;
        return !actor->leaving && client_leave(client);
    case EXPIRY:
        sim_expire(client);
        return true;
    default:
        return false;
    }
}

/* True if it is the client's end; who is expired goes on until it is told. */
static bool strike(struct actor *actor)
{
    struct ordeal *ordeal = actor->ordeal;
    enum doing doing = actor->doing;
    bool held = judge_holds(actor);
    bool busy_setting = actor->contender.client->outstanding && actor->asked == OP_SET;
    if (doing == CONNECTING || doing == DONE || doing == GONE || !carry_out(actor))
        return false;
    ordeal->toll->struck[actor->mishap][doing]++;
    ordeal->torn |= doing == WORKING;
    if (actor->mishap == EXPIRY) {
        actor->expired = true;
        return false;
    }
    ordeal->uncertain_sets += busy_setting;
    if (actor->mishap == CRASH && held)
        actor->holds_until_ns = sim_now_ns(ordeal->world) + TIMEOUT_MS * NS_PER_MS;
    actor->doing = GONE;
    return true;
}

static void strike_later(void *actor)
{
    (void)strike(actor);
}

static bool is_due(const struct actor *actor, enum moment moment, unsigned step)
{
    return actor->mishap != NOTHING && actor->moment == moment && actor->at_step == step;
}

static void befall_after(struct actor *actor, unsigned step)
{
    struct ordeal *ordeal = actor->ordeal;
    struct client *client = actor->contender.client;
    bool is_out = step == actor->steps && actor->doing != GONE && client->outstanding;
    if (is_out && step < 32 && (actor->cut_steps >> step & 1) != 0 && client_cut(client))
        ordeal->toll->cut[actor->asked]++;
    if (is_due(actor, AFTER, step))
        (void)strike(actor);
    else if (is_due(actor, LATER, step))
        sim_at(ordeal->world, sim_now_ns(ordeal->world) + actor->delay_ns, strike_later, actor);
}

/* ------------------------------------------------------------------ the course of a client */

static void advance(struct actor *actor);

static void begin(struct actor *actor, enum doing doing)
{
    actor->doing = doing;
    actor->contender.resume_at = 0;
    advance(actor);
}

static void let_go(void *context)
{
    struct actor *actor = context;
    if (actor->doing == HOLDING)
        begin(actor, RELEASING);
}

static void hold(struct actor *actor)
{
    struct ordeal *ordeal = actor->ordeal;
    actor->doing = HOLDING;
    sim_at(ordeal->world, sim_now_ns(ordeal->world) + random_below(&ordeal->random, 3 * NS_PER_MS),
           let_go, actor);
}

static void acquired(struct actor *actor)
{
    struct ordeal *ordeal = actor->ordeal;
    if (++actor->nested < ordeal->recipe->nesting) {
        begin(actor, ACQUIRING);
        return;
    }
    if (!actor->expired) {
        judge_grant(ordeal, actor);
        ordeal->grants++;
    }
    if (ordeal->recipe->work != NULL)
        begin(actor, WORKING);
    else
        hold(actor);
}

static void released(struct actor *actor)
{
    if (--actor->nested > 0) {
        begin(actor, RELEASING);
        return;
    }
    if (!actor->expired)
        judge_release(actor->ordeal, actor);
    actor->doing = DONE;
    if (--actor->rounds > 0)
        begin(actor, ACQUIRING);
}

static void done(struct actor *actor)
{
    if (actor->doing == ACQUIRING) {
        acquired(actor);
    } else if (actor->doing == WORKING) {
        actor->ordeal->torn &= actor->expired;
        hold(actor);
    } else {
        released(actor);
    }
}

static void quit(void *actor)
{
    sim_close(((struct actor *)actor)->contender.client);
}

/* ZooKeeper's Java recipe does not repeat a deletion: what that leaves ends with the session. */
static void give_up(struct actor *actor)
{
    struct ordeal *ordeal = actor->ordeal;
    if (actor->expired)
        return; /* it is told soon */
    if (actor->doing == RELEASING && actor->contender.status == ZK_CONNECTION_LOSS) {
        actor->doing = GONE;
        sim_at(ordeal->world, sim_now_ns(ordeal->world), quit, actor);
        return;
    }
    ordeal_condemn(ordeal, actor, "gives up");
}

static enum recipe_step resume(struct actor *actor)
{
    const struct recipe *recipe = actor->ordeal->recipe;
    if (actor->doing == RELEASING)
        return recipe->release(&actor->contender);
    return actor->doing == WORKING ? recipe->work(&actor->contender)
                                   : recipe->acquire(&actor->contender);
}

static void go_on(void *context)
{
    struct actor *actor = context;
    if (actor->doing != GONE)
        advance(actor);
}

static void advance(struct actor *actor)
{
    struct sim *world = actor->ordeal->world;
    unsigned step = ++actor->steps;
    if ((is_due(actor, BEFORE, step) || actor->leaving) && strike(actor))
        return;
    switch (resume(actor)) {
    case STEP_REPLY:
        break;
    case STEP_WATCH:
        actor->parked = true;
        break;
    case STEP_TURN:
        sim_at(world, sim_now_ns(world), go_on, actor);
        break;
    case STEP_PAUSE:
        sim_at(world, sim_now_ns(world) + actor->contender.pause_ns, go_on, actor);
        break;
    case STEP_DONE:
        done(actor);
        break;
    case STEP_FAILED:
        give_up(actor);
        break;
    case STEP_CRASHED:
        actor->mishap = CRASH;
        if (!actor->contender.doomed || !strike(actor))
            ordeal_condemn(actor->ordeal, actor, "ends its session by itself");
        break;
    }
    befall_after(actor, step);
}

/* ------------------------------------------------------------------ its session */

static void arrive(void *context)
{
    struct actor *actor = context;
    actor->ordeal->begun |= UINT32_C(1) << actor->contender.number;
    if (actor->doing == CONNECTING)
        begin(actor, ACQUIRING);
}

static void state_changed(void *owner, enum client_state state)
{
    struct actor *actor = owner;
    struct ordeal *ordeal = actor->ordeal;
    if (state == CLIENT_ESTABLISHED && actor->doing == CONNECTING)
        sim_at(ordeal->world,
               sim_now_ns(ordeal->world) + random_below(&ordeal->random, 8 * NS_PER_MS), arrive,
               actor);
    if (state < CLIENT_EXPIRED)
        return;
    if (!actor->expired)
        ordeal_condemn(ordeal, actor, "its session was expired by nobody");
    ordeal->uncertain_sets += actor->contender.client->outstanding && actor->asked == OP_SET;
    actor->doing = GONE;
    /* It comes back; but nobody waits for it at a barrier. */
    if (!ordeal->recipe->barrier)
        actor_enter(ordeal, actor->contender.number);
}

static void sent(void *owner, enum operation operation)
{
    struct actor *actor = owner;
    actor->asked = operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct actor *actor = owner;
    struct ordeal *ordeal = actor->ordeal;
    bool told = reply->status != ZK_CONNECTION_LOSS && reply->status != ZK_SESSION_EXPIRED;
    if (actor->doing == GONE)
        return;
    if (reply->operation == OP_SET) {
        ordeal->sets += reply->status == ZK_OK;
        ordeal->uncertain_sets += !told;
    }
    if (!told && actor->expired)
        return; /* it is told soon, if it is not yet */
    if (!told && !(ordeal->recipe->recovers && reply->status == ZK_CONNECTION_LOSS)) {
        ordeal_condemn(ordeal, actor, "its connection is lost, and nobody cut it");
        return;
    }
    actor->unanswerable += reply->operation == OP_EXISTS && reply->status == ZK_NO_NODE;
    actor->contender.status = reply->status;
    actor->contender.reply = reply;
    advance(actor);
    actor->contender.reply = NULL;
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct actor *actor = owner;
    if (actor->doing == GONE || !actor->parked || !contender_wakes(&actor->contender, event, path))
        return;
    actor->parked = false;
    advance(actor);
}

void actor_draw_mishaps(struct ordeal *ordeal, struct actor *actor)
{
    struct random *random = &ordeal->random;
    actor->mishap = CRASH + (enum mishap)random_below(random, MISHAPS - CRASH);
    actor->moment = (enum moment)random_below(random, MOMENTS);
    actor->at_step = 1 + (unsigned)random_below(random, 14);
    actor->delay_ns = random_below(random, 10 * NS_PER_MS);
    for (int i = 0; i < CUTS && ordeal->recipe->recovers; i++)
        actor->cut_steps |= UINT32_C(1) << (1 + random_below(random, 16));
}

void actor_enter(struct ordeal *ordeal, uint32_t number)
{
    static const struct client_listener listener = {state_changed, sent, replied, notified};
    struct error error;
    struct actor *actor = &ordeal->actors[ordeal->actor_count++];
    assert_true(ordeal->actor_count <= ACTORS_MAX);
    *actor = (struct actor){
        .ordeal = ordeal,
        .contender = {.lock = LOCK, .number = number, .clients = ordeal->clients},
        .rounds = ordeal->recipe->barrier ? 1 : 1 + (unsigned)random_below(&ordeal->random, 2),
    };
    uint64_t high = random_next(&ordeal->random), low = random_next(&ordeal->random);
    contender_set_guid(&actor->contender, high, low);
    unsigned server = (unsigned)random_below(&ordeal->random, ordeal->servers);
    assert_int_equal(sim_open(ordeal->world, server, TIMEOUT_MS, 1, &listener, actor,
                              &actor->contender.client, &error),
                     ERROR_NONE);
}

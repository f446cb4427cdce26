// SPDX-License-Identifier: Apache-2.0
/*
 * Every recipe through hundreds of ordeals: whatever befalls a client at any step, the others go
 * on. An ordeal has clients that run a recipe on a simulated ensemble in free pace, while errors
 * are injected. Everything random follows from a seed. One that fails is printed, and fails again:
 * ZKHERD_SEED=N plays that one only, ZKHERD_SEEDS=N so many.
 *
 * No two clients may hold together or out of turn. A client that crashed holds until its session's
 * timeout; one whose session expired holds no longer, whatever it believes: no lock on ZooKeeper
 * can prevent that.
 */
#include "base/clock.h"
#include "base/random.h"
#include "fleet/setup_session.h"
#include "recipes/registry.h"

#include "tests/support/seeds.h"
#include "tests/support/test.h"

#define CLIENTS_MAX 7
/* A client whose session expired comes back as another actor. */
#define ACTORS_MAX (2 * CLIENTS_MAX)
#define CUTS_MAX   3 /* lost replies of a client */
#define TIMEOUT_MS 20000
#define LOCK       "/l"

enum mishap { NOTHING, CRASH, EXIT, EXPIRY, MISHAPS };

/* Before a step, right after it (its request is sent, or it waits), or some time later. */
enum moment { BEFORE, AFTER, LATER, MOMENTS };

enum doing { CONNECTING, ACQUIRING, WORKING, HOLDING, RELEASING, DONE, GONE, DOINGS };

struct ordeal;

struct actor {
    struct ordeal *ordeal;
    struct contender contender;
    enum doing doing;
    bool parked;
    bool leaving; /* exits as soon as it has its reply */
    bool expired; /* by the servers; the client may not know yet */
    unsigned steps, rounds, nested;
    enum mishap mishap;
    enum moment moment;
    unsigned at_step;
    uint64_t delay_ns;
    uint32_t cut_steps;      /* a bit for each step whose reply is lost */
    uint64_t holds_until_ns; /* of a client that crashed while it held */
    enum operation asked;
    unsigned unanswerable; /* watches of znodes that do not exist */
};

/* How often each mishap struck the clients of a recipe, by what they were doing; the lost replies
 * by operation. */
struct toll {
    unsigned struck[MISHAPS][DOINGS];
    unsigned cut[OP_MULTI + 1];
};

struct ordeal {
    const struct recipe *recipe;
    struct toll *toll;
    struct sim *world;
    struct random random;
    unsigned servers;
    uint32_t clients, actor_count;
    struct actor actors[ACTORS_MAX];
    uint32_t begun;           /* a bit for each client that has tried */
    int32_t last, last_alone; /* the last place granted: to any client, and to hold alone */
    bool any_granted, any_alone;
    unsigned grants;
    unsigned sets, uncertain_sets; /* answered; whose reply was lost */
    bool torn;                     /* work was broken off, and no client has worked since */
    struct setup_session *setup;   /* makes and reads znodes */
    uint64_t events;
    char verdict[600]; /* "" while nothing is wrong */
};

/* Far more than any takes: it ends within minutes of its own time. */
#define EVENTS_MAX 2000000

/* Records what is wrong; the first record stands. */
static void ordeal_condemn(struct ordeal *ordeal, const struct actor *actor, const char *what)
{
    if (ordeal->verdict[0] == '\0')
        snprintf(ordeal->verdict, sizeof ordeal->verdict, "client %u at step %u, %.2f ms: %s",
                 actor->contender.number, actor->steps,
                 (double)sim_now_ns(ordeal->world) / NS_PER_MS, what);
}

/* ------------------------------------------------------------------ who makes and reads znodes */

static void make(struct ordeal *ordeal, const char *path, const char *value)
{
    struct error error;
    assert_int_equal(setup_session_create(ordeal->setup, path, value, &error), ERROR_NONE);
}

/* The data of a znode, until the next call; "missing" if it is not there. */
static const char *ordeal_read(struct ordeal *ordeal, const char *path)
{
    struct error error;
    assert_int_equal(setup_session_read(ordeal->setup, OP_GET, path, &error), ERROR_NONE);
    return ordeal->setup->reply.status == ZK_OK ? ordeal->setup->value : "missing";
}

static void lay_out(struct ordeal *ordeal)
{
    const struct recipe_znode *znode = ordeal->recipe->laid_out;
    struct error error;
    assert_int_equal(
        setup_session_new_simulated(ordeal->world, 10 * NS_PER_S, &ordeal->setup, &error),
        ERROR_NONE);
    make(ordeal, LOCK, "");
    for (; znode != NULL && znode->name != NULL; znode++) {
        char path[64];
        snprintf(path, sizeof path, LOCK "/%s", znode->name);
        if (znode->value != NULL)
            make(ordeal, path, znode->value);
    }
}

/* ------------------------------------------------------------------ its beginning and its end */

/* Creates the ensemble and the recipe's znodes, and draws the number of clients. */
static void ordeal_init(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
                        struct toll *toll)
{
    struct sim_options options = sim_options_default();
    struct error error;
    *ordeal = (struct ordeal){.recipe = recipe, .toll = toll};
    random_init(&ordeal->random, seed);
    ordeal->servers = options.servers = 1 + 2 * (unsigned)random_below(&ordeal->random, 3);
    options.costs.network_jitter_ns = UINT64_C(1000) << random_below(&ordeal->random, 15);
    options.seed = seed;
    ordeal->clients = 2 + (uint32_t)random_below(&ordeal->random, CLIENTS_MAX - 1);
    assert_int_equal(sim_new(&options, &ordeal->world, &error), ERROR_NONE);
    lay_out(ordeal);
}

/* Runs until nothing more happens, or something is wrong. */
static void ordeal_run_dry(struct ordeal *ordeal)
{
    while (ordeal->verdict[0] == '\0' && sim_step(ordeal->world)) {
        if (++ordeal->events > EVENTS_MAX)
            ordeal_condemn(ordeal, &ordeal->actors[0], "it goes on and on");
    }
}

static void ordeal_deinit(struct ordeal *ordeal)
{
    setup_session_free(ordeal->setup);
    sim_free(ordeal->world);
}

/* ------------------------------------------------------------------ who may hold */

/* According to the servers; the client may know less. */
static bool judge_holds(const struct actor *actor)
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

static void judge_grant(struct ordeal *ordeal, const struct actor *actor)
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

static void judge_release(struct ordeal *ordeal, const struct actor *actor)
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
        char first[32];
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

/* When nothing more happens and all clients are gone: judges, without lib/trial, what is left of
 * them, their work and their znodes. */
static void judge_outcome(struct ordeal *ordeal)
{
    static void (*const checks[])(struct ordeal *) = {check_ends, check_work, check_leftovers};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && ordeal->verdict[0] == '\0'; i++)
        checks[i](ordeal);
}

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

static void actor_enter(struct ordeal *ordeal, uint32_t number);

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

/* Draws the actor's mishap, and when it strikes. */
static void actor_draw_mishaps(struct ordeal *ordeal, struct actor *actor)
{
    struct random *random = &ordeal->random;
    actor->mishap = CRASH + (enum mishap)random_below(random, MISHAPS - CRASH);
    actor->moment = (enum moment)random_below(random, MOMENTS);
    actor->at_step = 1 + (unsigned)random_below(random, 14);
    actor->delay_ns = random_below(random, 10 * NS_PER_MS);
    for (int i = 0; i < CUTS_MAX && ordeal->recipe->recovers; i++)
        actor->cut_steps |= UINT32_C(1) << (1 + random_below(random, 16));
}

/* Adds a session that runs the recipe as the client of this number. */
static void actor_enter(struct ordeal *ordeal, uint32_t number)
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

/* ------------------------------------------------------------------ tests */

/* Ordeals of each recipe: few enough for seconds, enough to meet everything (see the toll). */
#define SEEDS 500

/* One or two clients come to grief. */
static void play(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
                 struct toll *toll)
{
    ordeal_init(ordeal, recipe, seed, toll);
    for (uint32_t i = 0; i < ordeal->clients; i++)
        actor_enter(ordeal, i);
    for (uint64_t victims = 1 + random_below(&ordeal->random, 2); victims > 0; victims--)
        actor_draw_mishaps(ordeal, &ordeal->actors[random_below(&ordeal->random, ordeal->clients)]);
    ordeal_run_dry(ordeal);
    judge_outcome(ordeal);
}

static void check(const struct recipe *recipe, uint64_t seed, struct toll *toll)
{
    static struct ordeal ordeal;
    play(&ordeal, recipe, seed, toll);
    if (ordeal.verdict[0] != '\0')
        fail_msg("%s, seed %llu (%u clients, %u servers): %s; ZKHERD_SEED=%llu plays it again",
                 recipe->name, (unsigned long long)seed, ordeal.clients, ordeal.servers,
                 ordeal.verdict, (unsigned long long)seed);
    ordeal_deinit(&ordeal);
}

/* An ordeal in which nothing befalls anybody proves nothing: so many seeds meet everything. */
static void assert_all_befell(const struct recipe *recipe, const struct toll *toll)
{
    for (enum mishap mishap = CRASH; mishap < MISHAPS; mishap++) {
        assert_true(toll->struck[mishap][ACQUIRING] > 0);
        assert_true(recipe->work == NULL || toll->struck[mishap][WORKING] > 0);
        assert_true(toll->struck[mishap][HOLDING] > 0);
        assert_true(recipe->counter_znode != NULL || toll->struck[mishap][RELEASING] > 0);
    }
    if (!recipe->recovers)
        return;
    assert_true(toll->cut[OP_CREATE] > 0);
    assert_true(toll->cut[OP_EXISTS] > 0);
    assert_true(toll->cut[OP_GET_CHILDREN] > 0);
    assert_true(toll->cut[OP_DELETE] > 0);
}

TEST(test_whatever_befalls_a_client_the_others_go_on)
{
    const struct seeds seeds = seeds_of(SEEDS);
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct toll toll = {0};
        for (uint64_t seed = seeds.first; seed <= seeds.last && !recipe->broken; seed++)
            check(recipe, seed, &toll);
        if (seeds.last - seeds.first + 1 >= SEEDS && !recipe->broken)
            assert_all_befell(recipe, &toll);
    }
}

/* What judges can fail: each of the locks that are broken on purpose is caught by some seed. */
TEST(test_broken_locks_are_caught)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct toll toll = {0};
        unsigned caught = 0;
        for (uint64_t seed = 1; seed <= SEEDS && recipe->broken; seed++) {
            static struct ordeal ordeal;
            play(&ordeal, recipe, seed, &toll);
            caught += ordeal.verdict[0] != '\0';
            ordeal_deinit(&ordeal);
        }
        if (recipe->broken && caught == 0)
            fail_msg("%s is not caught by any of %d seeds", recipe->name, SEEDS);
    }
}

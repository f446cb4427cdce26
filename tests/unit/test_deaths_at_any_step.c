// SPDX-License-Identifier: Apache-2.0
/*
 * Clients that run a recipe on a simulated ensemble in free pace, and what befalls them at any step
 * of it: a crash, an exit, the end of a session whose client lives and comes back, lost replies.
 * All of it is drawn from a seed. It plays the recipes without lib/trial, and judges by itself: who
 * may hold together; the order of a queue; that all who live come to hold and to let go; that
 * nothing is lost of what is done under the lock; that no ephemeral znode and no watch stays.
 *
 * Who crashed holds until its session's timeout. Who was expired holds no more, whatever it
 * believes: no lock of ZooKeeper's can keep it from that. A seed that fails is printed, and fails
 * again: ZKHERD_SEED=N plays that one only, ZKHERD_SEEDS=N so many.
 */
#include "tests/unit/seeds.h"

#include "base/clock.h"
#include "base/random.h"
#include "recipes/registry.h"
#include "zk/simulated.h"

#include <stdio.h>
#include <string.h>

/* Schedules of each recipe: few enough for seconds, enough to meet everything (see the toll). */
#define SEEDS       500
#define CLIENTS_MAX 7
/* Who is expired comes back as another actor. */
#define ACTORS_MAX (2 * CLIENTS_MAX)
#define TIMEOUT_MS 20000
#define CUTS       3
#define LOCK       "/l"
/* Far more than any schedule takes: one of them ends within minutes of its own time. */
#define EVENTS_MAX 2000000

enum mishap { NOTHING, CRASH, EXIT, EXPIRY, MISHAPS };

/* Before a step, right after it (its request is out, or it rests), or some time later. */
enum moment { BEFORE, AFTER, LATER, MOMENTS };

enum doing { CONNECTING, ACQUIRING, WORKING, HOLDING, RELEASING, DONE, GONE, DOINGS };

struct schedule;

struct actor {
    struct schedule *schedule;
    struct contender contender;
    enum doing doing;
    bool parked;
    bool leaving; /* exits as soon as it has its reply */
    bool expired; /* by the servers; it may not know yet */
    unsigned steps, rounds, nested;
    enum mishap mishap;
    enum moment moment;
    unsigned at_step;
    uint64_t delay_ns;
    uint32_t cut_steps;      /* a bit for each step whose reply is lost */
    uint64_t holds_until_ns; /* of who crashed while it held */
    enum client_operation asked;
    unsigned unanswerable; /* watches for what is not there */
};

/* What befell all clients of a recipe, and in the middle of what; the lost replies by operation. */
struct toll {
    unsigned struck[MISHAPS][DOINGS];
    unsigned cut[CLIENT_MULTI + 1];
};

struct schedule {
    const struct recipe *recipe;
    struct toll *toll;
    struct simulated *world;
    struct random random;
    unsigned servers;
    uint32_t clients, actor_count;
    struct actor actors[ACTORS_MAX];
    uint32_t begun;           /* a bit for each client that has tried */
    int32_t last, last_alone; /* places granted: of all, and of those who hold alone */
    bool any_granted, any_alone;
    unsigned grants;
    unsigned sets, uncertain_sets; /* known to be made; nobody knows */
    bool torn;                     /* work was broken off, and nobody has worked since */
    struct client *steward;
    bool answered;
    enum zk_status status; /* of the steward's last request … */
    char text[32];         /* … and the data that it read */
    uint64_t events;
    char verdict[600]; /* "" while nothing is wrong */
};

static void condemn(struct schedule *schedule, const struct actor *actor, const char *what)
{
    if (schedule->verdict[0] == '\0')
        snprintf(schedule->verdict, sizeof schedule->verdict, "client %u at step %u, %.2f ms: %s",
                 actor->contender.number, actor->steps,
                 (double)simulated_now_ns(schedule->world) / NS_PER_MS, what);
}

/* ------------------------------------------------------------------ who may hold */

static bool holds(const struct actor *actor)
{
    if (actor->doing == GONE)
        return simulated_now_ns(actor->schedule->world) < actor->holds_until_ns;
    return (actor->doing == WORKING || actor->doing == HOLDING) && !actor->expired;
}

static bool shares(const struct actor *actor)
{
    return recipe_shares(actor->schedule->recipe, actor->contender.number);
}

/* After whom it must come: a writer after all, a reader after all writers. */
static void judge_order(struct schedule *schedule, const struct actor *actor)
{
    int32_t place = actor->contender.sequence;
    bool known = shares(actor) ? schedule->any_alone : schedule->any_granted;
    int32_t before = shares(actor) ? schedule->last_alone : schedule->last;
    if (known && place <= before)
        condemn(schedule, actor, "granted before its turn");
    if (!schedule->any_granted || place > schedule->last)
        schedule->last = place;
    if (!shares(actor))
        schedule->last_alone = place;
    schedule->any_granted = true;
    schedule->any_alone |= !shares(actor);
}

static void judge_grant(struct schedule *schedule, const struct actor *actor)
{
    for (uint32_t i = 0; i < schedule->actor_count; i++) {
        const struct actor *other = &schedule->actors[i];
        if (other != actor && holds(other) && !(shares(actor) && shares(other)))
            condemn(schedule, actor, "two hold");
    }
    if (schedule->recipe->fifo)
        judge_order(schedule, actor);
    if (schedule->recipe->together && schedule->begun != (UINT32_C(1) << schedule->clients) - 1)
        condemn(schedule, actor, "through the barrier before all have come");
}

static void judge_release(struct schedule *schedule, const struct actor *actor)
{
    for (uint32_t i = 0; i < schedule->actor_count && schedule->recipe->together; i++) {
        const struct actor *other = &schedule->actors[i];
        if (other != actor && (holds(other) || (other->doing == ACQUIRING && !other->expired)))
            condemn(schedule, actor, "out of the barrier before all would leave");
    }
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
        simulated_expire(client);
        return true;
    default:
        return false;
    }
}

/* True if it is the client's end; who is expired goes on until it is told. */
static bool strike(struct actor *actor)
{
    struct schedule *schedule = actor->schedule;
    enum doing doing = actor->doing;
    bool held = holds(actor);
    bool busy_setting = actor->contender.client->outstanding && actor->asked == CLIENT_SET;
    if (doing == CONNECTING || doing == DONE || doing == GONE || !carry_out(actor))
        return false;
    schedule->toll->struck[actor->mishap][doing]++;
    schedule->torn |= doing == WORKING;
    if (actor->mishap == EXPIRY) {
        actor->expired = true;
        return false;
    }
    schedule->uncertain_sets += busy_setting;
    if (actor->mishap == CRASH && held)
        actor->holds_until_ns = simulated_now_ns(schedule->world) + TIMEOUT_MS * NS_PER_MS;
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
    struct schedule *schedule = actor->schedule;
    struct client *client = actor->contender.client;
    bool is_out = step == actor->steps && actor->doing != GONE && client->outstanding;
    if (is_out && step < 32 && (actor->cut_steps >> step & 1) != 0 && client_cut(client))
        schedule->toll->cut[actor->asked]++;
    if (is_due(actor, AFTER, step))
        (void)strike(actor);
    else if (is_due(actor, LATER, step))
        simulated_at(schedule->world, simulated_now_ns(schedule->world) + actor->delay_ns,
                     strike_later, actor);
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
    struct schedule *schedule = actor->schedule;
    actor->doing = HOLDING;
    simulated_at(schedule->world,
                 simulated_now_ns(schedule->world) + random_below(&schedule->random, 3 * NS_PER_MS),
                 let_go, actor);
}

static void acquired(struct actor *actor)
{
    struct schedule *schedule = actor->schedule;
    if (++actor->nested < schedule->recipe->nesting) {
        begin(actor, ACQUIRING);
        return;
    }
    if (!actor->expired) {
        judge_grant(schedule, actor);
        schedule->grants++;
    }
    if (schedule->recipe->work != NULL)
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
        judge_release(actor->schedule, actor);
    actor->doing = DONE;
    if (--actor->rounds > 0)
        begin(actor, ACQUIRING);
}

static void done(struct actor *actor)
{
    if (actor->doing == ACQUIRING) {
        acquired(actor);
    } else if (actor->doing == WORKING) {
        actor->schedule->torn &= actor->expired;
        hold(actor);
    } else {
        released(actor);
    }
}

static void quit(void *actor)
{
    simulated_close(((struct actor *)actor)->contender.client);
}

/* ZooKeeper's Java recipe does not repeat a deletion: what that leaves ends with the session. */
static void give_up(struct actor *actor)
{
    struct schedule *schedule = actor->schedule;
    if (actor->expired)
        return; /* it is told soon */
    if (actor->doing == RELEASING && actor->contender.status == ZK_CONNECTION_LOSS) {
        actor->doing = GONE;
        simulated_at(schedule->world, simulated_now_ns(schedule->world), quit, actor);
        return;
    }
    condemn(schedule, actor, "gives up");
}

static enum recipe_step resume(struct actor *actor)
{
    const struct recipe *recipe = actor->schedule->recipe;
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
    struct simulated *world = actor->schedule->world;
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
        simulated_at(world, simulated_now_ns(world), go_on, actor);
        break;
    case STEP_PAUSE:
        simulated_at(world, simulated_now_ns(world) + actor->contender.pause_ns, go_on, actor);
        break;
    case STEP_DONE:
        done(actor);
        break;
    case STEP_FAILED:
        give_up(actor);
        break;
    case STEP_CRASHED:
        condemn(actor->schedule, actor, "ends its session by itself");
        break;
    }
    befall_after(actor, step);
}

/* ------------------------------------------------------------------ its session */

static void arrive(void *context)
{
    struct actor *actor = context;
    actor->schedule->begun |= UINT32_C(1) << actor->contender.number;
    if (actor->doing == CONNECTING)
        begin(actor, ACQUIRING);
}

static void enter(struct schedule *schedule, uint32_t number);

static void state_changed(void *owner, enum client_state state)
{
    struct actor *actor = owner;
    struct schedule *schedule = actor->schedule;
    if (state == CLIENT_ESTABLISHED && actor->doing == CONNECTING)
        simulated_at(schedule->world,
                     simulated_now_ns(schedule->world) +
                         random_below(&schedule->random, 8 * NS_PER_MS),
                     arrive, actor);
    if (state != CLIENT_EXPIRED)
        return;
    if (!actor->expired)
        condemn(schedule, actor, "its session was expired by nobody");
    schedule->uncertain_sets += actor->contender.client->outstanding && actor->asked == CLIENT_SET;
    actor->doing = GONE;
    /* It comes back; but nobody waits for it at a barrier. */
    if (!schedule->recipe->together)
        enter(schedule, actor->contender.number);
}

static void sent(void *owner, enum client_operation operation)
{
    struct actor *actor = owner;
    actor->asked = operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct actor *actor = owner;
    struct schedule *schedule = actor->schedule;
    bool told = reply->status != ZK_CONNECTION_LOSS && reply->status != ZK_SESSION_EXPIRED;
    if (actor->doing == GONE)
        return;
    if (reply->operation == CLIENT_SET) {
        schedule->sets += reply->status == ZK_OK;
        schedule->uncertain_sets += !told;
    }
    if (!told && actor->expired)
        return; /* it is told soon, if it is not yet */
    if (!told && !(schedule->recipe->recovers && reply->status == ZK_CONNECTION_LOSS)) {
        condemn(schedule, actor, "its connection is lost, and nobody cut it");
        return;
    }
    actor->unanswerable += reply->operation == CLIENT_EXISTS && reply->status == ZK_NO_NODE;
    actor->contender.status = reply->status;
    actor->contender.reply = reply;
    advance(actor);
    actor->contender.reply = NULL;
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct actor *actor = owner;
    if (actor->doing == GONE || !actor->parked || !contender_awaits(&actor->contender, event, path))
        return;
    actor->parked = false;
    advance(actor);
}

static void draw_mishaps(struct schedule *schedule, struct actor *actor)
{
    struct random *random = &schedule->random;
    actor->mishap = CRASH + (enum mishap)random_below(random, MISHAPS - CRASH);
    actor->moment = (enum moment)random_below(random, MOMENTS);
    actor->at_step = 1 + (unsigned)random_below(random, 14);
    actor->delay_ns = random_below(random, 10 * NS_PER_MS);
    for (int i = 0; i < CUTS && schedule->recipe->recovers; i++)
        actor->cut_steps |= UINT32_C(1) << (1 + random_below(random, 16));
}

/* One more session, which runs the recipe as the client of this number. */
static void enter(struct schedule *schedule, uint32_t number)
{
    static const struct client_listener listener = {state_changed, sent, replied, notified};
    struct fault fault;
    struct actor *actor = &schedule->actors[schedule->actor_count++];
    assert_true(schedule->actor_count <= ACTORS_MAX);
    *actor = (struct actor){
        .schedule = schedule,
        .contender = {.lock = LOCK, .number = number, .clients = schedule->clients},
        .rounds = schedule->recipe->together ? 1 : 1 + (unsigned)random_below(&schedule->random, 2),
    };
    uint64_t high = random_next(&schedule->random), low = random_next(&schedule->random);
    contender_set_guid(&actor->contender, high, low);
    unsigned server = (unsigned)random_below(&schedule->random, schedule->servers);
    assert_int_equal(simulated_open(schedule->world, server, TIMEOUT_MS, &listener, actor,
                                    &actor->contender.client, &fault),
                     FAULT_NONE);
}

/* ------------------------------------------------------------------ who makes and reads znodes */

static void steward_state(void *owner, enum client_state state)
{
    ((struct schedule *)owner)->answered = state == CLIENT_ESTABLISHED;
}

static void steward_replied(void *owner, const struct client_reply *reply)
{
    struct schedule *schedule = owner;
    schedule->answered = true;
    schedule->status = reply->status;
    snprintf(schedule->text, sizeof schedule->text, "%.*s", (int)reply->value_length,
             reply->value_length > 0 ? reply->value : "");
}

static void steward_sent(void *owner, enum client_operation operation)
{
    (void)operation;
    ((struct schedule *)owner)->answered = false;
}

static void steward_notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static void await_answer(struct schedule *schedule)
{
    while (!schedule->answered)
        assert_true(simulated_step(schedule->world));
}

static void make(struct schedule *schedule, const char *path, const char *value)
{
    client_create(schedule->steward, path, value, strlen(value), PERSISTENT);
    await_answer(schedule);
    assert_int_equal(schedule->status, ZK_OK);
}

static const char *read_znode(struct schedule *schedule, const char *path)
{
    client_get(schedule->steward, path, NO_WATCH);
    await_answer(schedule);
    return schedule->status == ZK_OK ? schedule->text : "missing";
}

static void lay_out(struct schedule *schedule)
{
    static const struct client_listener listener = {steward_state, steward_sent, steward_replied,
                                                    steward_notified};
    const struct recipe_znode *znode = schedule->recipe->laid_out;
    struct fault fault;
    assert_int_equal(simulated_open(schedule->world, 0, TIMEOUT_MS, &listener, schedule,
                                    &schedule->steward, &fault),
                     FAULT_NONE);
    await_answer(schedule);
    make(schedule, LOCK, "");
    for (; znode != NULL && znode->name != NULL; znode++) {
        char path[64];
        snprintf(path, sizeof path, LOCK "/%s", znode->name);
        if (znode->value != NULL)
            make(schedule, path, znode->value);
    }
}

/* ------------------------------------------------------------------ what is left */

/* Who was to pass a barrier that somebody did not come to waits for ever, and so do all. */
static bool may_wait(const struct schedule *schedule, const struct actor *actor)
{
    return schedule->recipe->together && schedule->grants == 0 && actor->parked;
}

static void judge_ends(struct schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->actor_count; i++) {
        struct actor *actor = &schedule->actors[i];
        if (actor->doing == DONE || actor->doing == GONE || may_wait(schedule, actor))
            continue;
        char what[RECIPE_PATH_MAX + 32];
        snprintf(what, sizeof what, "does not come to its end%s%s",
                 actor->parked ? ", awaits " : "", actor->parked ? actor->contender.watched : "");
        condemn(schedule, actor, what);
    }
}

/* What was done under the lock: a number that counts, a task, data in two parts. */
static void judge_work(struct schedule *schedule)
{
    const struct recipe *recipe = schedule->recipe;
    const struct actor *nobody = &schedule->actors[0];
    bool worked = schedule->grants > 0 && !schedule->torn;
    if (recipe->counts != NULL) {
        unsigned counted = 0;
        assert_int_equal(sscanf(read_znode(schedule, LOCK "/counter"), "%u", &counted), 1);
        if (counted < schedule->sets || counted > schedule->sets + schedule->uncertain_sets)
            condemn(schedule, nobody, "increments are lost, or made twice");
    } else if (recipe->tours) {
        if (schedule->sets > 1)
            condemn(schedule, nobody, "a task is run twice");
        if (worked && strcmp(read_znode(schedule, LOCK), "done") != 0)
            condemn(schedule, nobody, "a task is not run");
    } else if (recipe->work != NULL && worked) {
        char first[sizeof schedule->text];
        snprintf(first, sizeof first, "%s", read_znode(schedule, LOCK "/data/a"));
        if (strcmp(first, read_znode(schedule, LOCK "/data/b")) != 0)
            condemn(schedule, nobody, "half-written data is left");
        if (strcmp(read_znode(schedule, LOCK "/data/ready"), "missing") == 0)
            condemn(schedule, nobody, "the ready flag is missing");
    }
}

/* How many watches a living session may leave: the last of its list, where that arms one; those for
 * what has gone for good, as no name comes twice in a queue; at a barrier that for ready, which may
 * be there already, or never come. */
static uint64_t watches_granted(const struct actor *actor)
{
    const struct recipe *recipe = actor->schedule->recipe;
    bool lists = recipe == &recipe_childwatch || recipe == &recipe_scalable_listwatch;
    bool no_name_twice = recipe->fifo || recipe->together || recipe == &recipe_walkback;
    return (lists || recipe->together ? 1 : 0) + (no_name_twice ? actor->unanswerable : 0);
}

static void run_dry(struct schedule *schedule)
{
    while (schedule->verdict[0] == '\0' && simulated_step(schedule->world)) {
        if (++schedule->events > EVENTS_MAX)
            condemn(schedule, &schedule->actors[0], "it goes on and on");
    }
}

static void judge_leaks(struct schedule *schedule, uint64_t watches, uint64_t ephemerals)
{
    uint64_t watch_count = 0;
    for (unsigned i = 0; i < schedule->servers; i++) {
        struct admin_counters counters;
        simulated_counters(schedule->world, i, &counters);
        watch_count += counters.watch_count;
        if (counters.ephemerals_count != ephemerals)
            condemn(schedule, &schedule->actors[0], "ephemeral znodes are left");
    }
    if (watch_count > watches)
        condemn(schedule, &schedule->actors[0], "watches are left");
}

/* First while all who live keep their sessions, then when these have ended. */
static void judge_leftovers(struct schedule *schedule)
{
    uint64_t watches = 0, ephemerals = 0;
    for (uint32_t i = 0; i < schedule->actor_count; i++) {
        const struct actor *actor = &schedule->actors[i];
        watches += actor->doing == GONE ? 0 : watches_granted(actor);
        ephemerals += actor->doing != GONE && may_wait(schedule, actor) ? 1 : 0;
    }
    judge_leaks(schedule, watches, ephemerals);
    for (uint32_t i = 0; i < schedule->actor_count; i++) {
        if (schedule->actors[i].doing != GONE)
            simulated_close(schedule->actors[i].contender.client);
        schedule->actors[i].doing = GONE;
    }
    run_dry(schedule);
    judge_leaks(schedule, 0, 0);
}

/* ------------------------------------------------------------------ schedules */

static void draw(struct schedule *schedule, uint64_t seed)
{
    struct simulated_options options = simulated_options_default();
    struct fault fault;
    random_init(&schedule->random, seed);
    schedule->servers = options.servers = 1 + 2 * (unsigned)random_below(&schedule->random, 3);
    options.costs.network_jitter_ns = UINT64_C(1000) << random_below(&schedule->random, 15);
    options.seed = seed;
    schedule->clients = 2 + (uint32_t)random_below(&schedule->random, CLIENTS_MAX - 1);
    assert_int_equal(simulated_new(&options, &schedule->world, &fault), FAULT_NONE);
}

/* One or two clients come to grief. */
static void play(struct schedule *schedule, const struct recipe *recipe, uint64_t seed,
                 struct toll *toll)
{
    *schedule = (struct schedule){.recipe = recipe, .toll = toll};
    draw(schedule, seed);
    lay_out(schedule);
    for (uint32_t i = 0; i < schedule->clients; i++)
        enter(schedule, i);
    for (uint64_t victims = 1 + random_below(&schedule->random, 2); victims > 0; victims--)
        draw_mishaps(schedule,
                     &schedule->actors[random_below(&schedule->random, schedule->clients)]);
    run_dry(schedule);
    if (schedule->verdict[0] == '\0')
        judge_ends(schedule);
    if (schedule->verdict[0] == '\0')
        judge_work(schedule);
    if (schedule->verdict[0] == '\0')
        judge_leftovers(schedule);
}

static void check(const struct recipe *recipe, uint64_t seed, struct toll *toll)
{
    static struct schedule schedule;
    play(&schedule, recipe, seed, toll);
    if (schedule.verdict[0] != '\0')
        fail_msg("%s, seed %llu (%u clients, %u servers): %s; ZKHERD_SEED=%llu plays it again",
                 recipe->name, (unsigned long long)seed, schedule.clients, schedule.servers,
                 schedule.verdict, (unsigned long long)seed);
    simulated_free(schedule.world);
}

/* ------------------------------------------------------------------ tests */

static unsigned struck_by(const struct toll *toll, enum mishap mishap)
{
    unsigned count = 0;
    for (int doing = 0; doing < DOINGS; doing++)
        count += toll->struck[mishap][doing];
    return count;
}

/* A schedule in which nothing befalls anybody proves nothing: so many seeds meet everything. */
static void assert_all_befell(const struct recipe *recipe, const struct toll *toll)
{
    for (enum mishap mishap = CRASH; mishap < MISHAPS; mishap++) {
        assert_true(struck_by(toll, mishap) > 0);
        assert_true(toll->struck[mishap][ACQUIRING] > 0);
        assert_true(recipe->work == NULL || toll->struck[mishap][WORKING] > 0);
        assert_true(toll->struck[mishap][HOLDING] > 0);
        assert_true(recipe->counts != NULL || toll->struck[mishap][RELEASING] > 0);
    }
    if (!recipe->recovers)
        return;
    assert_true(toll->cut[CLIENT_CREATE] > 0);
    assert_true(toll->cut[CLIENT_EXISTS] > 0);
    assert_true(toll->cut[CLIENT_GET_CHILDREN] > 0);
    assert_true(toll->cut[CLIENT_DELETE] > 0);
}

static void test_whatever_befalls_a_client_the_others_go_on(void **state)
{
    (void)state;
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
static void test_broken_locks_are_caught(void **state)
{
    (void)state;
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct toll toll = {0};
        unsigned caught = 0;
        for (uint64_t seed = 1; seed <= SEEDS && recipe->broken; seed++) {
            static struct schedule schedule;
            play(&schedule, recipe, seed, &toll);
            caught += schedule.verdict[0] != '\0';
            simulated_free(schedule.world);
        }
        if (recipe->broken && caught == 0)
            fail_msg("%s is not caught by any of %d seeds", recipe->name, SEEDS);
    }
}

/* To the last event and the last nanosecond. */
static void test_a_seed_plays_the_same_again(void **state)
{
    (void)state;
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            static struct schedule first, second;
            struct toll toll = {0}, same = {0};
            play(&first, recipe, seed, &toll);
            play(&second, recipe, seed, &same);
            assert_memory_equal(&toll, &same, sizeof toll);
            assert_string_equal(first.verdict, second.verdict);
            assert_true(first.events == second.events);
            assert_true(simulated_now_ns(first.world) == simulated_now_ns(second.world));
            simulated_free(first.world);
            simulated_free(second.world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whatever_befalls_a_client_the_others_go_on),
        cmocka_unit_test(test_broken_locks_are_caught),
        cmocka_unit_test(test_a_seed_plays_the_same_again),
    };
    return cmocka_run_group_tests_name("deaths at any step", tests, NULL, NULL);
}

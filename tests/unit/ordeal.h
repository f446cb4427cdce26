// SPDX-License-Identifier: Apache-2.0
/*
 * ordeal: clients that run a recipe on a simulated ensemble in free pace, and come to grief. Who is
 * in it, the servers and their znodes, and what is found wrong first. All that is left to chance is
 * drawn from a seed, and the same seed is the same ordeal.
 */
#ifndef TESTS_ORDEAL_H
#define TESTS_ORDEAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/random.h"
#include "recipes/registry.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#define CLIENTS_MAX 7
/* Who is expired comes back as another actor. */
#define ACTORS_MAX (2 * CLIENTS_MAX)
#define TIMEOUT_MS 20000
#define LOCK       "/l"
/* Far more than any takes: it ends within minutes of its own time. */
#define EVENTS_MAX 2000000

enum mishap { NOTHING, CRASH, EXIT, EXPIRY, MISHAPS };

/* Before a step, right after it (its request is out, or it rests), or some time later. */
enum moment { BEFORE, AFTER, LATER, MOMENTS };

enum doing { CONNECTING, ACQUIRING, WORKING, HOLDING, RELEASING, DONE, GONE, DOINGS };

struct ordeal;

struct actor {
    struct ordeal *ordeal;
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
    enum operation asked;
    unsigned unanswerable; /* watches for what is not there */
};

/* What befell all clients of a recipe, and in the middle of what; the lost replies by operation. */
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
    int32_t last, last_alone; /* places granted: of all, and of those who hold alone */
    bool any_granted, any_alone;
    unsigned grants;
    unsigned sets, uncertain_sets; /* known to be made; nobody knows */
    bool torn;                     /* work was broken off, and nobody has worked since */
    struct client *setup;
    bool answered;
    enum zk_status status; /* of the set-up session's last request … */
    char text[32];         /* … and the data that it read */
    uint64_t events;
    char verdict[600]; /* "" while nothing is wrong */
};

/* The first verdict stands. */
static inline void ordeal_condemn(struct ordeal *ordeal, const struct actor *actor,
                                  const char *what)
{
    if (ordeal->verdict[0] == '\0')
        snprintf(ordeal->verdict, sizeof ordeal->verdict, "client %u at step %u, %.2f ms: %s",
                 actor->contender.number, actor->steps,
                 (double)sim_now_ns(ordeal->world) / NS_PER_MS, what);
}

/* ------------------------------------------------------------------ who makes and reads znodes */

static inline void setup_session_state(void *owner, enum client_state state)
{
    ((struct ordeal *)owner)->answered = state == CLIENT_ESTABLISHED;
}

static inline void setup_session_replied(void *owner, const struct client_reply *reply)
{
    struct ordeal *ordeal = owner;
    ordeal->answered = true;
    ordeal->status = reply->status;
    snprintf(ordeal->text, sizeof ordeal->text, "%.*s", (int)reply->value_length,
             reply->value_length > 0 ? reply->value : "");
}

static inline void setup_session_sent(void *owner, enum operation operation)
{
    (void)operation;
    ((struct ordeal *)owner)->answered = false;
}

static inline void setup_session_notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static inline void await_answer(struct ordeal *ordeal)
{
    while (!ordeal->answered)
        assert_true(sim_step(ordeal->world));
}

static inline void make(struct ordeal *ordeal, const char *path, const char *value)
{
    client_create(ordeal->setup, path, value, strlen(value), PERSISTENT);
    await_answer(ordeal);
    assert_int_equal(ordeal->status, ZK_OK);
}

/* The data of a znode, until the next call; "missing" if it is not there. */
static inline const char *ordeal_read(struct ordeal *ordeal, const char *path)
{
    client_get(ordeal->setup, path, NO_WATCH);
    await_answer(ordeal);
    return ordeal->status == ZK_OK ? ordeal->text : "missing";
}

static inline void lay_out(struct ordeal *ordeal)
{
    static const struct client_listener listener = {setup_session_state, setup_session_sent,
                                                    setup_session_replied, setup_session_notified};
    const struct recipe_znode *znode = ordeal->recipe->laid_out;
    struct error error;
    assert_int_equal(
        sim_open(ordeal->world, 0, TIMEOUT_MS, &listener, ordeal, &ordeal->setup, &error),
        ERROR_NONE);
    await_answer(ordeal);
    make(ordeal, LOCK, "");
    for (; znode != NULL && znode->name != NULL; znode++) {
        char path[64];
        snprintf(path, sizeof path, LOCK "/%s", znode->name);
        if (znode->value != NULL)
            make(ordeal, path, znode->value);
    }
}

/* ------------------------------------------------------------------ its beginning and its end */

/* A world with the recipe's znodes, and no clients yet: so many are to come. */
static inline void ordeal_init(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
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

/* Until nothing more happens, or something is wrong. */
static inline void ordeal_run_dry(struct ordeal *ordeal)
{
    while (ordeal->verdict[0] == '\0' && sim_step(ordeal->world)) {
        if (++ordeal->events > EVENTS_MAX)
            ordeal_condemn(ordeal, &ordeal->actors[0], "it goes on and on");
    }
}

static inline void ordeal_deinit(struct ordeal *ordeal)
{
    sim_free(ordeal->world);
}

#endif

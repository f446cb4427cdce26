// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ordeal.h"

/* Far more than any takes: it ends within minutes of its own time. */
#define EVENTS_MAX 2000000

void ordeal_condemn(struct ordeal *ordeal, const struct actor *actor, const char *what)
{
    if (ordeal->verdict[0] == '\0')
        snprintf(ordeal->verdict, sizeof ordeal->verdict, "client %u at step %u, %.2f ms: %s",
                 actor->contender.number, actor->steps,
                 (double)sim_now_ns(ordeal->world) / NS_PER_MS, what);
}

/* ------------------------------------------------------------------ who makes and reads znodes */

static void setup_session_state(void *owner, enum client_state state)
{
    ((struct ordeal *)owner)->answered = state == CLIENT_ESTABLISHED;
}

static void setup_session_replied(void *owner, const struct client_reply *reply)
{
    struct ordeal *ordeal = owner;
    ordeal->answered = true;
    ordeal->status = reply->status;
    snprintf(ordeal->text, sizeof ordeal->text, "%.*s", (int)reply->value_length,
             reply->value_length > 0 ? reply->value : "");
}

static void setup_session_sent(void *owner, enum operation operation)
{
    (void)operation;
    ((struct ordeal *)owner)->answered = false;
}

static void setup_session_notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static void await_answer(struct ordeal *ordeal)
{
    while (!ordeal->answered)
        assert_true(sim_step(ordeal->world));
}

static void make(struct ordeal *ordeal, const char *path, const char *value)
{
    client_create(ordeal->setup, path, value, strlen(value), PERSISTENT);
    await_answer(ordeal);
    assert_int_equal(ordeal->status, ZK_OK);
}

const char *ordeal_read(struct ordeal *ordeal, const char *path)
{
    client_get(ordeal->setup, path, NO_WATCH);
    await_answer(ordeal);
    return ordeal->status == ZK_OK ? ordeal->text : "missing";
}

static void lay_out(struct ordeal *ordeal)
{
    static const struct client_listener listener = {setup_session_state, setup_session_sent,
                                                    setup_session_replied, setup_session_notified};
    const struct recipe_znode *znode = ordeal->recipe->laid_out;
    struct error error;
    assert_int_equal(
        sim_open(ordeal->world, 0, TIMEOUT_MS, 1, &listener, ordeal, &ordeal->setup, &error),
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

void ordeal_init(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
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

void ordeal_run_dry(struct ordeal *ordeal)
{
    while (ordeal->verdict[0] == '\0' && sim_step(ordeal->world)) {
        if (++ordeal->events > EVENTS_MAX)
            ordeal_condemn(ordeal, &ordeal->actors[0], "it goes on and on");
    }
}

void ordeal_deinit(struct ordeal *ordeal)
{
    sim_free(ordeal->world);
}

// SPDX-License-Identifier: Apache-2.0
/* The promise of the ready flag: whoever crashes, and wherever in its work, what is protected is
 * whole while the flag is up, and has been made whole again before anybody writes to it. */
#include "tests/support/actor.h"
#include "tests/support/script.h"
#include "tests/support/test.h"

/* The requests of a holder that mends what it finds, and then does its work. */
#define STEPS_MAX 6
/* Schedules in which the crash of a trial is looked at. */
#define SEEDS 20

/* What is protected, and the flag. */
struct store {
    char a[16], b[16];
    bool ready;
};

static void assert_whole(const struct store *store)
{
    assert_string_equal(store->a, store->b);
}

static struct client_reply write_to(char *part, const char *value)
{
    assert_true(strlen(value) < sizeof((struct store *)NULL)->a);
    strcpy(part, value);
    return (struct client_reply){.status = ZK_OK};
}

static struct client_reply move_flag(struct store *store, bool up)
{
    enum zk_status refused = up ? ZK_NODE_EXISTS : ZK_NO_NODE;
    bool moves = store->ready != up;
    store->ready = up;
    return (struct client_reply){.status = moves ? ZK_OK : refused};
}

static struct client_reply serve(struct store *store, const struct script *script)
{
    bool is_a = strcmp(script->path, "/l/data/a") == 0;
    switch (script->request.operation) {
    case OP_GET:
        assert_true(is_a);
        return (struct client_reply){.value = store->a, .value_length = strlen(store->a)};
    case OP_SET:
        if (is_a)
            assert_whole(store); /* or what was begun by another would be lost */
        else
            assert_string_equal(script->path, "/l/data/b");
        return write_to(is_a ? store->a : store->b, script->value);
    default:
        assert_string_equal(script->path, "/l/data/ready");
        return move_flag(store, script->request.operation == OP_CREATE);
    }
}

/* A holder with this number in line works, and crashes behind so many requests, if it makes as
 * many. Returns its repairs. */
static uint32_t work(struct store *store, int32_t sequence, unsigned steps)
{
    struct recipe recipe = *registry_find("ready");
    struct script script;
    script_init(&script, "ready");
    recipe.acquire = recipe.work;
    script.recipe = &recipe;
    script.contender.sequence = sequence;
    script_begin(&script, false);
    for (unsigned step = 0; step < steps && script.step == STEP_REPLY; step++) {
        struct client_reply reply = serve(store, &script);
        if (store->ready)
            assert_whole(store);
        script_reply(&script, &reply);
    }
    assert_true(script.step == STEP_DONE || steps < STEPS_MAX);
    return script.contender.repairs;
}

static void assert_written(const struct store *store, const char *number)
{
    assert_true(store->ready);
    assert_string_equal(store->a, number);
    assert_string_equal(store->b, number);
}

TEST(test_work_leaves_the_data_whole)
{
    struct store store = {.ready = true};
    assert_int_equal(work(&store, 1, STEPS_MAX), 0);
    assert_written(&store, "1");
    assert_int_equal(work(&store, 2, STEPS_MAX), 0);
    assert_written(&store, "2");
}

/* Two crash one after the other, the second perhaps while it mends; the third finds it out. */
TEST(test_a_crash_at_any_step_is_mended)
{
    for (unsigned first = 0; first <= STEPS_MAX; first++) {
        for (unsigned second = 0; second <= STEPS_MAX; second++) {
            struct store store = {.ready = true};
            work(&store, 1, STEPS_MAX);
            work(&store, 2, first);
            work(&store, 3, second);
            bool was_up = store.ready;
            assert_int_equal(work(&store, 4, STEPS_MAX), was_up ? 0 : 1);
            assert_written(&store, "4");
        }
    }
}

/* ------------------------------------------------------------------ on servers */

static bool are_alike(struct ordeal *ordeal)
{
    char first[sizeof ordeal->text];
    snprintf(first, sizeof first, "%s", ordeal_read(ordeal, LOCK "/data/a"));
    return strcmp(first, ordeal_read(ordeal, LOCK "/data/b")) == 0;
}

static bool is_flag_up(struct ordeal *ordeal)
{
    return strcmp(ordeal_read(ordeal, LOCK "/data/ready"), "missing") != 0;
}

/* Until it has crashed, and all servers know what it wrote. */
static void run_to_death(struct ordeal *ordeal, const struct actor *actor)
{
    while (actor->doing != GONE)
        assert_true(sim_step(ordeal->world));
    uint64_t died_ns = sim_now_ns(ordeal->world);
    while (sim_now_ns(ordeal->world) < died_ns + NS_PER_S)
        assert_true(sim_step(ordeal->world));
}

/* The crash that trials of the recipe have is one that leaves the data half-written. */
TEST(test_who_is_doomed_leaves_two_parts_that_differ)
{
    static struct ordeal ordeal;
    struct toll toll = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ordeal_init(&ordeal, registry_find("ready"), seed, &toll);
        assert_true(are_alike(&ordeal) && is_flag_up(&ordeal));
        actor_enter(&ordeal, 0);
        ordeal.actors[0].contender.doomed = true;
        run_to_death(&ordeal, &ordeal.actors[0]);
        assert_false(are_alike(&ordeal));
        assert_false(is_flag_up(&ordeal));
        actor_enter(&ordeal, 1);
        ordeal_run_dry(&ordeal);
        assert_string_equal(ordeal.verdict, "");
        assert_int_equal(ordeal.actors[1].doing, DONE);
        assert_int_equal(ordeal.actors[1].contender.repairs, 1);
        assert_true(are_alike(&ordeal) && is_flag_up(&ordeal));
        ordeal_deinit(&ordeal);
    }
}

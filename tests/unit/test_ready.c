// SPDX-License-Identifier: Apache-2.0
/* The promise of the ready flag: whoever crashes, and wherever in its work, what is protected is
 * whole while the flag is up, and has been made whole again before anybody writes to it. */
#include "tests/unit/script.h"

/* The requests of a holder that mends what it finds, and then does its work. */
#define STEPS_MAX 6

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

static struct client_reply carry_out(struct store *store, const struct script *script)
{
    bool is_a = strcmp(script->path, "/l/data/a") == 0;
    switch (script->request.operation) {
    case CLIENT_GET:
        assert_true(is_a);
        return (struct client_reply){.value = store->a, .value_length = strlen(store->a)};
    case CLIENT_SET:
        if (is_a)
            assert_whole(store); /* or what was begun by another would be lost */
        else
            assert_string_equal(script->path, "/l/data/b");
        return write_to(is_a ? store->a : store->b, script->value);
    default:
        assert_string_equal(script->path, "/l/data/ready");
        return move_flag(store, script->request.operation == CLIENT_CREATE);
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
        struct client_reply reply = carry_out(store, &script);
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

static void test_work_leaves_the_data_whole(void **state)
{
    (void)state;
    struct store store = {.ready = true};
    assert_int_equal(work(&store, 1, STEPS_MAX), 0);
    assert_written(&store, "1");
    assert_int_equal(work(&store, 2, STEPS_MAX), 0);
    assert_written(&store, "2");
}

/* Two crash one after the other, the second perhaps while it mends; the third finds it out. */
static void test_a_crash_at_any_step_is_mended(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_leaves_the_data_whole),
        cmocka_unit_test(test_a_crash_at_any_step_is_mended),
    };
    return cmocka_run_group_tests_name("ready", tests, NULL, NULL);
}

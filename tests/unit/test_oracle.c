// SPDX-License-Identifier: Apache-2.0
/* The oracle asks how far each server is, and knows when one is behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trial/oracle.h"
#include "zk/client.h"

#define LEADER 2 /* of three: the last */

static void state_changed(void *owner, enum client_state state)
{
    *(bool *)owner = state == CLIENT_ESTABLISHED;
}

static void sent(void *owner, enum client_operation operation)
{
    (void)owner;
    (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    assert_int_equal(reply->status, ZK_OK);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static bool follow(struct oracle *oracle, uint64_t *mark)
{
    struct fault fault;
    bool reached = false;
    assert_int_equal(oracle_follow(oracle, mark, &reached, &fault), FAULT_NONE);
    return reached;
}

static void test_a_server_that_is_behind_is_waited_for(void **state)
{
    struct simulated_options options = simulated_options_default();
    struct connect_string servers = {.count = 3};
    struct oracle oracle = {.servers = &servers};
    struct client *client = NULL;
    struct fault fault;
    bool established = false;
    (void)state;
    options.servers = 3;
    for (uint16_t i = 0; i < 3; i++)
        servers.endpoints[i] = (struct endpoint){.host = "simulated", .port = i + 1U};
    assert_int_equal(simulated_new(&options, &oracle.simulated, &fault), FAULT_NONE);
    assert_int_equal(
        simulated_open(oracle.simulated, LEADER, 10000, &listener, &established, &client, &fault),
        FAULT_NONE);
    while (!established || simulated_zxid(oracle.simulated, 0) == 0)
        assert_true(simulated_step(oracle.simulated));

    uint64_t before = simulated_zxid(oracle.simulated, LEADER);
    client_create(client, "/a", "", 0, PERSISTENT);
    while (simulated_zxid(oracle.simulated, LEADER) == before)
        assert_true(simulated_step(oracle.simulated));
    uint64_t mark = 0;
    assert_false(follow(&oracle, &mark));
    assert_true(mark > before);
    while (simulated_zxid(oracle.simulated, 0) == before ||
           simulated_zxid(oracle.simulated, 1) == before) {
        assert_false(follow(&oracle, &mark));
        assert_true(simulated_step(oracle.simulated));
    }

    /* What others write meanwhile does not move the mark; every word is a packet. */
    while (client->outstanding)
        assert_true(simulated_step(oracle.simulated));
    client_create(client, "/b", "", 0, PERSISTENT);
    while (simulated_zxid(oracle.simulated, LEADER) == mark)
        assert_true(simulated_step(oracle.simulated));
    struct oracle_reading reading, after;
    assert_int_equal(oracle_read(&oracle, &reading, &fault), FAULT_NONE);
    uint64_t words = oracle.words;
    assert_true(follow(&oracle, &mark));
    assert_int_equal(oracle.words, words + 3);
    assert_int_equal(oracle_read(&oracle, &after, &fault), FAULT_NONE);
    assert_int_equal(oracle_subtract(&reading, &after).packets_received, 0);
    simulated_free(oracle.simulated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_that_is_behind_is_waited_for),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}

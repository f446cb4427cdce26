// SPDX-License-Identifier: Apache-2.0
/* What the Apache C client's codes mean to who asked. */

#include "client/calls.h"

#include "tests/support/test.h"

/* Whatever the library calls it, nobody knows whether the request was carried out. */
TEST(test_every_lost_connection_is_one)
{
    static const int codes[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZCLOSING,
                                ZRUNTIMEINCONSISTENCY};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        assert_int_equal(client_status_of(codes[i]), ZK_CONNECTION_LOSS);
}

TEST(test_what_was_never_sent_is_no_lost_connection)
{
    assert_int_equal(client_status_of(ZBADARGUMENTS), ZK_OTHER_ERROR);
    assert_int_equal(client_status_of(ZMARSHALLINGERROR), ZK_OTHER_ERROR);
    assert_int_equal(client_status_of(ZINVALIDSTATE), ZK_SESSION_EXPIRED);
}

enum { CONNECTED = 3, EXPIRED = -112, REFUSED = -113 };

static int state_of_session;

static int tell_state(zhandle_t *zk)
{
    (void)zk;
    return state_of_session;
}

/* The library is not called: it has no multi here. */
TEST(test_a_multi_of_a_session_that_is_gone_is_not_asked)
{
    static const int states[] = {EXPIRED, REFUSED};
    const struct library library = {.state = tell_state,
                                    .connected_state = CONNECTED,
                                    .expired_state = EXPIRED,
                                    .auth_failed_state = REFUSED};
    const struct request part = request_delete("/a");
    const struct request multi = {.operation = OP_MULTI, .parts = &part, .part_count = 1};
    struct async_calls calls = {.library = &library};
    struct sync_calls_answer answer = {0};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        state_of_session = states[i];
        assert_int_equal(async_calls_call(&calls, &multi), ZINVALIDSTATE);
        assert_int_equal(sync_calls_call(&library, NULL, &multi, &answer).status,
                         ZK_SESSION_EXPIRED);
    }
}

/* ------------------------------------------------------------------ replies of any shape */

static void assert_malformed(struct client_reply reply)
{
    assert_int_equal(reply.status, ZK_OTHER_ERROR);
    assert_null(reply.path);
    assert_null(reply.value);
    assert_null(reply.names);
    assert_int_equal(reply.name_count + reply.value_length, 0);
}

/* The count of names is the server's word; names that the reply lacks are NULL. */
TEST(names_that_are_not_there_are_no_answer)
{
    char first[] = "a", second[] = "b";
    char *none[] = {NULL}, *one[] = {first, NULL}, *two[] = {first, second};
    const struct String_vector wrong[] = {{-1, NULL},        {INT32_MIN, two}, {1, NULL},
                                          {INT32_MAX, none}, {2, one},         {INT32_MAX, one}};
    const struct String_vector empty = {0, NULL}, right = {2, two};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_malformed(calls_names(ZOK, &wrong[i]));
    assert_malformed(calls_names(ZOK, NULL));
    assert_int_equal(calls_names(ZOK, &empty).status, ZK_OK);
    assert_int_equal(calls_names(ZOK, &empty).name_count, 0);
    struct client_reply reply = calls_names(ZOK, &right);
    assert_int_equal(reply.status, ZK_OK);
    assert_int_equal(reply.name_count, 2);
    assert_string_equal(reply.names[1], "b");
    assert_int_equal(calls_names(ZNONODE, NULL).status, ZK_NO_NODE);
}

TEST(a_value_that_is_not_there_is_no_answer)
{
    const struct Stat stat = {.version = 7};
    assert_malformed(calls_data(ZOK, NULL, 5, &stat));
    assert_malformed(calls_data(ZOK, "value", 5, NULL));
    assert_malformed(calls_stat(ZOK, NULL));
    assert_malformed(calls_created(ZOK, NULL));
    /* A znode without data has a length of -1. */
    struct client_reply reply = calls_data(ZOK, NULL, -1, &stat);
    assert_int_equal(reply.status, ZK_OK);
    assert_int_equal(reply.version, 7);
    assert_null(reply.value);
    assert_int_equal(calls_data(ZNONODE, NULL, 0, NULL).status, ZK_NO_NODE);
}

// SPDX-License-Identifier: Apache-2.0
/* What the Apache C client's codes mean to who asked. */

#include "client/internal.h"

#include "tests/support/test.h"

/* Whatever the library calls it, nobody knows whether the request was carried out. */
TEST(test_every_lost_connection_is_one)
{
    static const int codes[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZCLOSING,
                                ZRUNTIMEINCONSISTENCY};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        assert_int_equal(translate_status(codes[i]), ZK_CONNECTION_LOSS);
}

TEST(test_what_was_never_sent_is_no_lost_connection)
{
    assert_int_equal(translate_status(ZBADARGUMENTS), ZK_OTHER_ERROR);
    assert_int_equal(translate_status(ZMARSHALLINGERROR), ZK_OTHER_ERROR);
    assert_int_equal(translate_status(ZINVALIDSTATE), ZK_SESSION_EXPIRED);
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

// SPDX-License-Identifier: Apache-2.0
/* What the Apache C client's codes mean to who asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/translate.h"

/* Whatever the library calls it, nobody knows whether the request was carried out. */
static void test_every_lost_connection_is_one(void **state)
{
    static const int codes[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZCLOSING,
                                ZRUNTIMEINCONSISTENCY};
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        assert_int_equal(translate_status(codes[i]), ZK_CONNECTION_LOSS);
}

static void test_what_was_never_sent_is_no_lost_connection(void **state)
{
    (void)state;
    assert_int_equal(translate_status(ZBADARGUMENTS), ZK_OTHER_ERROR);
    assert_int_equal(translate_status(ZMARSHALLINGERROR), ZK_OTHER_ERROR);
    assert_int_equal(translate_status(ZINVALIDSTATE), ZK_SESSION_EXPIRED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_lost_connection_is_one),
        cmocka_unit_test(test_what_was_never_sent_is_no_lost_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

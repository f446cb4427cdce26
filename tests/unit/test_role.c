// SPDX-License-Identifier: Apache-2.0
#include "servers/role.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_a_mode_has_its_role(void **state)
{
    (void)state;
    assert_int_equal(role_of_mode("standalone"), ROLE_STANDALONE);
    assert_int_equal(role_of_mode("leader"), ROLE_LEADER);
    assert_int_equal(role_of_mode("follower"), ROLE_FOLLOWER);
    assert_int_equal(role_of_mode("observer"), ROLE_OBSERVER);
    assert_int_equal(role_of_mode("read-only"), ROLE_READ_ONLY);
}

/* Words of zkherd's own, and words of nobody. */
static void test_what_no_server_says_is_unknown(void **state)
{
    static const char *const words[] = {"",       "unknown", "reconnected", "not serving",
                                        "killed", "leade",   "leaders",     "Leader"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_int_equal(role_of_mode(words[i]), ROLE_UNKNOWN);
}

static void test_a_leader_and_a_server_alone_lead(void **state)
{
    (void)state;
    for (enum role role = ROLE_UNKNOWN; role <= ROLE_READ_ONLY; role++)
        assert_int_equal(role_leads(role), role == ROLE_LEADER || role == ROLE_STANDALONE);
}

/* Latencies are kept in arrays of ROLES. */
static void test_a_session_has_one_of_the_first_roles(void **state)
{
    (void)state;
    assert_true(ROLE_UNKNOWN == 0 && ROLE_OBSERVER < ROLES && ROLE_RECONNECTED < ROLES);
    assert_true(ROLE_READ_ONLY >= ROLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mode_has_its_role),
        cmocka_unit_test(test_what_no_server_says_is_unknown),
        cmocka_unit_test(test_a_leader_and_a_server_alone_lead),
        cmocka_unit_test(test_a_session_has_one_of_the_first_roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

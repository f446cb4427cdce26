// SPDX-License-Identifier: Apache-2.0
#include "servers/role.h"

#include "tests/support/test.h"

TEST(test_a_mode_has_its_role)
{
    assert_int_equal(role_of_mode("standalone"), ROLE_STANDALONE);
    assert_int_equal(role_of_mode("leader"), ROLE_LEADER);
    assert_int_equal(role_of_mode("follower"), ROLE_FOLLOWER);
    assert_int_equal(role_of_mode("observer"), ROLE_OBSERVER);
    assert_int_equal(role_of_mode("read-only"), ROLE_READ_ONLY);
}

/* Words of zkherd's own, and words of nobody. */
TEST(test_what_no_server_says_is_unknown)
{
    static const char *const words[] = {"",       "unknown", "reconnected", "not serving",
                                        "killed", "leade",   "leaders",     "Leader"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_int_equal(role_of_mode(words[i]), ROLE_UNKNOWN);
}

TEST(test_a_leader_and_a_server_alone_lead)
{
    for (enum role role = ROLE_UNKNOWN; role <= ROLE_READ_ONLY; role++)
        assert_int_equal(role_leads(role), role == ROLE_LEADER || role == ROLE_STANDALONE);
}

/* Latencies are kept in arrays of ROLES. */
TEST(test_a_session_has_one_of_the_first_roles)
{
    assert_true(ROLE_UNKNOWN == 0 && ROLE_OBSERVER < ROLES && ROLE_RECONNECTED < ROLES);
    assert_true(ROLE_READ_ONLY >= ROLES);
}

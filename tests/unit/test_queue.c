// SPDX-License-Identifier: Apache-2.0

#include "recipes/queue.h"

#include "tests/support/test.h"

TEST(test_a_sequence_is_read_as_the_server_writes_it)
{
    static const int32_t numbers[] = {
        0, 1, 42, 2147483647, INT32_MIN, INT32_MIN + 1, -1, -999999999, -1000000000};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char name[64];
        int32_t sequence = 7;
        snprintf(name, sizeof name, "/l/lock-%010d", numbers[i]);
        assert_true(queue_sequence(name, &sequence));
        assert_int_equal(sequence, numbers[i]);
    }
}

/* As kazoo and Curator's read/write locks have it. */
TEST(test_a_prefix_may_end_otherwise)
{
    static const int32_t numbers[] = {0, 2147483647, INT32_MIN, INT32_MIN + 1, -1, -999999999};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char name[64];
        int32_t sequence = 7;
        snprintf(name, sizeof name, "2c0e83e1__lock__%010d", numbers[i]);
        assert_true(queue_sequence(name, &sequence));
        assert_int_equal(sequence, numbers[i]);
    }
}

TEST(test_other_names_have_none)
{
    static const char *const names[] = {"",           "lock-",           "lock-123",
                                        "turn",       "lock-00000000x1", "000000001",
                                        "ready-flag", "lock-9999999999"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int32_t sequence = 7;
        assert_false(queue_sequence(names[i], &sequence));
        assert_int_equal(sequence, 7);
    }
}

TEST(test_places_are_compared_by_distance)
{
    assert_true(queue_before(3, 4));
    assert_false(queue_before(4, 3));
    assert_false(queue_before(4, 4));
    assert_true(queue_before(-1, 0));
    assert_true(queue_before(INT32_MAX, INT32_MIN)); /* the counter has wrapped */
    assert_false(queue_before(INT32_MIN, INT32_MAX));
}

static struct contender contender_in(const char *const *names, size_t count, int32_t sequence,
                                     struct client_reply *reply)
{
    *reply = (struct client_reply){.names = names, .name_count = count};
    return (struct contender){.lock = "/l", .reply = reply, .sequence = sequence};
}

TEST(test_the_predecessor_is_the_next_lower)
{
    static const char *const names[] = {"lock-0000000009", "lock-0000000003", "turn",
                                        "lock-0000000007", "lock-0000000005"};
    struct client_reply reply;
    struct contender s = contender_in(names, 5, 7, &reply);
    assert_false(queue_is_lowest(&s));
    assert_string_equal(s.watched, "/l/lock-0000000005");
    s = contender_in(names, 5, 3, &reply);
    assert_true(queue_is_lowest(&s));
    s = contender_in(names, 0, 3, &reply);
    assert_true(queue_is_lowest(&s));
}

TEST(test_the_predecessor_is_found_across_the_wrap)
{
    static const char *const names[] = {"lock--2147483647", "lock-2147483646", "lock--2147483648",
                                        "lock-2147483647"};
    struct client_reply reply;
    struct contender s = contender_in(names, 4, INT32_MIN, &reply);
    assert_false(queue_is_lowest(&s));
    assert_string_equal(s.watched, "/l/lock-2147483647");
    assert_int_equal(s.predecessor, INT32_MAX);
    s = contender_in(names, 4, 2147483646, &reply);
    assert_true(queue_is_lowest(&s));
}

/* Writers in a line of both, before and behind; the first is before the wrap. */
TEST(test_those_of_a_prefix_alone_are_found)
{
    static const char *const names[] = {"write-2147483647", "write--2147483646", "read--2147483645",
                                        "write--2147483643", "read-2147483646"};
    struct client_reply reply;
    struct contender s = contender_in(names, 5, INT32_MIN + 4, &reply);
    assert_false(queue_none_before(&s, "write-", QUEUE_LAST));
    assert_string_equal(s.watched, "/l/write--2147483646");
    assert_int_equal(s.predecessor, INT32_MIN + 2);
    assert_false(queue_none_before(&s, "write-", QUEUE_FIRST));
    assert_string_equal(s.watched, "/l/write-2147483647");
    assert_false(queue_none_before(&s, "", QUEUE_FIRST));
    assert_string_equal(s.watched, "/l/read-2147483646");
    s = contender_in(names, 5, INT32_MAX, &reply);
    assert_true(queue_none_before(&s, "write-", QUEUE_FIRST));
    assert_false(queue_none_before(&s, "read-", QUEUE_LAST));
}

TEST(test_the_first_is_found_across_the_wrap)
{
    static const char *const names[] = {"lock--2147483647", "lock-2147483646", "lock--2147483648",
                                        "turn", "lock-2147483647"};
    struct client_reply reply;
    struct contender s = contender_in(names, 5, INT32_MIN + 1, &reply);
    assert_int_equal(queue_first(&s), 2147483646);
    s = contender_in(names, 5, 2147483646, &reply);
    assert_int_equal(queue_first(&s), 2147483646);
    s = contender_in(names, 0, 3, &reply);
    assert_int_equal(queue_first(&s), 3);
}

/* Down across the wrap, each place is named as the server names it. */
TEST(test_a_line_is_walked_down_across_the_wrap)
{
    static const char *const places[] = {"/l/lock--2147483647", "/l/lock--2147483648",
                                         "/l/lock-2147483647", "/l/lock-2147483646"};
    struct contender s = {.lock = "/l"};
    int32_t sequence = INT32_MIN + 1;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[RECIPE_PATH_MAX];
        queue_place(&s, QUEUE_PREFIX, sequence, path);
        assert_string_equal(path, places[i]);
        sequence = queue_previous(sequence);
    }
    assert_int_equal(queue_previous(0), -1);
}

TEST(test_an_own_place_is_found_by_its_prefix)
{
    static const char *const names[] = {"x-12-0000000001", "x-123-0000000002", "x-123-",
                                        "y-123-0000000003"};
    struct client_reply reply;
    struct contender s = contender_in(names, 4, 7, &reply);
    snprintf(s.prefix, sizeof s.prefix, "x-123-");
    assert_true(queue_find_place(&s));
    assert_string_equal(s.node, "/l/x-123-0000000002");
    assert_int_equal(s.sequence, 2);
    snprintf(s.prefix, sizeof s.prefix, "x-1234-");
    assert_false(queue_find_place(&s));
    assert_string_equal(s.node, "/l/x-123-0000000002");
    assert_int_equal(s.sequence, 2);
}

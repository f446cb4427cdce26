// SPDX-License-Identifier: Apache-2.0
/* The recipes that are no plain locks, played by hand: the ways that a drain under lockstep does
 * not take. */
#include "tests/support/script.h"
#include "tests/support/test.h"

static struct script script;

static void data(const char *value, int32_t version)
{
    assert_int_equal(script.step, STEP_REPLY);
    assert_int_equal(script.request.operation, OP_GET);
    script_reply(&script, &(struct client_reply){
                              .value = value, .value_length = strlen(value), .version = version});
}

static void go_on(void)
{
    assert_int_equal(script.step, STEP_TURN);
    script_resume(&script);
}

TEST(test_who_was_too_slow_counts_again)
{
    script_init(&script, "counter");
    data("41", 7);
    go_on();
    assert_string_equal(script.value, "42");
    assert_int_equal(script.request.version, 7);
    script_answer(&script, OP_SET, "/l/counter", ZK_BAD_VERSION);
    data("99", 8);
    go_on();
    assert_string_equal(script.value, "100");
    assert_int_equal(script.request.version, 8);
    script_answer(&script, OP_SET, "/l/counter", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
    script_begin(&script, true);
    assert_int_equal(script.step, STEP_DONE);
    assert_int_equal(script.requests, 4);
}

TEST(test_what_is_no_number_is_not_counted_on)
{
    static const char *const values[] = {"", "x", "4x", "123456789012345678901234"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        script_init(&script, "counter");
        data(values[i], 0);
        assert_int_equal(script.step, STEP_FAILED);
    }
}

/* The writer before it dies; another one is still before it. */
TEST(test_a_reader_behind_a_dead_writer_lists_again)
{
    script_init_as(&script, "rwlock", 1, 8);
    assert_string_equal(script.path, "/l/read-");
    script_created(&script, "/l/read-0000000004");
    script_listed(&script, "/l",
                  NAMES("write-0000000001", "read-0000000002", "read-0000000004",
                        "write-0000000003", "write-0000000005"));
    script_answer(&script, OP_EXISTS, "/l/write-0000000003", ZK_OK);
    script_gone(&script, "/l/write-0000000003");
    script_listed(&script, "/l", NAMES("write-0000000001", "read-0000000002", "read-0000000004"));
    script_answer(&script, OP_EXISTS, "/l/write-0000000001", ZK_NO_NODE);
    script_listed(&script, "/l", NAMES("read-0000000002", "read-0000000004"));
    assert_int_equal(script.step, STEP_DONE); /* beside a reader */
    script_begin(&script, true);
    script_answer(&script, OP_DELETE, "/l/read-0000000004", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_a_writer_waits_for_readers)
{
    script_init_as(&script, "rwlock", 4, 8);
    assert_string_equal(script.path, "/l/write-");
    script_created(&script, "/l/write-0000000004");
    script_listed(&script, "/l", NAMES("read-0000000002", "write-0000000004", "read-0000000003"));
    script_answer(&script, OP_EXISTS, "/l/read-0000000003", ZK_OK);
    script_gone(&script, "/l/read-0000000003");
    script_listed(&script, "/l", NAMES("read-0000000002", "write-0000000004"));
    script_answer(&script, OP_EXISTS, "/l/read-0000000002", ZK_OK);
    script_gone(&script, "/l/read-0000000002");
    script_listed(&script, "/l", NAMES("write-0000000004", "read-0000000005"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_a_reader_of_curators_waits_for_the_lowest_writer)
{
    script_init_as(&script, "rwlock-curator", 1, 8);
    script_created(&script, "/l/read-0000000004");
    script_listed(
        &script, "/l",
        NAMES("write-0000000003", "write-0000000001", "read-0000000004", "write-0000000002"));
    script_answer(&script, OP_GET, "/l/write-0000000001", ZK_OK);
    script_gone(&script, "/l/write-0000000001");
    script_listed(&script, "/l", NAMES("write-0000000003", "read-0000000004", "write-0000000002"));
    script_answer(&script, OP_GET, "/l/write-0000000002", ZK_OK);
}

/* After 2147483647 comes -2147483648. */
TEST(test_writers_are_told_apart_behind_the_last_number)
{
    script_init_as(&script, "rwlock", 1, 8);
    script_created(&script, "/l/read--2147483647");
    script_listed(
        &script, "/l",
        NAMES("write-2147483647", "write--2147483648", "write--2147483646", "read--2147483647"));
    script_answer(&script, OP_EXISTS, "/l/write--2147483648", ZK_OK);
}

TEST(test_two_may_complete_a_barrier)
{
    script_init_as(&script, "barrier", 1, 2);
    assert_string_equal(script.path, "/l/p-0000000001");
    script_created(&script, "/l/p-0000000001");
    script_listed(&script, "/l", NAMES("p-0000000000", "p-0000000001"));
    script_answer(&script, OP_CREATE, "/l/ready", ZK_NODE_EXISTS);
    assert_int_equal(script.step, STEP_DONE);
}

/* It was completed between the list and the look. */
TEST(test_a_barrier_may_be_ready_already)
{
    script_init_as(&script, "barrier", 0, 2);
    script_created(&script, "/l/p-0000000000");
    script_listed(&script, "/l", NAMES("p-0000000000"));
    script_answer(&script, OP_EXISTS, "/l/ready", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_a_barrier_is_left_when_nobody_is_there)
{
    script_init_as(&script, "barrier", 0, 4);
    script_created(&script, "/l/p-0000000000");
    script_listed(&script, "/l", NAMES("p-0000000000"));
    script_answer(&script, OP_EXISTS, "/l/ready", ZK_NO_NODE);
    assert_int_equal(script.step, STEP_WATCH);
    assert_true(contender_wakes(&script.contender, EVENT_CREATED, "/l/ready"));
    script_resume(&script);
    assert_int_equal(script.step, STEP_DONE);
    snprintf(script.contender.node, sizeof script.contender.node, "/m/p-0000000000"); /* another */
    script_begin(&script, true);
    script_answer(&script, OP_DELETE, "/l/p-0000000000", ZK_OK);
    script_listed(&script, "/l", NAMES("p-0000000003", "ready", "p-0000000001", "p-0000000002"));
    script_answer(&script, OP_EXISTS, "/l/p-0000000003", ZK_NO_NODE);
    script_listed(&script, "/l", NAMES("p-0000000001", "ready"));
    script_answer(&script, OP_EXISTS, "/l/p-0000000001", ZK_OK);
    script_gone(&script, "/l/p-0000000001");
    script_listed(&script, "/l", NAMES("ready"));
    assert_int_equal(script.step, STEP_DONE);
}

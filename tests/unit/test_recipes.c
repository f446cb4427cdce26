// SPDX-License-Identifier: Apache-2.0
/* Recipes played by hand: the ways that neither a drain under lockstep takes nor the schedules and
 * deaths of test_schedules.c and test_deaths_at_any_step.c. */
#include "tests/support/script.h"
#include "tests/support/test.h"

static struct script script;

/* On a terminal of 80 columns, behind two spaces. */
static void assert_lines_fit(const struct recipe *recipe, const char *lines)
{
    while (lines != NULL) {
        const char *end = strchr(lines, '\n');
        size_t length = end == NULL ? strlen(lines) : (size_t)(end - lines);
        if (length == 0 || length > 78)
            fail_msg("%s: a line of %zu characters: %.*s", recipe->name, length, (int)length,
                     lines);
        lines = end == NULL ? NULL : end + 1;
    }
}

TEST(test_every_recipe_tells_about_itself)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        assert_non_null(recipe->summary);
        assert_non_null(recipe->about.description);
        assert_non_null(recipe->about.pseudo_code);
        assert_non_null(recipe->about.source);
        assert_non_null(recipe->law.rpcs);
        assert_non_null(recipe->law.notifications);
        assert_true((recipe->law.arrival == NULL) == (recipe->law.release == NULL));
        assert_lines_fit(recipe, recipe->about.pseudo_code);
        assert_lines_fit(recipe, recipe->law_in_words);
    }
}

/* Who shares waits for the others, and would wait for the dead. */
TEST(test_who_shares_does_not_die)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++)
        assert_true(recipe->shares == NULL || recipe->death.how == DEATH_NONE);
}

TEST(test_nested_acquires_ask_nothing)
{
    script_init(&script, "reentrant");
    script_created(&script, "/l/lock-0000000000");
    script_listed(&script, "/l", NAMES("lock-0000000000"));
    assert_int_equal(script.step, STEP_DONE);
    for (unsigned i = 0; i < 5; i++) {
        script_begin(&script, false);
        assert_int_equal(script.step, STEP_DONE);
    }
    for (unsigned i = 0; i < 5; i++) {
        script_begin(&script, true);
        assert_int_equal(script.step, STEP_DONE);
    }
    assert_int_equal(script.requests, 2);
    script_begin(&script, true);
    script_answer(&script, OP_DELETE, "/l/lock-0000000000", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
    /* Free: a release too many is an error, and the next acquire gets in line. */
    script_begin(&script, true);
    assert_int_equal(script.step, STEP_FAILED);
    script_begin(&script, false);
    script_created(&script, "/l/lock-0000000001");
    assert_int_equal(script.requests, 5);
}

TEST(test_the_last_ticket_left_holds)
{
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t-0000000007");
    script_data(&script, "/l/turn", "66"); /* a number that ours begins */
    script_answer(&script, OP_GET, "/l/queue/t-0000000006", ZK_NO_NODE);
    script_data(&script, "/l/turn", "-6");
    script_listed(&script, "/l/queue", NAMES("t-0000000008", "t-0000000007"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_tickets_go_on_behind_the_last_number)
{
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t--2147483648");
    script_data(&script, "/l/turn", "2147483646");
    script_answer(&script, OP_GET, "/l/queue/t-2147483647", ZK_OK);
    script_gone(&script, "/l/queue/t-2147483647");
    script_data(&script, "/l/turn", "2147483647");
    assert_int_equal(script.step, STEP_DONE);
    script_begin(&script, true);
    assert_string_equal(script.value, "-2147483648");
}

TEST(test_polling_asks_after_a_pause)
{
    script_init(&script, "poll");
    script_answer(&script, OP_CREATE, "/l/f", ZK_NODE_EXISTS);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(script.step, STEP_PAUSE);
        assert_int_equal(script.contender.pause_ns, 10000000);
        script_resume(&script);
        assert_int_equal(script.request.watch, NO_WATCH);
        script_answer(&script, OP_EXISTS, "/l/f", i < 2 ? ZK_OK : ZK_NO_NODE);
    }
    script_answer(&script, OP_CREATE, "/l/f", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
}

#define GUID "_c_01234567-89ab-4def-bfff-ffffffffffff-lock-"

/* A CREATE's reply is lost, and so are those of the list behind it; the znode is there, behind the
 * counter's wrap. */
TEST(test_a_znode_is_found_by_its_guid)
{
    script_init(&script, "scalable-guid");
    script_answer(&script, OP_CREATE, "/l/" GUID, ZK_CONNECTION_LOSS);
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    script_listed(&script, "/l",
                  NAMES("_c_01234567-89ab-4def-bfff-fffffffffffe-lock-2147483647",
                        GUID "-2147483648", "lock-0000000001"));
    assert_string_equal(script.contender.node, "/l/" GUID "-2147483648");
    assert_int_equal(script.contender.sequence, INT32_MIN);
    script_listed(&script, "/l", NAMES(GUID "-2147483648"));
    assert_int_equal(script.step, STEP_DONE);
}

/* Whatever is lost, and each time twice: the second retry waits. */
TEST(test_writelock_retries)
{
    const char *own = "/l/x-72057672225390599-";
    script_init(&script, "writelock");
    script_answer(&script, OP_EXISTS, "/l", ZK_CONNECTION_LOSS);
    script_answer(&script, OP_EXISTS, "/l", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_PAUSE);
    assert_int_equal(script.contender.pause_ns, 500000000);
    script_resume(&script);
    script_answer(&script, OP_EXISTS, "/l", ZK_NO_NODE);
    script_answer(&script, OP_CREATE, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES("x-7-0000000000"));
    script_answer(&script, OP_CREATE, own, ZK_CONNECTION_LOSS);
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_PAUSE);
    script_resume(&script);
    /* It had been made. From here on it is known. */
    script_listed(&script, "/l", NAMES("x-7-0000000000", "x-72057672225390599-0000000001"));
    assert_string_equal(script.contender.node, "/l/x-72057672225390599-0000000001");
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_PAUSE);
    assert_int_equal(script.contender.pause_ns, 1000000000);
    script_resume(&script);
    script_listed(&script, "/l", NAMES("x-7-0000000000", "x-72057672225390599-0000000001"));
    /* Gone between the list and the look: as shipped it would sleep here for ever. */
    script_answer(&script, OP_EXISTS, "/l/x-7-0000000000", ZK_NO_NODE);
    script_listed(&script, "/l", NAMES("x-72057672225390599-0000000001"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_writelock_gives_up_after_ten_attempts)
{
    script_init(&script, "writelock");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    for (unsigned i = 0; i < 10; i++) {
        if (script.step == STEP_PAUSE)
            script_resume(&script);
        script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    }
    assert_int_equal(script.step, STEP_FAILED);
}

/* A watch event calls lock() again, which begins with the folder. */
TEST(test_writelock_locks_again_when_woken)
{
    script_init(&script, "writelock");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES("x-7-0000000000"));
    script_created(&script, "/l/x-72057672225390599-0000000001");
    script_listed(&script, "/l", NAMES("x-7-0000000000", "x-72057672225390599-0000000001"));
    script_answer(&script, OP_EXISTS, "/l/x-7-0000000000", ZK_OK);
    script_gone(&script, "/l/x-7-0000000000");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES("x-72057672225390599-0000000001"));
    assert_int_equal(script.step, STEP_DONE);
    script_begin(&script, true); /* unlock() retries nothing */
    script_answer(&script, OP_DELETE, "/l/x-72057672225390599-0000000001", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_FAILED);
}

#define OWN "x-0100001234560007-"

/* The trap of the shipped recipe: a predecessor that goes at the wrong time costs the place in
 * line.
 */
TEST(test_zoolock_queues_again_behind_a_gone_predecessor)
{
    script_init(&script, "zoolock");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES("x-7-0000000000"));
    script_created(&script, "/l/" OWN "0000000001");
    script_listed(&script, "/l", NAMES("x-7-0000000000", OWN "0000000001"));
    script_answer(&script, OP_EXISTS, "/l/x-7-0000000000", ZK_NO_NODE);
    script_answer(&script, OP_DELETE, "/l/" OWN "0000000001", ZK_OK);
    script_listed(&script, "/l", NAMES("x-8-0000000002"));
    script_created(&script, "/l/" OWN "0000000003");
    script_listed(&script, "/l", NAMES(OWN "0000000003", "x-8-0000000002"));
    script_answer(&script, OP_EXISTS, "/l/x-8-0000000002", ZK_OK);
    script_gone(&script, "/l/x-8-0000000002");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES(OWN "0000000003"));
    script_listed(&script, "/l", NAMES(OWN "0000000003"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_what_is_no_number_is_not_counted_on)
{
    static const char *const values[] = {"", "x", "4x", "123456789012345678901234"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        script_init(&script, "counter");
        script_data(&script, "/l/counter", values[i]);
        assert_int_equal(script.step, STEP_FAILED);
    }
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

/* ------------------------------------------------------------------ another event than was awaited
 */

/* Who has lost its connection may be told that a znode has changed that was deleted and made again.
 */
TEST(test_the_herd_tries_again_at_a_change)
{
    script_init(&script, "nonscalable");
    script_answer(&script, OP_CREATE, "/l/f", ZK_NODE_EXISTS);
    script_answer(&script, OP_EXISTS, "/l/f", ZK_OK);
    assert_int_equal(script.step, STEP_WATCH);
    assert_false(contender_wakes(&script.contender, EVENT_CHILD, "/l/f"));
    assert_false(contender_wakes(&script.contender, EVENT_CHANGED, "/l/g"));
    assert_true(contender_wakes(&script.contender, EVENT_CHANGED, "/l/f"));
    assert_int_equal(script.contender.happened, EVENT_CHANGED);
    script_resume(&script);
    script_answer(&script, OP_CREATE, "/l/f", ZK_NODE_EXISTS);
}

/* It takes a predecessor's end for certain: nothing less will do. */
TEST(test_walkback_looks_again_at_what_has_only_changed)
{
    script_init(&script, "walkback");
    script_created(&script, "/l/lock-0000000001");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    for (int i = 0; i < 2; i++)
        script_listed(&script, "/l", NAMES("lock-0000000000", "lock-0000000001"));
    script_answer(&script, OP_EXISTS, "/l/lock-0000000000", ZK_OK);
    assert_int_equal(script.step, STEP_WATCH);
    assert_true(contender_wakes(&script.contender, EVENT_CHANGED, "/l/lock-0000000000"));
    script_resume(&script);
    script_answer(&script, OP_EXISTS, "/l/lock-0000000000", ZK_OK);
    script_gone(&script, "/l/lock-0000000000");
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_a_barrier_is_entered_at_its_completion_alone)
{
    script_init_as(&script, "barrier", 0, 2);
    script_created(&script, "/l/p-0000000000");
    script_listed(&script, "/l", NAMES("p-0000000000"));
    script_answer(&script, OP_EXISTS, "/l/ready", ZK_NO_NODE);
    assert_true(contender_wakes(&script.contender, EVENT_DELETED, "/l/ready"));
    script_resume(&script);
    script_answer(&script, OP_EXISTS, "/l/ready", ZK_NO_NODE);
    assert_true(contender_wakes(&script.contender, EVENT_CREATED, "/l/ready"));
    script_resume(&script);
    assert_int_equal(script.step, STEP_DONE);
}

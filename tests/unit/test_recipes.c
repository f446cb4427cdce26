// SPDX-License-Identifier: Apache-2.0
/* Recipes played by hand: the ways that a drain under lockstep does not take. */
#include "tests/unit/script.h"

static struct script script;

static void test_every_recipe_tells_about_itself(void **state)
{
    (void)state;
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        assert_non_null(recipe->summary);
        assert_non_null(recipe->about.description);
        assert_non_null(recipe->about.pseudo_code);
        assert_non_null(recipe->about.source);
        for (const char *line = recipe->about.pseudo_code; line != NULL;) {
            const char *end = strchr(line, '\n');
            size_t length = end == NULL ? strlen(line) : (size_t)(end - line);
            if (length == 0 || length > 80)
                fail_msg("%s: a line of %zu characters: %.*s", recipe->name, length, (int)length,
                         line);
            line = end == NULL ? NULL : end + 1;
        }
    }
}

static void test_nested_acquires_ask_nothing(void **state)
{
    (void)state;
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
    script_answer(&script, CLIENT_DELETE, "/l/lock-0000000000", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
    /* Free: a release too many is an error, and the next acquire gets in line. */
    script_begin(&script, true);
    assert_int_equal(script.step, STEP_FAILED);
    script_begin(&script, false);
    script_created(&script, "/l/lock-0000000001");
    assert_int_equal(script.requests, 5);
}

/* A leader resigns, a candidate in the middle has given up: who is woken looks who leads now. */
static void test_a_successor_leads_without_a_contest(void **state)
{
    (void)state;
    script_init(&script, "election");
    script_created(&script, "/l/lock-0000000003");
    script_listed(&script, "/l", NAMES("lock-0000000002", "lock-0000000001", "lock-0000000003"));
    script_answer(&script, CLIENT_EXISTS, "/l/lock-0000000002", ZK_OK);
    script_gone(&script, "/l/lock-0000000002");
    script_listed(&script, "/l", NAMES("lock-0000000001", "lock-0000000003"));
    script_answer(&script, CLIENT_EXISTS, "/l/lock-0000000001", ZK_OK);
    script_gone(&script, "/l/lock-0000000001");
    script_listed(&script, "/l", NAMES("lock-0000000003"));
    assert_int_equal(script.step, STEP_DONE);
    assert_int_equal(script.requests, 6);
}

static void test_a_released_ticket_hands_its_turn_on(void **state)
{
    (void)state;
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t-0000000007");
    script_data(&script, "/l/turn", "5");
    script_answer(&script, CLIENT_GET, "/l/queue/t-0000000006", ZK_OK);
    script_gone(&script, "/l/queue/t-0000000006");
    script_data(&script, "/l/turn", "6");
    assert_int_equal(script.step, STEP_DONE);
    script_begin(&script, true);
    assert_int_equal(script.request.operation, CLIENT_MULTI);
    assert_string_equal(script.value, "7");
    script_answer(&script, CLIENT_MULTI, "/l/queue/t-0000000007", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
}

/* Three ways in which the predecessor was no holder: it died, it had gone before, and so had the
 * one that the list named. */
static void test_an_abandoned_ticket_is_passed_over(void **state)
{
    (void)state;
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t-0000000007");
    script_data(&script, "/l/turn", "2");
    script_answer(&script, CLIENT_GET, "/l/queue/t-0000000006", ZK_OK);
    script_gone(&script, "/l/queue/t-0000000006");
    script_data(&script, "/l/turn", "2");
    script_listed(&script, "/l/queue", NAMES("t-0000000007", "t-0000000003", "t-0000000005"));
    script_answer(&script, CLIENT_GET, "/l/queue/t-0000000005", ZK_NO_NODE);
    script_data(&script, "/l/turn", "2");
    script_listed(&script, "/l/queue", NAMES("t-0000000007", "t-0000000003"));
    script_answer(&script, CLIENT_GET, "/l/queue/t-0000000003", ZK_OK);
    script_gone(&script, "/l/queue/t-0000000003");
    script_data(&script, "/l/turn", "3"); /* this one held */
    assert_int_equal(script.step, STEP_DONE);
}

static void test_the_last_ticket_left_holds(void **state)
{
    (void)state;
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t-0000000007");
    script_data(&script, "/l/turn", "66"); /* a number that ours begins */
    script_answer(&script, CLIENT_GET, "/l/queue/t-0000000006", ZK_NO_NODE);
    script_data(&script, "/l/turn", "-6");
    script_listed(&script, "/l/queue", NAMES("t-0000000008", "t-0000000007"));
    assert_int_equal(script.step, STEP_DONE);
}

static void test_tickets_go_on_behind_the_last_number(void **state)
{
    (void)state;
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t--2147483648");
    script_data(&script, "/l/turn", "2147483646");
    script_answer(&script, CLIENT_GET, "/l/queue/t-2147483647", ZK_OK);
    script_gone(&script, "/l/queue/t-2147483647");
    script_data(&script, "/l/turn", "2147483647");
    assert_int_equal(script.step, STEP_DONE);
    script_begin(&script, true);
    assert_string_equal(script.value, "-2147483648");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_recipe_tells_about_itself),
        cmocka_unit_test(test_nested_acquires_ask_nothing),
        cmocka_unit_test(test_a_successor_leads_without_a_contest),
        cmocka_unit_test(test_a_released_ticket_hands_its_turn_on),
        cmocka_unit_test(test_an_abandoned_ticket_is_passed_over),
        cmocka_unit_test(test_the_last_ticket_left_holds),
        cmocka_unit_test(test_tickets_go_on_behind_the_last_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

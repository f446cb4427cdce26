// SPDX-License-Identifier: Apache-2.0
/* The driver's own session, left alone for so long that its server has ended it. */
#define LIVE_TICK_MS 500
#include "tests/live/live.h"
#include "tests/live/nest.h"
#include "zk/admin.h"

#include <sys/eventfd.h>

/* Nobody lives in it until the server has closed its connection: but for the question's own, there
 * is none left. */
static void let_session_expire(void)
{
    struct admin_counters counters;
    struct fault fault = {0};
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    do {
        pause_ms(50);
        live_expect(admin_counters(&live_servers.endpoints[0], PATIENCE_NS, &counters, &fault),
                    &fault);
    } while (counters.connections > 1 && clock_now_ns() < until_ns);
    assert_int_equal(counters.connections, 1);
}

/* A create is not sent twice: it must not get lost with the session. */
static void test_a_create_finds_another_session(void **state)
{
    struct fault fault = {0};
    size_t count = 0;
    (void)state;
    let_session_expire();
    live_expect(steward_create(live_host.steward, ROOT "/a", &fault), &fault);
    live_expect(steward_count_children(live_host.steward, ROOT, &count, &fault), &fault);
    assert_int_equal(count, 1);
}

static void test_a_deletion_finds_another_session(void **state)
{
    struct fault fault = {0};
    bool exists = true;
    (void)state;
    let_session_expire();
    live_expect(steward_delete_tree(live_host.steward, ROOT "/a", &fault), &fault);
    live_expect(steward_exists(live_host.steward, ROOT "/a", &exists, &fault), &fault);
    assert_false(exists);
}

/* Its session is opened before the gate, so the server's counts hold. */
static void test_a_trial_finds_another_session(void **state)
{
    struct trial_plan plan = live_plan("nonscalable", 4);
    (void)state;
    let_session_expire();
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    trial_result_free(result);
}

/* Together with what it marks, or not at all; and again by the session that follows. */
static void test_a_mark_is_there_as_long_as_the_steward(void **state)
{
    struct fault fault = {0};
    bool exists = false;
    (void)state;
    live_expect(steward_create_marked(live_host.steward, ROOT "/m", "text", ROOT "/m/mark", &fault),
                &fault);
    assert_int_equal(
        steward_create_marked(live_host.steward, ROOT "/m", "text", ROOT "/other", &fault),
        FAULT_EXISTS);
    live_expect(steward_exists(live_host.steward, ROOT "/other", &exists, &fault), &fault);
    assert_false(exists);
    let_session_expire();
    live_expect(steward_exists(live_host.steward, ROOT "/m/mark", &exists, &fault), &fault);
    assert_true(exists);
    live_expect(steward_delete_tree(live_host.steward, ROOT "/m", &fault), &fault);
    live_expect(steward_exists(live_host.steward, ROOT "/m/mark", &exists, &fault), &fault);
    assert_false(exists);
}

static void create_folders(const char *below, unsigned count)
{
    struct fault fault = {0};
    for (unsigned i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, ROOT "/b/l%u%s", i, below);
        live_expect(steward_create(live_host.steward, path, &fault), &fault);
    }
}

/* Empty folders go several at a time; among them are some that are not empty. */
static void test_a_tree_is_deleted(void **state)
{
    struct fault fault = {0};
    bool exists = true;
    (void)state;
    live_expect(steward_create(live_host.steward, ROOT "/b", &fault), &fault);
    create_folders("", 41);
    create_folders("/c", 3);
    uint64_t before = steward_requests(live_host.steward);
    live_expect(steward_delete_tree(live_host.steward, ROOT "/b", &fault), &fault);
    assert_true(steward_requests(live_host.steward) - before < 41);
    live_expect(steward_exists(live_host.steward, ROOT "/b", &exists, &fault), &fault);
    assert_false(exists);
}

static void assert_interrupted(enum fault_kind kind, const struct fault *fault)
{
    assert_int_equal(kind, FAULT_INTERRUPTED);
    assert_int_equal(fault->kind, FAULT_INTERRUPTED);
}

/* It asks nothing more, until what is to be cleared away is to be cleared away all the same. */
static void test_an_interrupt_is_heeded(void **state)
{
    struct steward *steward = live_host.steward;
    struct fault fault = {0};
    bool exists = true;
    int interrupts = eventfd(0, 0);
    (void)state;
    steward_heed(steward, interrupts);
    live_expect(steward_create(steward, ROOT "/c", &fault), &fault);
    eventfd_write(interrupts, 1);
    uint64_t before = steward_requests(steward);
    assert_interrupted(steward_create(steward, ROOT "/d", &fault), &fault);
    assert_interrupted(steward_exists(steward, ROOT "/c", &exists, &fault), &fault);
    assert_interrupted(steward_delete_tree(steward, ROOT "/c", &fault), &fault);
    assert_int_equal(steward_requests(steward), before);
    steward_heed(steward, -1);
    live_expect(steward_delete_tree(steward, ROOT "/c", &fault), &fault);
    live_expect(steward_exists(steward, ROOT "/c", &exists, &fault), &fault);
    assert_false(exists);
    close(interrupts);
}

/* Of a private server that has ended no answer is waited for, whatever the patience. The last test.
 */
static void test_a_server_that_has_ended_is_not_waited_for(void **state)
{
    struct steward *steward = live_host.steward;
    struct fault fault = {0};
    bool exists = true;
    (void)state;
    kill(ensemble_pid(live_ensemble, 0), SIGKILL);
    assert_int_equal(steward_exists(steward, ROOT, &exists, &fault), FAULT_SERVER_DIED);
    assert_true(exists);
    assert_has(fault.subject, "127.0.0.1:");
    assert_int_not_equal(steward_create(steward, ROOT "/e", &fault), FAULT_NONE);
}

/* A server that keeps no session for longer than three seconds, by this script's doing. */
static int start(void **state)
{
    if (nest_make(state) != 0)
        return -1;
    nest_install_java("sed -i 's/^maxSessionTimeout=.*/maxSessionTimeout=3000/' */zoo.cfg\n"
                      "exec java \"$@\"");
    return live_start(state);
}

static int stop(void **state)
{
    live_stop(state);
    return nest_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_create_finds_another_session),
        cmocka_unit_test(test_a_deletion_finds_another_session),
        cmocka_unit_test(test_a_trial_finds_another_session),
        cmocka_unit_test(test_a_mark_is_there_as_long_as_the_steward),
        cmocka_unit_test(test_a_tree_is_deleted),
        cmocka_unit_test(test_an_interrupt_is_heeded),
        cmocka_unit_test(test_a_server_that_has_ended_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, start, stop);
}

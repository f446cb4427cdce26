// SPDX-License-Identifier: Apache-2.0
/* The driver's own session, left alone for so long that its server has ended it. */
#include "servers/four_letter.h"
#include "tests/support/live.h"
#include "tests/support/nest.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <sys/eventfd.h>

/* Nobody lives in it until the server has closed its connection: but for the question's own, there
 * is none left. */
static void let_session_expire(void)
{
    struct four_letter_counters counters;
    struct error error = {0};
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    do {
        pause_ms(50);
        live_expect(
            four_letter_counters(&live_servers.endpoints[0], PATIENCE_NS, &counters, &error),
            &error);
    } while (counters.connections > 1 && clock_now_ns() < until_ns);
    assert_int_equal(counters.connections, 1);
}

/* A create is not sent twice: it must not get lost with the session. */
TEST(test_what_is_asked_finds_another_session)
{
    struct error error = {0};
    size_t count = 0;
    let_session_expire();
    live_expect(setup_session_create(live_host.setup, ROOT "/a", "", &error), &error);
    live_expect(setup_session_list_children(live_host.setup, ROOT, NULL, &count, &error), &error);
    assert_int_equal(count, 1);
    let_session_expire();
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/a", &error), &error);
    live_expect(setup_session_list_children(live_host.setup, ROOT, NULL, &count, &error), &error);
    assert_int_equal(count, 0);
}

/* Its session is opened before the gate, so the server's counts hold. */
TEST(test_a_trial_finds_another_session)
{
    struct trial_plan plan = live_plan("nonscalable", 4);
    let_session_expire();
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    trial_result_free(result);
}

/* Together with what it marks, or not at all; and again by the session that follows. */
TEST(test_a_mark_is_there_as_long_as_the_steward)
{
    struct error error = {0};
    bool exists = false;
    live_expect(
        setup_session_create_marked(live_host.setup, ROOT "/m", "text", ROOT "/m/mark", &error),
        &error);
    assert_int_equal(
        setup_session_create_marked(live_host.setup, ROOT "/m", "text", ROOT "/other", &error),
        ERROR_EXISTS);
    live_expect(setup_session_exists(live_host.setup, ROOT "/other", &exists, &error), &error);
    assert_false(exists);
    let_session_expire();
    live_expect(setup_session_exists(live_host.setup, ROOT "/m/mark", &exists, &error), &error);
    assert_true(exists);
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/m", &error), &error);
    live_expect(setup_session_exists(live_host.setup, ROOT "/m/mark", &exists, &error), &error);
    assert_false(exists);
}

static void create_folders(const char *below, unsigned count)
{
    struct error error = {0};
    for (unsigned i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, ROOT "/b/l%u%s", i, below);
        live_expect(setup_session_create(live_host.setup, path, "", &error), &error);
    }
}

/* Empty folders go several at a time; among them are some that are not empty. */
TEST(test_a_tree_is_deleted)
{
    struct error error = {0};
    bool exists = true;
    live_expect(setup_session_create(live_host.setup, ROOT "/b", "", &error), &error);
    create_folders("", 41);
    create_folders("/c", 3);
    uint64_t before = live_host.setup->traffic.requests;
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/b", &error), &error);
    assert_true(live_host.setup->traffic.requests - before < 41);
    live_expect(setup_session_exists(live_host.setup, ROOT "/b", &exists, &error), &error);
    assert_false(exists);
}

/* Four are made in one transaction. One with a few leaves goes with them: to list it and to delete
 * all takes two requests. */
TEST(test_many_small_folders_take_few_requests)
{
    struct error error = {0};
    bool exists = false;
    live_expect(setup_session_create(live_host.setup, ROOT "/b", "", &error), &error);
    uint64_t before = live_host.setup->traffic.requests;
    live_expect(setup_session_create_numbered(live_host.setup, ROOT "/b/l", 9, &error), &error);
    assert_int_equal(live_host.setup->traffic.requests - before, 3);
    live_expect(setup_session_exists(live_host.setup, ROOT "/b/l8", &exists, &error), &error);
    assert_true(exists);
    create_folders("/c", 9);
    before = live_host.setup->traffic.requests;
    uint64_t writes_before = live_host.setup->traffic.writes;
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/b", &error), &error);
    assert_int_equal(live_host.setup->traffic.writes - writes_before, 3 + 9 + 1);
    /* The list, three transactions that fail, the folders, the last deletion. */
    assert_int_equal(live_host.setup->traffic.requests - before, 1 + 3 + 9 * 2 + 1);
    live_expect(setup_session_exists(live_host.setup, ROOT "/b", &exists, &error), &error);
    assert_false(exists);
}

static void assert_interrupted(enum error_kind kind, const struct error *error)
{
    assert_int_equal(kind, ERROR_INTERRUPTED);
    assert_int_equal(error->kind, ERROR_INTERRUPTED);
}

/* It asks nothing more, until what is to be cleared away is to be cleared away all the same. */
TEST(test_an_interrupt_is_heeded)
{
    struct setup_session *setup = live_host.setup;
    struct error error = {0};
    bool exists = true;
    int interrupts = eventfd(0, 0);
    setup->interrupts = interrupts;
    live_expect(setup_session_create(setup, ROOT "/c", "", &error), &error);
    eventfd_write(interrupts, 1);
    uint64_t before = setup->traffic.requests;
    assert_interrupted(setup_session_create(setup, ROOT "/d", "", &error), &error);
    assert_interrupted(setup_session_exists(setup, ROOT "/c", &exists, &error), &error);
    assert_interrupted(setup_session_delete_tree(setup, ROOT "/c", &error), &error);
    assert_int_equal(setup->traffic.requests, before);
    setup->interrupts = -1;
    live_expect(setup_session_delete_tree(setup, ROOT "/c", &error), &error);
    live_expect(setup_session_exists(setup, ROOT "/c", &exists, &error), &error);
    assert_false(exists);
    close(interrupts);
}

/* A port that takes connections, and answers nothing. */
TEST(test_an_interrupt_ends_the_wait_for_a_session)
{
    struct connect_string mute = {.endpoints = {{.host = "127.0.0.1"}}, .count = 1};
    struct setup_session *setup = NULL;
    struct error error = {0};
    int interrupts = eventfd(1, 0), listening = port_listen(&mute.endpoints[0].port);
    assert_interrupted(setup_session_new(&mute, NULL, PATIENCE_NS, interrupts, &setup, &error),
                       &error);
    assert_null(setup);
    close(listening);
    close(interrupts);
}

/* Of a private server that has ended no answer is waited for, whatever the patience. The last test.
 */
TEST(test_a_server_that_has_ended_is_not_waited_for)
{
    struct setup_session *setup = live_host.setup;
    struct error error = {0};
    bool exists = true;
    kill(live_ensemble->servers[0].pid, SIGKILL);
    assert_int_equal(setup_session_exists(setup, ROOT, &exists, &error), ERROR_SERVER_DIED);
    assert_true(exists);
    assert_has(error.subject, "127.0.0.1:");
    assert_int_not_equal(setup_session_create(setup, ROOT "/e", "", &error), ERROR_NONE);
}

/* A server that keeps no session for longer than five seconds, by this script's doing. */
static int start(void **state)
{
    if (nest_make(state) != 0)
        return -1;
    nest_install_java("sed -i 's/^maxSessionTimeout=.*/maxSessionTimeout=5000/' */zoo.cfg\n"
                      "exec java \"$@\"");
    return live_start_with(1, 500);
}

static int stop(void **state)
{
    live_stop(state);
    return nest_remove(state);
}

TEST_GROUP(start, stop)

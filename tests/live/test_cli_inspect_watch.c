// SPDX-License-Identifier: Apache-2.0
/* `zkherd inspect --watch`: every change of a lock is shown, and what cannot be known is said. */
#include "tests/support/asked.h"
#include "tests/support/front.h"
#include "tests/support/inspect.h"
#include "tests/support/test.h"

/* Ctrl-C ends it within two seconds. */

static void start_watch(const char *path, const char *servers)
{
    command_start(&command, COMMAND("inspect", path, "--connect", servers, "--watch"));
}

static void await_sum(const char *sum, size_t times)
{
    await_words(&command, command.out_descriptor, sum, times);
}

/* It has looked again, and waits for the next change: for one of the znode, and of its children. */
static void await_watches(void)
{
    struct four_letter_counters counters = {0};
    struct error error;
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (counters.watch_count != 2 && clock_now_ns() < until_ns)
        assert_int_equal(four_letter_counters(&outside_server->connect.endpoints[0], PATIENCE_NS,
                                              &counters, &error),
                         ERROR_NONE);
    assert_int_equal(counters.watch_count, 2);
}

static void interrupt_watch(void)
{
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_null(strstr(command.err, "interrupted"));
}

INSPECT_TEST_SOON(changes_are_followed)
{
    start_watch("/l", outside);
    await_sum("/l: no children: a free queue, or not a lock\n", 1);
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, nobody waits\n", 1);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 1 waits\n", 1);
    create(2, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 2 wait\n", 1);
    create(2, "/l/beside", EPHEMERAL); /* changes nothing that is shown */
    await_watches();
    release(0, "/l/lock-0000000000");
    await_sum("/l: 1 holds, 1 waits\n", 2);
    release(1, "/l/lock-0000000001");
    await_sum("/l: 1 holds, nobody waits\n", 2);
    release(2, "/l/lock-0000000002");
    await_sum("/l: nobody holds, nobody waits\n", 1);
    interrupt_watch();
    assert_string_equal(command.err, "");
    /* A line with the time, and a blank line between two. */
    assert_int_equal(count_words(command.out, "Z\n/l: "), 7);
    assert_int_equal(count_words(command.out, "\n\n20"), 6);
    const char *last = strstr(command.out, "2 wait\n");
    last = strstr(last, "/l: 1 holds, 1 waits\n");
    assert_row(last, 1, "holds", "lock-0000000001", 1);
    assert_row(last, 2, "waits", "lock-0000000002", 2);
    assert_left(0);
}

/* The servers do not store since when a client holds: what was seen is known, and nothing else. */
INSPECT_TEST(who_was_seen_to_wait_is_known_to_hold)
{
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    start_watch("/l", outside);
    await_sum("/l: 1 holds, 1 waits\n", 1);
    create(2, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 2 wait\n", 1);
    release(2, "/l/lock-0000000002");
    await_sum("/l: 1 holds, 1 waits\n", 2);
    pause_ms(1100);
    release(0, "/l/lock-0000000000");
    await_sum("/l: 1 holds, nobody waits\n", 1);
    pause_ms(1100);
    create(2, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 1 waits\n", 3);
    await_watches();
    interrupt_watch();
    assert_has(row_of(command.out, 1), "     - znode lock-0000000000");
    assert_has(row_of(strstr(command.out, "2 wait\n"), 1), "     - znode lock-0000000000");
    const char *last = strstr(command.out, "nobody waits\n");
    const char *second = strstr(last, "/l: 1 holds, 1 waits\n");
    assert_row(second, 1, "holds", "lock-0000000001", 1);
    double queued_s = 0, held_s = 0;
    assert_int_equal(
        sscanf(row_of(second, 1), " 1 holds 0x%*x %lf s %lf s znode", &queued_s, &held_s), 2);
    assert_true(held_s >= 1.0 && queued_s >= held_s + 1.0);
    assert_has(row_of(second, 2), "     - znode lock-0000000003");
    assert_left(0);
}

INSPECT_TEST(a_semaphore_is_followed)
{
    create(0, "/l/leases", PERSISTENT);
    create(0, "/l/locks", PERSISTENT);
    start_watch("/l", outside);
    await_sum("/l: 0 leases held, nobody waits\n", 1);
    create(0, "/l/leases/lease-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 lease held, nobody waits\n", 1);
    create(1, "/l/locks/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 lease held, 1 waits\n", 1);
    release(0, "/l/leases/lease-0000000000");
    await_sum("/l: 0 leases held, 1 waits\n", 1);
    interrupt_watch();
    assert_left(0);
}

/* The lock is free when its znode is gone; a folder may go too, and come back. */
INSPECT_TEST(a_znode_that_goes_is_followed)
{
    create(0, "/l/f", EPHEMERAL);
    start_watch("/l/f", outside);
    await_sum("/l/f: 1 holds, waiters are not known\n", 1);
    release(0, "/l/f");
    await_sum("/l/f: nobody holds, waiters are not known\n", 1);
    create(1, "/l/f", EPHEMERAL);
    await_sum("/l/f: 1 holds, waiters are not known\n", 2);
    release(1, "/l/f");
    await_sum("/l/f: nobody holds, waiters are not known\n", 2);
    create(0, "/l/f", PERSISTENT);
    await_sum("/l/f: nobody holds, nobody waits\n", 1);
    create(0, "/l/f/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l/f: 1 holds, nobody waits\n", 1);
    release(0, "/l/f/lock-0000000000");
    release(0, "/l/f");
    await_sum("/l/f: the znode does not exist now; it may be created again\n", 1);
    create(0, "/l/f", PERSISTENT);
    await_sum("/l/f: nobody holds, nobody waits\n", 2);
    interrupt_watch();
    assert_left(0);
}

/* What it has seen before it need not ask for again; but it must be the same. */
INSPECT_TEST(what_takes_anothers_place_is_looked_at)
{
    create(0, "/l/q", PERSISTENT);
    create(0, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    start_watch("/l/q", outside);
    await_sum("/l/q: 1 holds, nobody waits\n", 1);
    pause_process(command.pid);
    release(0, "/l/q/lock-0000000000");
    release(0, "/l/q");
    create(0, "/l/q", PERSISTENT);
    create(1, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    kill(command.pid, SIGCONT);
    await_sum("/l/q: 1 holds, nobody waits\n", 2);
    await_watches();
    pause_process(command.pid);
    release(1, "/l/q/lock-0000000000");
    create(2, "/l/q/x-0000000000", EPHEMERAL);
    kill(command.pid, SIGCONT);
    await_sum("/l/q: 1 holds, nobody waits\n", 3);
    interrupt_watch();
    const char *second = strstr(strstr(command.out, "/l/q: ") + 1, "/l/q: ");
    assert_row(second, 1, "holds", "lock-0000000000", 1);
    assert_row(strstr(second + 1, "/l/q: "), 1, "holds", "x-0000000000", 2);
    assert_left(0);
}

/* Also where the servers' counter begins again with negative numbers. What is not asked for again
 * shows as it was. */
INSPECT_TEST(who_was_seen_before_is_not_asked_for_again)
{
    static const char *const places[] = {"/l/lock-2147483647", "/l/lock--2147483648"};
    for (unsigned i = 0; i < 2; i++) {
        client_create(actors[i].client, places[i], "before", 6, EPHEMERAL);
        assert_int_equal(await_reply(&actors[i]), ZK_OK);
    }
    start_watch("/l", outside);
    await_sum("/l: 1 holds, 1 waits\n", 1);
    await_watches();
    for (unsigned i = 0; i < 2; i++) {
        client_set(actors[i].client, places[i], "after", 5, -1);
        assert_int_equal(await_reply(&actors[i]), ZK_OK);
    }
    create(2, "/l/lock--2147483647", EPHEMERAL);
    await_sum("/l: 1 holds, 2 wait\n", 1);
    interrupt_watch();
    const char *second = strstr(command.out, "/l: 1 holds, 2 wait\n");
    assert_int_equal(count_words(second, " before"), 2);
    assert_int_equal(count_words(second, " after"), 0);
    release(2, "/l/lock--2147483647");
    release(1, places[1]);
    release(0, places[0]);
    assert_left(0);
}

INSPECT_TEST_SOON(a_lost_connection_is_told_and_made_anew)
{
    char servers[160];
    const struct endpoint *server = &outside_server->connect.endpoints[0];
    struct front fronts[] = {front_start(server, REFUSES_COUNTERS),
                             front_start(server, REFUSES_COUNTERS)};
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(servers, sizeof servers, "%s,%s", fronts[0].address, fronts[1].address);
    start_watch("/l", servers);
    await_sum("/l: 1 holds, nobody waits\n", 1);
    front_stop(&fronts[0]);
    await_words(&command, command.err_descriptor,
                "/l: the connection is lost; the lock may have changed", 1);
    await_sum("/l: 1 holds, nobody waits\n", 2);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 1 waits\n", 1);
    /* And while there is no server. */
    front_stop(&fronts[1]);
    await_words(&command, command.err_descriptor,
                "/l: the connection is lost; the lock may have changed", 2);
    interrupt_watch();
    assert_left(0);
}

INSPECT_TEST(what_cannot_be_printed_ends_it)
{
    command.prepare = print_to_a_closed_pipe;
    start_watch("/l", outside);
    command_finish(&command, PATIENCE_NS);
    assert_status(&command, 3);
    assert_string_equal(command.err, "");
    command.prepare = print_to_a_full_device;
    start_watch("/l", outside);
    command_finish(&command, PATIENCE_NS);
    assert_refused(&command, 3, "zkherd: standard output: no space left");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)

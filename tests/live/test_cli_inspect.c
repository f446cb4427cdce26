// SPDX-License-Identifier: Apache-2.0
/* `zkherd inspect`: who holds and who waits, and what is refused. */
#include "tests/support/front.h"
#include "tests/support/inspect.h"
#include "tests/support/test.h"

/* ------------------------------------------------------------------ what is shown */

INSPECT_TEST(a_queue_is_told_in_order)
{
    char names[ACTORS][128];
    /* As Curator names them: what stands before the number says nothing. */
    static const char *const prefixes[ACTORS] = {
        "/l/_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-",
        "/l/_c_77d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-",
        "/l/lock-",
    };
    create(0, "/l/beside", PERSISTENT);
    for (unsigned i = 0; i < ACTORS; i++)
        snprintf(names[i], sizeof names[i], "%s",
                 create(ACTORS - 1 - i, prefixes[i], EPHEMERAL_SEQUENTIAL));
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 1 holds, 2 wait");
    assert_row(command.out, 1, "holds", names[0], 2);
    assert_row(command.out, 2, "waits", names[1], 1);
    assert_row(command.out, 3, "waits", names[2], 0);
    assert_int_equal(count_words(command.out, "  0x"), 3);
    assert_has(row_of(command.out, 1), "       - znode _c_");
    assert_narrow(command.out);
    assert_true(is_there("/l/beside"));
    assert_int_equal(count_children("/l"), 4);
    assert_left(0);
}

INSPECT_TEST(readers_hold_together)
{
    create(2, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/write-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_line(command.out, 0, "/l: 2 hold, 1 waits");
    assert_row(command.out, 1, "holds  reads", "read-0000000000", 2);
    assert_row(command.out, 2, "holds  reads", "read-0000000001", 0);
    assert_row(command.out, 3, "waits  writes", "write-0000000002", 1);
    assert_left(0);
}

INSPECT_TEST(a_lock_of_one_znode_has_a_holder)
{
    create(1, "/l/f", EPHEMERAL);
    inspect("/l/f", NULL, NULL);
    assert_status(&command, 0);
    assert_line(command.out, 0, "/l/f: 1 holds, waiters are not known");
    assert_row(command.out, 1, "holds", "f", 1);
    assert_has(command.out,
               "\na waiter sets a watch on this znode and creates no znode of its own\n");
    assert_left(0);
}

/* Nothing tells a queue that is free from any other znode, not even data: a soft lock has some. */
INSPECT_TEST(nobody_may_hold)
{
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.out, "/l: no children: a free queue, or not a lock\n");
    assert_string_equal(command.err, "");
    client_create(actors[0].client, "/l/data", "hello", 5, PERSISTENT);
    assert_int_equal(await_reply(&actors[0]), ZK_OK);
    inspect("/l/data", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.out, "/l/data: no children: a free queue, or not a lock\n");
    assert_left(0);
}

/* A znode that no session owns bars the way all the same, for good: that is seen. */
INSPECT_TEST(a_place_of_nobody_is_told)
{
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/lock--000000001", PERSISTENT);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_has(row_of(command.out, 1), "    1  holds  - ");
    assert_has(row_of(command.out, 1), " znode lock--000000001");
    assert_row(command.out, 2, "waits", "lock-0000000000", 0);
    release(0, "/l/lock--000000001");
    assert_left(0);
}

/* ------------------------------------------------------------------ servers */

INSPECT_TEST(a_server_that_refuses_leaves_dashes)
{
    char words[256];
    struct front front = front_start(&outside_server->connect.endpoints[0], REFUSES_CONNECTIONS);
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    command_run(&command, COMMAND("inspect", "/l", "--connect", front.address));
    front_stop(&front);
    assert_status(&command, 0);
    assert_line(command.out, 0, "/l: 1 holds, 1 waits");
    assert_null(strstr(command.out, "client 127.0.0.1"));
    snprintf(words, sizeof words,
             "\nno client addresses from %s: the server refuses the four-letter word: cons; add it "
             "to 4lw.commands.whitelist\n",
             front.address);
    assert_has(command.out, words);
    assert_int_equal(count_words(command.out, "\nno client addresses"), 1);
    assert_string_equal(command.err, "");
    assert_left(0);
}

INSPECT_TEST(a_server_that_is_down_hides_nothing)
{
    char servers[96];
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(servers, sizeof servers, "127.0.0.1:1,%s", outside);
    command_run(&command, COMMAND("inspect", "/l", "--connect", servers));
    assert_status(&command, 0);
    assert_row(command.out, 1, "holds", "lock-0000000000", 0);
    assert_null(strstr(command.out, "\nno client addresses"));
    assert_left(0);
}

INSPECT_TEST(paths_are_within_the_chroot)
{
    char servers[96];
    create(0, "/l/q", PERSISTENT);
    create(1, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(servers, sizeof servers, "%s/l", outside);
    command_run(&command, COMMAND("inspect", "/q", "--connect", servers));
    assert_status(&command, 0);
    assert_line(command.out, 0, "/q: 1 holds, 0 wait");
    assert_row(command.out, 1, "holds", "lock-0000000000", 1);
    snprintf(servers, sizeof servers, "%s/l/none", outside);
    command_run(&command, COMMAND("inspect", "/q", "--connect", servers));
    assert_refused(&command, 3, "zkherd: /l/none: the chroot does not exist; create it first");
    assert_left(0);
}

/* ------------------------------------------------------------------ what is no lock, or wrong */

INSPECT_TEST(what_is_no_lock_is_refused)
{
    static const struct {
        const char *path, *words;
    } list[] = {
        {"/none", "zkherd: /none: not a lock: the znode does not exist; name the folder of"},
        {"/l/none/of/these", "not a lock: the znode does not exist"},
        {"/l/tasks/task-0000000003", "not a lock: this znode is one place in a queue"},
        {"/l/lock-0000000001",
         "not a lock: this znode is one place in a queue; its folder is the lock"},
    };
    create(0, "/l/tasks", PERSISTENT);
    create(0, "/l/tasks/task-0000000003", PERSISTENT);
    assert_string_equal(create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL), "lock-0000000001");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        inspect(list[i].path, NULL, NULL);
        assert_refused(&command, 2, list[i].words);
    }
    assert_left(0);
}

/* A second ensemble has other znodes, and so has an empty one. */
INSPECT_TEST(servers_of_two_ensembles_are_refused)
{
    struct ensemble_options options = ensemble_options_default();
    struct ensemble *other;
    struct error error;
    char servers[160], text[ENDPOINT_TEXT_SIZE];
    options.heap_mib = 256;
    assert_int_equal(ensemble_start(&options, &other, &error), ERROR_NONE);
    snprintf(servers, sizeof servers, "%s,%s", outside,
             endpoint_typed(&other->connect.endpoints[0], text, sizeof text));
    command_run(&command, COMMAND("inspect", "/l", "--connect", servers));
    assert_refused(&command, 2, "not a server of the same ensemble");
    ensemble_stop(other);
    assert_left(0);
}

INSPECT_TEST(what_cannot_be_printed_ends_it)
{
    command.prepare = print_to_a_closed_pipe;
    inspect("/l", NULL, NULL);
    assert_status(&command, 3);
    assert_string_equal(command.err, "");
    command.prepare = print_to_a_full_device;
    inspect("/l", NULL, NULL);
    assert_refused(&command, 3, "zkherd: standard output: no space left");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)

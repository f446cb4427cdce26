// SPDX-License-Identifier: Apache-2.0
/* `zkherd inspect --break`: who is asked, what is deleted, and who is left alone. */
#include "tests/support/asked.h"
#include "tests/support/inspect.h"
#include "tests/support/test.h"

INSPECT_TEST(a_broken_lock_goes_to_the_next)
{
    char deleted[128];
    for (unsigned i = 0; i < ACTORS; i++)
        create(i, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", "--break", "--yes");
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 1 holds, 2 wait");
    snprintf(deleted, sizeof deleted, "deleted lock-0000000000 of session 0x%" PRIx64,
             session_of(0));
    assert_line(command.out, 8, deleted);
    assert_line(command.out, 9, "/l: 1 holds, 1 waits");
    assert_row(line_of(command.out, 9), 1, "holds", "lock-0000000001", 1);
    assert_row(line_of(command.out, 9), 2, "waits", "lock-0000000002", 2);
    assert_false(is_there("/l/lock-0000000000"));
    assert_int_equal(count_children("/l"), 2);
    assert_left(0);
}

INSPECT_TEST(all_who_read_lose_it)
{
    create(0, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(2, "/l/write-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", "--break", "--yes");
    assert_status(&command, 0);
    assert_int_equal(count_words(command.out, "\ndeleted read-"), 2);
    assert_has(command.out, "\n/l: 1 holds, nobody waits\n");
    assert_int_equal(count_children("/l"), 1);
    assert_true(is_there("/l/write-0000000002"));
    assert_left(0);
}

/* Goes on to where the command asks. */
static void start_to_break(const char *path)
{
    asked_start(&command, COMMAND("inspect", path, "--connect", outside, "--break"));
}

static void answer(const char *text)
{
    asked_answer(&command, text);
}

INSPECT_TEST(it_is_asked_before_it_is_broken)
{
    static const char *const no[] = {"n\n", "\n", "yesterday\n", "\004"};
    char question[128];
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(question, sizeof question,
             "break the lock held by lock-0000000000 of session 0x%" PRIx64 "? [y/N] ",
             session_of(0));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        start_to_break("/l");
        answer(no[i]);
        assert_status(&command, 0);
        assert_has(command.err,
                   "zkherd: the holder is not notified and may continue as if it still held the "
                   "lock\n");
        assert_has(command.err, question);
        assert_null(strstr(command.out, "deleted"));
        assert_true(is_there("/l/lock-0000000000"));
    }
    start_to_break("/l");
    answer("y\n");
    assert_status(&command, 0);
    assert_has(command.out, "\ndeleted lock-0000000000 of session 0x");
    assert_has(command.out, "\n/l: nobody holds, nobody waits\n");
    assert_int_equal(count_children("/l"), 0);
    assert_left(0);
}

/* It was asked whether that one is to lose it, and nobody else. */
INSPECT_TEST(another_holder_is_left_alone)
{
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    start_to_break("/l");
    release(0, "/l/lock-0000000000");
    answer("yes\n");
    assert_status(&command, 1);
    assert_has(command.err, "zkherd: /l: not broken: lock-0000000000 was deleted or replaced "
                            "since it was shown; look again\n");
    assert_null(strstr(command.out, "deleted"));
    assert_has(command.out, "\n/l: 1 holds, nobody waits\n");
    assert_true(is_there("/l/lock-0000000001"));

    /* Under the same name, with the same version. */
    create(0, "/l/f", EPHEMERAL);
    start_to_break("/l/f");
    release(0, "/l/f");
    create(1, "/l/f", EPHEMERAL);
    answer("y\n");
    assert_status(&command, 1);
    assert_has(command.err, "not broken: f was deleted or replaced since it was shown");
    assert_true(is_there("/l/f"));

    /* One of several who read. */
    create(0, "/l/r", PERSISTENT);
    create(0, "/l/r/read-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/r/read-", EPHEMERAL_SEQUENTIAL);
    start_to_break("/l/r");
    release(1, "/l/r/read-0000000001");
    answer("y\n");
    assert_status(&command, 1);
    assert_has(command.err, "not broken: read-0000000001 was deleted");
    assert_true(is_there("/l/r/read-0000000000"));
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)

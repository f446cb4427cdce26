// SPDX-License-Identifier: Apache-2.0
/* `zkherd inspect` and `zkherd clean` where an ACL forbids to read a znode: what can be told is. */
#include "tests/support/acl.h"
#include "tests/support/inspect.h"
#include "tests/support/test.h"

#define ROOT   "/zkherd-20200101T000000Z-0000001"
#define ROOT_2 "/zkherd-20200101T000001Z-0000002"
#define CUT    "\nleft out: 1 znode that may not be read\n"

static void create_holding(const char *path, const char *data, enum create_mode mode)
{
    client_create(actors[0].client, path, data, strlen(data), mode);
    assert_int_equal(await_reply(&actors[0]), ZK_OK);
}

static void assert_json(const char *path, const char *words)
{
    inspect(path, "--json", NULL);
    assert_status(&command, 0);
    assert_has(command.out, words);
}

/* ------------------------------------------------------------------ locks */

/* Such a lock cannot be told; the others of its folder can. */
static void assert_hidden(const char *holder)
{
    inspect("/l", NULL, NULL);
    assert_refused(&command, 3, "zkherd: /l/lock-0000000000: the ACL of the znode forbids it");
    create(1, "/l/a", PERSISTENT);
    create(1, "/l/a/lock-", EPHEMERAL_SEQUENTIAL);
    inspect("/", NULL, NULL);
    assert_status(&command, 0);
    assert_has(command.out, "  /l/a  ");
    assert_has(command.out, CUT);
    acl_open(holder);
    assert_left(0);
}

INSPECT_TEST(a_place_without_readable_data_is_told)
{
    create_holding("/l/lock-", "secret", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    acl_forbid_reading("/l/lock-0000000000");
    if (acl_hides("/l/lock-0000000000")) {
        assert_hidden("/l/lock-0000000000");
        return;
    }
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 1 holds, 1 waits");
    assert_row(command.out, 1, "holds", "lock-0000000000", 0);
    assert_row(command.out, 2, "waits", "lock-0000000001", 1);
    assert_null(strstr(command.out, "data"));
    assert_json("/l", "\"data\": null");
    assert_left(0);
}

INSPECT_TEST(a_lock_that_may_not_be_listed_is_refused)
{
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    acl_forbid_reading("/l");
    inspect("/l", NULL, NULL);
    acl_open("/l");
    assert_refused(&command, 3, "zkherd: /l: the ACL of the znode forbids it");
    assert_left(0);
}

/* ------------------------------------------------------------------ folders */

INSPECT_TEST(a_forbidden_folder_is_left_out)
{
    create(0, "/l/a", PERSISTENT);
    create(0, "/l/a/lock-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/b", PERSISTENT);
    create(1, "/l/b/lock-", EPHEMERAL_SEQUENTIAL);
    acl_forbid_reading("/l/a");
    inspect("/l", NULL, NULL);
    acl_open("/l/a");
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 1 lock, 0 waiters");
    assert_has(command.out, "  /l/b  ");
    assert_has(command.out, CUT);
    assert_narrow(command.out);
    assert_left(0);
}

/* ------------------------------------------------------------------ roots of runs */

INSPECT_TEST(a_root_that_cannot_be_read_is_kept)
{
    create_holding(ROOT, "zkherd run, process 1 on nowhere", PERSISTENT);
    create_holding(ROOT_2, "zkherd run, process 2 on nowhere", PERSISTENT);
    acl_forbid_reading(ROOT);
    command_run(&command, COMMAND("clean", "--connect", outside, "--older", "0s"));
    acl_open(ROOT);
    release(0, ROOT);
    assert_status(&command, 0);
    assert_has(command.err, "zkherd: " ROOT ": not listed: its ACL forbids reading it\n");
    assert_null(strstr(command.out, ROOT));
    assert_has(command.out, "\nremoved " ROOT_2 "\n");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)

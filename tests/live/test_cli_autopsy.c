// SPDX-License-Identifier: Apache-2.0
/* `zkherd autopsy` of logs that the test writes: locks by name and what is none, refusals without a
 * path, expired sessions, high sequence numbers; and folders and files that cannot be read. */
#include "tests/support/csv_file.h"
#include "tests/support/journal_file.h"
#include "tests/support/outcome.h"
#include "tests/support/schema.h"

static struct command command;

static void begin_log(void)
{
    assert_int_equal(mkdir(in_work("zk"), 0755), 0);
    journal_file_begin("ZKLG", 2);
}

static void end_log(const char *name)
{
    journal_file_write(in_work("zk"), name, 100);
}

static void create(long long session, long long zxid, const char *path, int cversion)
{
    journal_file_record(session, zxid, 1, "snafi", path, 1, cversion);
}

static void refuse(long long session, long long zxid)
{
    journal_file_record(session, zxid, -1, "i", -110);
}

static void delete (long long session, long long zxid, const char *path)
{
    journal_file_record(session, zxid, 2, "s", path);
}

static json_t *autopsy(int status)
{
    command_run(&command, COMMAND("autopsy", "--json", "-o", "found", "zk"));
    assert_status(&command, status);
    return schema_read_result(&command, "autopsy");
}

static json_int_t number(const json_t *told, const char *key)
{
    return json_integer_value(json_object_get(told, key));
}

static const json_t *row(const json_t *told, const char *list, size_t index)
{
    return json_array_get(json_object_get(told, list), index);
}

static const char *text(const json_t *told, const char *key)
{
    const char *value = json_string_value(json_object_get(told, key));
    return value != NULL ? value : "";
}

/* Two locks by name, of which session 2 wants one after the other; a registration that comes again,
 * and one beside whose life a create is refused; a refusal of a session that gets nothing. */
COMMAND_TEST(a_refusal_is_of_the_lock_that_the_session_gets_next)
{
    begin_log();
    create(9, 1, "/servers/a", 1);
    create(1, 2, "/one", 1);
    refuse(2, 3); /* /one */
    refuse(3, 4); /* /one */
    delete (1, 5, "/one");
    create(2, 6, "/one", 2);
    create(1, 7, "/two", 2);
    refuse(2, 8);  /* /two, though it holds /one */
    refuse(3, 9);  /* /one */
    refuse(4, 10); /* nobody knows */
    delete (2, 11, "/one");
    create(3, 12, "/one", 3);
    delete (1, 13, "/two");
    create(2, 14, "/two", 3);
    journal_file_record(9, 15, -11, "is", 1, "/servers/a");
    create(10, 16, "/servers/a", 2);
    end_log("log.1");
    json_t *told = autopsy(0);
    assert_int_equal(json_array_size(json_object_get(told, "locks")), 2);
    const json_t *one = row(told, "locks", 0), *two = row(told, "locks", 1);
    assert_string_equal(text(one, "path"), "/one");
    assert_string_equal(text(one, "recipe"), "one znode");
    assert_int_equal(number(one, "refused"), 3);
    assert_int_equal(number(one, "grants"), 3);
    assert_int_equal(number(one, "waiters_max"), 2);
    assert_string_equal(text(two, "path"), "/two");
    assert_int_equal(number(two, "refused"), 1);
    assert_int_equal(number(told, "refused"), 4);
    assert_int_equal(number(told, "unattributed"), 1);
    assert_int_equal(number(told, "sessions_expired"), 0);
    json_decref(told);
    struct csv_file holds = csv_file_read(in_work("found/holds.csv"));
    assert_int_equal(holds.rows, 5);
    assert_string_equal(csv_file_text(&holds, 1, "session"), "0x2");
    assert_int_equal(csv_file_count(&holds, 1, "arrived_ms"), JOURNAL_FILE_MS + 3000);
    assert_int_equal(csv_file_count(&holds, 1, "granted_ms"), JOURNAL_FILE_MS + 6000);
    assert_int_equal(csv_file_count(&holds, 1, "released_ms"), JOURNAL_FILE_MS + 11000);
    assert_string_equal(csv_file_text(&holds, 1, "end"), "deleted");
    assert_string_equal(csv_file_text(&holds, 4, "end"), "open");
    csv_file_deinit(&holds);
    assert_left(2);
}

/* Of a session that never gets a lock, if there is only one. */
COMMAND_TEST(a_refusal_is_of_the_only_lock)
{
    begin_log();
    create(1, 1, "/one", 1);
    refuse(2, 2);
    refuse(3, 3);
    delete (1, 4, "/one");
    refuse(3, 5); /* nobody holds it: not of this lock */
    create(2, 6, "/one", 2);
    end_log("log.1");
    json_t *told = autopsy(0);
    assert_int_equal(number(row(told, "locks", 0), "refused"), 2);
    assert_int_equal(number(row(told, "locks", 0), "waiters_max"), 2);
    assert_int_equal(number(told, "unattributed"), 1);
    json_decref(told);
}

/* The number is the server's only if the parent's version says so. */
COMMAND_TEST(a_queue_and_what_only_looks_like_one)
{
    begin_log();
    journal_file_record(1, 1, -10, "i", 6000);
    create(1, 2, "/q/n-0000000000", 1);
    create(2, 3, "/q/n-0000000001", 2);
    create(3, 4, "/named/n-0000000005", 1);
    create(3, 5, "/high/n-1073741823", 1073741824);
    journal_file_expiry(1, 6);
    delete (2, 7, "/q/n-0000000001");
    journal_file_record(3, 8, 14, "iiisiis", 2, 2, 22, "/high/n-1073741823", 2, 9, "/none");
    end_log("log.1");
    json_t *told = autopsy(0);
    assert_int_equal(json_array_size(json_object_get(told, "locks")), 2);
    assert_string_equal(text(row(told, "locks", 0), "path"), "/q");
    assert_int_equal(number(row(told, "locks", 0), "handoffs"), 1);
    assert_string_equal(text(row(told, "locks", 1), "path"), "/high");
    assert_string_equal(text(row(told, "sequences", 0), "folder"), "/high");
    assert_int_equal(number(row(told, "sequences", 0), "next"), 1073741824);
    assert_int_equal(number(row(told, "sequences", 1), "next"), 2);
    const json_t *expired = row(told, "expired", 0);
    assert_string_equal(text(expired, "session"), "0x1");
    assert_int_equal(number(expired, "timeout_ms"), 6000);
    assert_int_equal(number(expired, "silent_ms"), 4000);
    assert_int_equal(number(expired, "held"), 1);
    assert_int_equal(number(expired, "waiters"), 1);
    assert_int_equal(number(told, "sessions_expired"), 1);
    assert_int_equal(number(row(told, "minutes", 0), "deletes"), 3);
    json_decref(told);
    command_run(&command, COMMAND("autopsy", "--no-files", "zk"));
    assert_status(&command, 0);
    assert_has(command.out, "The next sequence number in /high is 1073741824: 50.0 % of 2^31");
    assert_has(command.out, "A log has no reads, no watches");
}

/* What was there before the log is in the snapshot: a holder, and a znode without a session. */
COMMAND_TEST(a_log_that_begins_later_begins_with_a_snapshot)
{
    begin_log();
    create(2, 11, "/q/n-0000000002", 3);
    delete (1, 12, "/q/n-0000000001");
    end_log("log.b");
    journal_file_begin("ZKSN", 2);
    journal_file_put("ili", 1, 1LL, 30000);
    journal_file_put("i", 0);
    journal_file_znode("", 0, 0);
    journal_file_znode("/q", 0, 2);
    journal_file_znode("/q/n-0000000001", 1, 3);
    journal_file_znode("/left", 7, 4);
    journal_file_seal();
    journal_file_write(in_work("zk"), "snapshot.a", 0);
    json_t *told = autopsy(0);
    assert_int_equal(number(row(told, "locks", 0), "handoffs"), 1);
    assert_int_equal(number(told, "orphans"), 1);
    json_decref(told);
    struct csv_file holds = csv_file_read(in_work("found/holds.csv"));
    assert_string_equal(csv_file_text(&holds, 0, "session"), "0x1");
    assert_int_equal(csv_file_count(&holds, 0, "granted_ms"), JOURNAL_FILE_MS + 3000);
    csv_file_deinit(&holds);
}

/* A path is anybody's text. */
COMMAND_TEST(paths_are_shown_and_never_obeyed)
{
    begin_log();
    create(1, 1, "/a<b>\033[31m/n-0000000000", 1);
    create(2, 2, "/a<b>\033[31m/n-0000000001", 2);
    delete (1, 3, "/a<b>\033[31m/n-0000000000");
    end_log("log.1");
    command_run(&command, COMMAND("autopsy", "--plots", "svg", "-o", "found", "zk"));
    assert_status(&command, 0);
    assert_has(command.out, "/a<b>\\x1b[31m");
    char *page = read_text(in_work("found/report.html"));
    assert_has(page, "<td>/a&lt;b&gt;\\x1b[31m</td><td>queue</td>");
    assert_null(strchr(page, '\033'));
    free(page);
}

/* ------------------------------------------------------------------ what cannot be read */

COMMAND_TEST(a_log_that_is_cut_short_is_told)
{
    begin_log();
    create(1, 1, "/q/n-0000000000", 1);
    create(1, 2, "/q/n-0000000001", 2);
    journal_file_bytes -= 5;
    end_log("log.1");
    command_run(&command, COMMAND("autopsy", "--no-files", "zk"));
    assert_status(&command, 0);
    assert_has(command.out, "zk/log.1 ends within a record");
    assert_has(command.out, "behind zxid 0x1");
    assert_left(1);
}

COMMAND_TEST(a_log_with_a_gap_is_not_valid)
{
    begin_log();
    create(1, 1, "/q/n-0000000000", 1);
    create(1, 5, "/q/n-0000000001", 2);
    end_log("log.1");
    json_t *told = autopsy(4);
    assert_string_equal(text(told, "verdict"), "not valid");
    assert_has(json_string_value(json_array_get(json_object_get(told, "flaws"), 0)),
               "behind transactions that no file has");
    json_decref(told);
}

static void assert_no_log(const char *folder, int status, const char *words)
{
    command_run(&command, COMMAND("autopsy", folder));
    assert_refused(&command, status, words);
}

COMMAND_TEST(what_is_no_log_is_refused)
{
    assert_no_log("nowhere", 2, "it does not exist");
    begin_log();
    assert_no_log("zk", 2, "no file log.ZXID");
    journal_file_begin("ZKLG", 9);
    end_log("log.1");
    assert_no_log("zk", 2, "of another version than 2");
    assert_no_log("zk/log.1", 2, "it is not a folder");
    journal_file_begin("ABCD", 2);
    end_log("log.1");
    assert_no_log("zk", 2, "is no transaction log");
    journal_file_begin("ZKLG", 2);
    end_log("log.1");
    assert_no_log("zk", 2, "the log has no transaction");
    command_run(&command, COMMAND("autopsy"));
    assert_refused(&command, 2, "the folder of a server is missing");
    assert_left(1);
}

COMMAND_TEST(a_folder_without_permission_is_refused)
{
    begin_log();
    create(1, 1, "/x", 1);
    end_log("log.1");
    assert_int_equal(chmod(in_work("zk"), 0), 0);
    command.prepare = become_nobody;
    assert_no_log("zk", 3, "permission denied");
    command.prepare = NULL;
    assert_int_equal(chmod(in_work("zk"), 0755), 0);
}

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
    (void)folder_remove(in_work("found"));
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
    assert_int_equal(number(one, "refused_inferred"), 3); /* beside /servers/a */
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

/* Beside a registration, and of sessions that get another lock afterwards. */
COMMAND_TEST(an_incident_is_the_same_whatever_the_logs_have_behind_it)
{
    begin_log();
    create(9, 1, "/reg", 1);
    create(1, 2, "/one", 2);
    for (long long session = 2; session < 6; session++)
        refuse(session, session + 1);
    delete (1, 7, "/one");
    create(2, 8, "/one", 3);
    for (long long session = 3; session < 6; session++)
        refuse(session, session + 6);
    delete (2, 12, "/one");
    for (int more = 0; more < 2; more++) {
        end_log("log.1");
        json_t *told = autopsy(0);
        assert_string_equal(text(row(told, "locks", 0), "path"), "/one");
        assert_int_equal(number(row(told, "locks", 0), "refused"), 7);
        assert_int_equal(number(row(told, "locks", 0), "refused_inferred"), 7);
        assert_int_equal(number(row(told, "locks", 0), "waiters_max"), 4);
        assert_int_equal(json_array_size(json_object_get(told, "locks")), 1 + more);
        json_decref(told);
        create(3, 13, "/two", 4);
        refuse(4, 14);
        delete (3, 15, "/two");
        create(4, 16, "/two", 5);
    }
}

/* The number is the server's only if the parent's version says so. */
COMMAND_TEST(a_queue_and_what_only_looks_like_one)
{
    begin_log();
    journal_file_record(1, 1, -10, "i", 4000);
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
    assert_int_equal(number(expired, "timeout_ms"), 4000);
    assert_int_equal(number(expired, "silent_ms"), 4000);
    assert_int_equal(number(expired, "held"), 1);
    assert_int_equal(number(expired, "waiters"), 1);
    assert_int_equal(number(told, "sessions_expired"), 1);
    assert_int_equal(number(row(told, "minutes", 0), "deletes"), 3);
    json_decref(told);
    command_run(&command, COMMAND("autopsy", "--no-files", "zk"));
    assert_status(&command, 0);
    assert_has(command.out, "The next sequence number in /high is 1073741824: 50.0 % of 2^31");
    assert_has(command.out, "A log has no reads, watches, notifications");
}

/* Times and request numbers as a test wants them. */
static void at(long long ms, int cxid)
{
    journal_file_at_ms = JOURNAL_FILE_MS + ms;
    journal_file_cxid = cxid;
}

static void as_before(void)
{
    journal_file_at_ms = 0;
    journal_file_cxid = 7;
}

static void open_session(long long session, long long zxid)
{
    journal_file_record(session, zxid, -10, "i", 10000);
}

/* Clients in Rust and Node close by a request of number 0, as servers do. */
COMMAND_TEST(a_session_has_expired_only_if_it_was_silent_for_its_timeout)
{
    begin_log();
    at(0, 0);
    open_session(1, 1);
    create(1, 2, "/q/n-0000000000", 1);
    open_session(2, 3);
    create(2, 4, "/q/n-0000000001", 2);
    at(300, 0);
    journal_file_record(1, 5, -11, "is", 1, "/q/n-0000000000");
    end_log("log.1");
    json_t *told = autopsy(0);
    assert_int_equal(number(told, "sessions_closed"), 1);
    assert_int_equal(number(told, "sessions_expired"), 0);
    assert_int_equal(number(told, "sessions_undecided"), 0);
    json_decref(told);
    at(15000, 0); /* it may have read meanwhile, and closed itself like the first */
    journal_file_record(2, 6, -11, "is", 1, "/q/n-0000000001");
    end_log("log.1");
    told = autopsy(0);
    assert_int_equal(number(told, "sessions_expired"), 0);
    assert_int_equal(number(told, "sessions_undecided"), 1);
    const json_t *end = row(told, "expired", 0);
    assert_string_equal(text(end, "end"), "undecided");
    assert_int_equal(number(end, "silent_ms"), 15000);
    assert_int_equal(number(end, "timeout_ms"), 10000);
    json_decref(told);
    as_before();
}

/* The clock of the second leader is behind. */
COMMAND_TEST(times_that_go_back_make_no_durations)
{
    begin_log();
    at(0, 1);
    open_session(1, 0x100000001);
    create(1, 0x100000002, "/q/n-0000000000", 1);
    at(5000, 2);
    journal_file_record(1, 0x100000003, 5, "ssi", "/q", "", 1);
    at(2200, 0);
    journal_file_record(1, 0x200000001, -11, "is", 1, "/q/n-0000000000");
    as_before();
    end_log("log.1");
    command_run(&command, COMMAND("autopsy", "-o", "found", "zk"));
    assert_status(&command, 0);
    assert_has(command.out, "Times go back 1 times, by up to 2.8 s at zxid 0x200000001");
    struct csv_file expired = csv_file_read(in_work("found/expired.csv")),
                    periods = csv_file_read(in_work("found/periods.csv"));
    assert_string_equal(csv_file_text(&expired, 0, "silent_ms"), "");
    assert_string_equal(csv_file_text(&expired, 0, "end"), "undecided");
    assert_int_equal(periods.rows, 3);
    assert_int_equal(csv_file_count(&periods, 1, "begin_ms"), JOURNAL_FILE_MS + 2200);
    assert_int_equal(csv_file_count(&periods, 1, "transactions"), 1);
    csv_file_deinit(&expired);
    csv_file_deinit(&periods);
}

/* Services that make their parents blindly, and then register under names of their own. */
COMMAND_TEST(a_registration_is_no_lock)
{
    begin_log();
    journal_file_record(1, 1, 1, "snafi", "/s", 0, 1);
    create(1, 2, "/s/host1", 1);
    journal_file_cxid = 1;
    refuse(3, 3);
    journal_file_cxid = 2;
    create(3, 4, "/s/host2", 2);
    journal_file_record(1, 5, -11, "is", 1, "/s/host1");
    journal_file_cxid = 1;
    refuse(2, 6); /* /s/host1 is not there */
    journal_file_cxid = 2;
    create(2, 7, "/s/host1", 3);
    as_before();
    end_log("log.1");
    json_t *told = autopsy(0);
    assert_int_equal(json_array_size(json_object_get(told, "locks")), 0);
    assert_int_equal(json_array_size(json_object_get(told, "doubts")), 0);
    assert_int_equal(number(told, "unattributed"), 2);
    assert_string_equal(text(told, "answer"), "No lock was found");
    json_decref(told);
}

/* As Kafka elects its controller: a multi that creates, and fails. */
COMMAND_TEST(the_parts_of_a_multi_are_creates_and_refusals)
{
    begin_log();
    for (long long zxid = 1; zxid <= 2; zxid++)
        open_session(zxid, zxid);
    /* A part: its type, and its record behind the length. */
    journal_file_record(1, 3, 14, "iiisnafi", 1, 1, 51, "/controller", 1, 2);
    journal_file_record(2, 4, 14, "iiiiiii", 2, -1, 4, -110, -1, 4, -2);
    delete (1, 5, "/controller");
    journal_file_record(2, 6, 14, "iiisnafi", 1, 1, 51, "/controller", 1, 3);
    delete (2, 7, "/controller");
    end_log("log.1");
    json_t *told = autopsy(0);
    const json_t *lock = row(told, "locks", 0);
    assert_string_equal(text(lock, "path"), "/controller");
    assert_int_equal(number(lock, "grants"), 2);
    assert_int_equal(number(lock, "handoffs"), 1);
    assert_int_equal(number(lock, "waiters_max"), 1);
    assert_int_equal(number(lock, "refused"), 1);
    json_decref(told);
}

/* The holder hangs, and the others are refused to the end. */
COMMAND_TEST(a_lock_that_stood_still_is_first)
{
    begin_log();
    create(1, 1, "/q/n-0000000000", 1);
    create(4, 2, "/q/n-0000000001", 2);
    create(5, 3, "/q/n-0000000002", 3);
    delete (1, 4, "/q/n-0000000000");
    delete (5, 5, "/q/n-0000000002");
    delete (4, 6, "/q/n-0000000001");
    create(1, 7, "/master", 1);
    for (long long zxid = 8; zxid < 28; zxid++)
        refuse(2 + zxid % 2, zxid);
    end_log("log.1");
    command_run(&command, COMMAND("autopsy", "--no-files", "zk"));
    assert_status(&command, 0);
    assert_has(command.out, "Stood still: /master, held for 20.0 s by 0x1");
    assert_has(command.out, "20 refused creates of 2 sessions seem to be of /master");
    json_t *told = autopsy(0);
    const json_t *master = row(told, "locks", 1);
    assert_string_equal(text(master, "path"), "/master");
    assert_int_equal(number(master, "refused"), 20);
    assert_has(text(told, "answer"), "No herd: /master never passed on, and refused 20 creates");
    assert_int_equal(number(master, "waiting"), 2);
    assert_int_equal(number(master, "waiters_max"), 2);
    assert_true(json_is_true(json_object_get(master, "stood_still")));
    assert_int_equal(number(told, "unattributed"), 0);
    json_decref(told);
}

/* Beside a registration the log cannot tell what a session wanted that has one of its own. */
COMMAND_TEST(what_the_log_cannot_decide_is_said)
{
    begin_log();
    create(1, 1, "/master", 1);
    create(1, 2, "/s/host1", 1);
    create(2, 3, "/s/host2", 2);
    for (long long zxid = 4; zxid < 9; zxid++)
        refuse(2, zxid);
    end_log("log.1");
    json_t *told = autopsy(0);
    const json_t *doubt = row(told, "doubts", 0);
    assert_int_equal(json_array_size(json_object_get(told, "locks")), 0);
    assert_string_equal(text(doubt, "path"), "/master");
    assert_int_equal(number(doubt, "refused"), 5);
    assert_true(json_is_false(json_object_get(doubt, "is_lock")));
    assert_int_equal(number(told, "unattributed"), 5);
    assert_has(text(told, "answer"), "No lock is certain");
    json_decref(told);
}

/* kazoo's acquire(ephemeral=False): the znode outlives its session. */
COMMAND_TEST(a_znode_of_no_session_holds)
{
    static const char first[] = "/l/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__0000000000",
                      second[] = "/l/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__lock__0000000001";
    begin_log();
    open_session(1, 1);
    journal_file_record(1, 2, 1, "snafi", first, 0, 1);
    journal_file_record(1, 3, -11, "i", 0);
    open_session(2, 4);
    create(2, 5, second, 2);
    journal_file_record(1, 6, 1, "snafi", "/l/task-0000000002", 0, 3); /* of no lock */
    end_log("log.1");
    json_t *told = autopsy(0);
    assert_int_equal(number(row(told, "locks", 0), "grants"), 1);
    assert_int_equal(number(row(told, "locks", 0), "waiting"), 1);
    json_decref(told);
    struct csv_file holds = csv_file_read(in_work("found/holds.csv"));
    assert_int_equal(holds.rows, 1);
    assert_string_equal(csv_file_text(&holds, 0, "session"), "");
    assert_string_equal(csv_file_text(&holds, 0, "end"), "open");
    csv_file_deinit(&holds);
}

/* The znodes of sessions that ended before the first snapshot are known by their deletions alone.
 */
COMMAND_TEST(what_only_its_end_tells_was_there_before_the_log)
{
    begin_log();
    create(2, 11, "/q/n-0000000002", 3);
    delete (1, 12, "/q/n-0000000001");
    delete (2, 13, "/q/n-0000000002");
    end_log("log.b");
    journal_file_begin("ZKSN", 2);
    journal_file_put("ii", 0, 0);
    journal_file_znode("", 0, 0);
    journal_file_seal();
    journal_file_write(in_work("zk"), "snapshot.d", 0);
    json_t *told = autopsy(0);
    assert_int_equal(number(row(told, "locks", 0), "handoffs"), 1);
    json_decref(told);
    struct csv_file holds = csv_file_read(in_work("found/holds.csv"));
    assert_string_equal(csv_file_text(&holds, 0, "session"), "0x1");
    assert_string_equal(csv_file_text(&holds, 1, "session"), "0x2");
    csv_file_deinit(&holds);
}

/* Nobody knows how long the holder before a gap held. */
COMMAND_TEST(no_dead_holder_lives_on_behind_a_gap)
{
    begin_log();
    create(1, 1, "/q/n-0000000000", 1);
    create(2, 2, "/q/n-0000000001", 2);
    create(3, 9, "/q/n-0000000002", 3);
    end_log("log.1");
    journal_file_begin("ZKSN", 2);
    journal_file_put("ili", 1, 2LL, 30000);
    journal_file_put("i", 0);
    journal_file_znode("", 0, 0);
    journal_file_znode("/q", 0, 1);
    journal_file_znode("/q/n-0000000001", 2, 2);
    journal_file_seal();
    journal_file_write(in_work("zk"), "snapshot.8", 0);
    json_t *told = autopsy(4);
    assert_string_equal(text(told, "verdict"), "not valid");
    json_decref(told);
    struct csv_file holds = csv_file_read(in_work("found/holds.csv"));
    assert_int_equal(holds.rows, 2);
    assert_string_equal(csv_file_text(&holds, 0, "session"), "0x1");
    assert_string_equal(csv_file_text(&holds, 0, "end"), "gap");
    assert_int_equal(csv_file_count(&holds, 0, "released_ms"), JOURNAL_FILE_MS + 2000);
    assert_string_equal(csv_file_text(&holds, 1, "session"), "0x2");
    assert_string_equal(csv_file_text(&holds, 1, "end"), "open");
    csv_file_deinit(&holds);
}

/* An incident among the logs of a week, and a lock among others. */
COMMAND_TEST(a_time_and_a_lock_can_be_chosen)
{
    char from[32], until[32];
    begin_log();
    create(1, 1, "/a/n-0000000000", 1);
    create(2, 2, "/a/n-0000000001", 2);
    delete (1, 3, "/a/n-0000000000");
    create(3, 4, "/b/n-0000000000", 1);
    delete (2, 5, "/a/n-0000000001");
    create(4, 6, "/a/n-0000000002", 3);
    end_log("log.1");
    snprintf(from, sizeof from, "%lld", JOURNAL_FILE_MS + 4000);
    snprintf(until, sizeof until, "2026-01-01T00:00:05Z");
    command_run(&command, COMMAND("autopsy", "--json", "-o", "found", "--from", from, "--until",
                                  until, "--lock", "/a", "zk"));
    assert_status(&command, 0);
    json_t *told = schema_read_result(&command, "autopsy");
    assert_int_equal(number(told, "transactions"), 2);
    assert_int_equal(json_array_size(json_object_get(told, "locks")), 1);
    assert_int_equal(number(row(told, "locks", 0), "grants"), 1);
    assert_string_equal(text(row(told, "locks", 0), "held_max_session"), "0x2");
    json_decref(told);
    struct csv_file holds = csv_file_read(in_work("found/holds.csv"));
    assert_int_equal(holds.rows, 1);
    csv_file_deinit(&holds);
    command_run(&command, COMMAND("autopsy", "--no-files", "--lock", "/none", "zk"));
    assert_refused(&command, 2, "no hold of it");
    static const struct refusal refusals[] = {
        {{"autopsy", "--from", "yesterday", "zk"}, "expected a time in UTC"},
        {{"autopsy", "--lock", "a", "zk"}, "expected the path of a lock"},
        {{"autopsy", "--from", "9", "--until", "8", "zk"}, "not before --until"},
    };
    ASSERT_LINES_REFUSED(&command, NULL, refusals);
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

// SPDX-License-Identifier: Apache-2.0
/* Sessions, seconds, watches and the causes of notifications, out of the messages of some sessions.
 */
#include "relay/traffic.h"

#include "base/memory.h"
#include "tests/support/messages.h"
#include "tests/support/test.h"

#include <inttypes.h>

#define SESSIONS 5 /* 1 to 4 */

static struct traffic traffic;
static struct conversation of[SESSIONS];
static uint64_t now_ns;
static int xid;

/* What was said since is said by this session now. */
static void by(int session)
{
    for (size_t i = 0; i < messages_count; i++)
        conversation_feed(&of[session], messages[i].from, messages[i].bytes, messages[i].count,
                          now_ns += 10);
    messages_count = 0;
    assert_null(of[session].unreadable);
}

FIXTURE(set_up)
{
    traffic_init(&traffic);
    now_ns = 1000;
    xid = 0;
    messages_count = 0;
    for (int i = 1; i < SESSIONS; i++) {
        conversation_init(&of[i], &traffic_listener, &traffic);
        messages_open(i);
        by(i);
    }
    return 0;
}

FIXTURE(tear_down)
{
    for (int i = 1; i < SESSIONS; i++)
        conversation_deinit(&of[i]);
    traffic_deinit(&traffic);
    return 0;
}

#define OBSERVER_TEST(name) TEST_BETWEEN(name, set_up, tear_down)

/* ------------------------------------------------------------------ what sessions say */

/* Requests and their replies. */
static void create(int session, const char *path, int flags, const char *made, int error)
{
    messages_say(CLIENT, "iissai", ++xid, 1, path, "me", flags);
    if (error == 0)
        messages_say(SERVER, "ilis", xid, xid, 0, made);
    else
        messages_say(SERVER, "ili", xid, xid, error);
    by(session);
}

static void exists(int session, const char *path, int watch, int error)
{
    messages_say(CLIENT, "iisf", ++xid, 3, path, watch);
    messages_say(SERVER, error == 0 ? "iliS" : "ili", xid, xid, error);
    by(session);
}

static void list(int session, const char *path, int watch)
{
    messages_say(CLIENT, "iisf", ++xid, 8, path, watch);
    messages_say(SERVER, "iliiss", xid, xid, 0, 2, "a", "b");
    by(session);
}

static int ask_delete(int session, const char *path)
{
    messages_say(CLIENT, "iisi", ++xid, 2, path, -1);
    by(session);
    return xid;
}

static void answer(int session, int its_xid, int zxid, int error)
{
    messages_say(SERVER, "ili", its_xid, zxid, error);
    by(session);
}

static void notify(int session, int zxid, int event, const char *path)
{
    messages_say(SERVER, "iliiis", -1, zxid, 0, event, 3, path);
    by(session);
}

static void finish(void)
{
    watches_end(&traffic.watches);
}

static const struct watches_figures *figures(size_t index)
{
    return &((struct armed_kind *)traffic.watches.armed.kinds.list[index])->figures;
}

static void assert_figures(size_t index, uint64_t set, uint64_t again, uint64_t fired,
                           uint64_t left, uint64_t armed)
{
    assert_int_equal(figures(index)->set, set);
    assert_int_equal(figures(index)->again, again);
    assert_int_equal(figures(index)->fired, fired);
    assert_int_equal(figures(index)->left, left);
    assert_int_equal(figures(index)->armed, armed);
}

/* ------------------------------------------------------------------ a herd */

/* Session 1 holds /f; 2 to 4 wait for it, and are all notified. */
static void hold_and_wait(void)
{
    create(1, "/f", 1, "/f", 0);
    for (int i = 2; i < SESSIONS; i++) {
        create(i, "/f", 1, NULL, -110);
        exists(i, "/f", 1, 0);
    }
}

static void assert_herd(void)
{
    finish();
    const struct watches_write *write = &traffic.watches.costliest[0];
    assert_int_equal(write->opcode, OPCODE_DELETE);
    assert_string_equal(write->pattern, "/f");
    assert_int_equal(write->session, 1);
    assert_int_equal(write->notified, 3);
    assert_int_equal(write->followed, 5); /* 3 creates, 2 exists */
    assert_int_equal(write->got, 1);
    assert_int_equal(write->armed_again, 2);
    assert_int_equal(traffic.watches.unattributed, 0);
    assert_int_equal(traffic.watches.costliest[1].uses, 0);
    assert_figures(0, 5, 0, 3, 0, 2);
}

static void assert_cause(size_t index, int session, uint64_t notified)
{
    assert_int_equal(traffic.watches.costliest[index].session, session);
    assert_int_equal(traffic.watches.costliest[index].notified, notified);
}

static void scramble(void)
{
    create(3, "/f", 1, "/f", 0);
    for (int i = 2; i < SESSIONS; i += 2) {
        create(i, "/f", 1, NULL, -110);
        exists(i, "/f", 1, 0);
    }
}

/* Notifications may come before the reply, too. */
OBSERVER_TEST(a_herd_is_the_releases)
{
    for (int reply_is_first = 0; reply_is_first < 2; reply_is_first++) {
        tear_down(state);
        set_up(state);
        hold_and_wait();
        int released = ask_delete(1, "/f");
        if (reply_is_first)
            answer(1, released, released, 0);
        for (int i = 2; i < SESSIONS; i++)
            notify(i, -1, 2, "/f");
        scramble();
        if (!reply_is_first)
            answer(1, released, released, 0);
        assert_herd();
    }
}

OBSERVER_TEST(the_end_of_a_session_is_a_cause)
{
    hold_and_wait();
    messages_say(CLIENT, "ii", ++xid, -11);
    messages_say(SERVER, "ili", xid, xid, 0);
    by(1);
    for (int i = 2; i < SESSIONS; i++)
        notify(i, -1, 2, "/f");
    finish();
    assert_int_equal(traffic.watches.costliest[0].opcode, OPCODE_CLOSE);
    assert_cause(0, 1, 3);
    assert_string_equal(traffic.watches.costliest[0].pattern, "/f");
}

OBSERVER_TEST(a_write_that_failed_notifies_nobody)
{
    create(1, "/f", 1, "/f", 0);
    exists(2, "/f", 1, 0);
    int failed = ask_delete(3, "/f"), done = ask_delete(1, "/f");
    answer(3, failed, failed, -103);
    notify(2, -1, 2, "/f");
    answer(1, done, done, 0);
    finish();
    assert_cause(0, 1, 1);
}

/* Sessions number their requests apart from each other. */
OBSERVER_TEST(a_reply_is_to_the_write_of_its_session)
{
    create(1, "/f", 1, "/f", 0);
    exists(2, "/f", 1, 0);
    ask_delete(3, "/f");
    xid--;
    answer(1, ask_delete(1, "/f"), 77, 0);
    notify(2, 77, 2, "/f");
    finish();
    assert_int_equal(traffic.watches.costliest[0].session, 1);
}

OBSERVER_TEST(a_transaction_decides_between_two_writes)
{
    list(2, "/", 1);
    create(1, "/a", 0, "/a", 0); /* its zxid is its number */
    int first = xid;
    create(3, "/b", 0, "/b", 0);
    notify(2, first + 1, 4, "/");
    finish();
    assert_int_equal(traffic.watches.costliest[0].session, 3);
}

OBSERVER_TEST(without_one_the_first_after_the_watch_decides)
{
    create(4, "/z", 0, "/z", 0);
    list(2, "/", 1);
    create(1, "/a", 0, "/a", 0);
    create(3, "/b", 0, "/b", 0);
    notify(2, -1, 4, "/");
    notify(4, -1, 4, "/elsewhere");
    finish();
    assert_int_equal(traffic.watches.costliest[0].session, 1);
    assert_int_equal(traffic.watches.unattributed, 1);
}

static int ask_create(int session, int opcode, const char *path, int flags)
{
    messages_say(CLIENT, opcode == 21 ? "iissail" : "iissai", ++xid, opcode, path, "me", flags, 1);
    by(session);
    return xid;
}

static void add_watch(int session, const char *path, int mode)
{
    messages_say(CLIENT, "iisi", ++xid, 106, path, mode);
    messages_say(SERVER, "ilii", xid, xid, 0, 0);
    by(session);
}

OBSERVER_TEST(a_new_configuration_is_a_cause)
{
    messages_say(CLIENT, "iisssl", ++xid, 16, "", "", "", -1);
    by(1);
    notify(2, -1, 3, "/zookeeper/config");
    messages_say(SERVER, "ilisS", xid, xid, 0, "x");
    by(1);
    finish();
    assert_cause(0, 1, 1);
}

/* The server takes the second first, and notifies before it replies: the path and the transaction
 * tell then. An ephemeral create, a create2 and one with a TTL. */
OBSERVER_TEST(creates_with_numbers_are_causes)
{
    static const int opcodes[] = {1, 15, 21}, flags[] = {3, 2, 6};
    for (int i = 0; i < 3; i++) {
        tear_down(state);
        set_up(state);
        add_watch(3, "/l", 1);
        list(4, "/l", 1);
        int first = ask_create(1, opcodes[i], "/l/n-", flags[i]),
            second = ask_create(2, opcodes[i], "/l/n-", flags[i]);
        notify(3, -1, 1, "/l/n-0000000000");
        notify(4, -1, 4, "/l");
        notify(3, -1, 1, "/l/n-0000000001");
        notify(3, -1, 1, "/l/n-0000000009"); /* of a client elsewhere */
        messages_say(SERVER, i == 0 ? "ilis" : "ilisS", first, 31, 0, "/l/n-0000000001");
        by(1);
        messages_say(SERVER, i == 0 ? "ilis" : "ilisS", second, 30, 0, "/l/n-0000000000");
        by(2);
        finish();
        assert_cause(0, 2, 2);
        assert_cause(1, 1, 1);
        assert_int_equal(traffic.watches.unattributed, 1);
    }
}

/* Two of its parts notify a watch that stays; the next write is another's. */
OBSERVER_TEST(each_part_of_a_transaction_notifies)
{
    add_watch(1, "/x", 1);
    add_watch(3, "/l", 0);
    messages_say(CLIENT, "iiifissaiifissaiifi", ++xid, 14, 1, 0, -1, "/l/n-", "", 3, 1, 0, -1,
                 "/l/n-", "", 2, -1, 1, -1);
    by(1);
    int other = ask_create(2, 1, "/l/x", 1);
    for (int i = 0; i < 3; i++)
        notify(3, -1, 4, "/l");
    messages_say(SERVER, "ilis", other, 31, 0, "/l/x");
    by(2);
    messages_say(SERVER, "iliifisifisifi", other - 1, 30, 0, 1, 0, 0, "/l/n-0000000000", 1, 0, 0,
                 "/l/n-0000000001", -1, 1, -1);
    by(1);
    notify(4, -1, 2, "/l/n-0000000000"); /* without a cause until the session is closed */
    messages_say(CLIENT, "ii", ++xid, -11);
    by(1);
    notify(4, -1, 2, "/l/n-0000000000");
    traffic_end(&traffic, &of[1]); /* before the reply */
    finish();
    assert_cause(0, 1, 2);
    assert_int_equal(traffic.watches.costliest[0].opcode, OPCODE_MULTI);
    assert_int_equal(traffic.watches.unattributed, 1);
    assert_cause(1, 2, 1);
    assert_cause(2, 1, 1);
    assert_int_equal(traffic.watches.costliest[2].opcode, OPCODE_CLOSE);
    assert_int_equal(traffic.watches.armed.unsent, ARMED_UNBOUNDED);
}

/* Neither by a write that was asked for later, nor, if the transaction is known, by one whose
 * reply is lost while another's is that of the transaction. */
OBSERVER_TEST(a_write_whose_reply_is_lost_is_a_cause)
{
    static const struct {
        int zxid;    /* of the notification */
        bool before; /* the second is asked for before the notification */
        int cause;
    } cases[] = {{-1, false, 1}, {29, true, 1}, {31, true, 4}, {31, false, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tear_down(state);
        set_up(state);
        exists(2, "/f", 1, 0);
        ask_delete(1, "/f");
        int other = cases[i].before ? ask_delete(4, "/f") : 0;
        notify(2, cases[i].zxid, 2, "/f");
        other = other > 0 ? other : ask_delete(4, "/f");
        answer(4, other, 31, 0);
        notify(3, 0, 9, "/f"); /* of no event that is known, nor is a path */
        notify(3, 0, 1, "f1");
        notify(3, 0, 2, "");
        traffic_end(&traffic, &of[1]);
        finish();
        assert_cause(0, cases[i].cause, 1);
        assert_int_equal(traffic.watches.unattributed, 3);
    }
}

/* A session does not delete at its end what another one has deleted. */
OBSERVER_TEST(an_ephemeral_is_deleted_once)
{
    create(1, "/f", 1, "/f", 0);
    ask_delete(3, "/f");
    answer(3, xid, xid, 0);
    create(4, "/f", 0, "/f", 0);
    exists(2, "/f", 1, 0);
    messages_say(CLIENT, "ii", ++xid, -11);
    messages_say(SERVER, "ili", xid, 30, 0);
    by(1);
    answer(4, ask_delete(4, "/f"), 31, 0);
    notify(2, -1, 2, "/f");
    finish();
    assert_cause(0, 4, 1);
}

/* ------------------------------------------------------------------ watches */

OBSERVER_TEST(watches_are_set_once_and_left)
{
    exists(1, "/a", 1, -101); /* waits for a znode that is not there */
    exists(1, "/a", 1, -101);
    exists(1, "/a", 0, 0);
    exists(2, "/b", 1, -102); /* refused: none is set */
    list(1, "/a", 1);
    add_watch(1, "/c", 1);
    notify(1, -1, 1, "/c/d/e");
    notify(1, -1, 2, "/a"); /* fires both watches of /a */
    list(1, "/a", 1);
    messages_say(CLIENT, "iisi", ++xid, 18, "/a", 3); /* removeWatches of any kind */
    messages_say(SERVER, "ili", xid, xid, 0);
    by(1);
    list(1, "/a", 1);
    messages_say(CLIENT, "ii", ++xid, -11);
    by(1);
    list(2, "/a", 1);
    finish();
    assert_figures(0, 1, 1, 1, 0, 0); /* data of /a */
    assert_figures(1, 4, 0, 1, 1, 1); /* children of /a: fired, removed, left, armed */
    assert_int_equal(figures(1)->removed, 1);
    assert_int_equal(traffic.watches.armed.both, 1);
    assert_figures(2, 1, 0, 1, 1, 0); /* those that stay */
    assert_int_equal(traffic.watches.armed.kinds.count, 3);
}

/* Each notification is of the next write, and servers count each deletion in both tables. */
OBSERVER_TEST(a_watch_that_stays_has_a_cause_each_time)
{
    add_watch(1, "/c", 1);
    for (int i = 2; i < 4; i++) {
        create(i, "/c/d", 0, "/c/d", 0);
        notify(1, -1, 1, "/c/d");
        int deleted = ask_delete(i, "/c/d");
        notify(1, -1, 2, "/c/d");
        answer(i, deleted, deleted, 0);
    }
    finish();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(traffic.watches.costliest[i].notified, 1);
    assert_int_equal(traffic.watches.armed.both, 2);
    assert_int_equal(traffic.watches.unattributed, 0);
    assert_figures(0, 1, 0, 4, 0, 1);
}

static void remove_watches(int session, int type)
{
    messages_say(CLIENT, "iisi", ++xid, 18, "/r", type);
    messages_say(SERVER, "ili", xid, xid, 0);
    by(session);
}

/* A letter sets a watch on /r: of data, of children, one that persists, a recursive one; X removes
 * that of data, Y that of children, Z those that stay; s: its data change. */
OBSERVER_TEST(a_deletion_is_counted_for_each_table_of_the_server)
{
    static const struct {
        const char *does, *deleted;
        int both, from_3_9;
    } cases[] = {
        {"d", "/r", 0, 0},   {"dc", "/r", 1, 1},  {"p", "/r", 1, 1},    {"p", "/r/x", 0, 0},
        {"r", "/r/x", 1, 0}, {"rd", "/r", 1, 0},  {"rd", "/r/x", 0, 0}, {"rc", "/r", 1, 1},
        {"pds", "/r", 0, 1}, {"dps", "/r", 1, 1}, {"pr", "/r/x", 1, 0}, {"rp", "/r/x", 0, 0},
        {"pX", "/r", 0, 1},  {"dcX", "/r", 0, 0}, {"pXY", "/r", 0, 0},  {"rdcZ", "/r", 1, 1}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const int from_3_9 = i % 2, expected = from_3_9 ? cases[i / 2].from_3_9 : cases[i / 2].both;
        tear_down(state);
        set_up(state);
        for (const char *does = cases[i / 2].does; *does != '\0'; does++) {
            if (*does == 'd')
                exists(1, "/r", 1, 0);
            else if (*does == 'c')
                list(1, "/r", 1);
            else if (*does == 's')
                notify(1, from_3_9 ? 50 : -1, 3, "/r");
            else if (*does == 'X' || *does == 'Y')
                remove_watches(1, *does == 'X' ? 2 : 1);
            else if (*does == 'Z')
                remove_watches(1, 5);
            else
                add_watch(1, "/r", *does == 'r');
        }
        notify(1, from_3_9 ? 60 : -1, 2, cases[i / 2].deleted);
        if (traffic.watches.armed.both != (uint64_t)expected)
            fail_msg("%s of %s, %d", cases[i / 2].does, cases[i / 2].deleted, from_3_9);
    }
}

static void reconnect(int session)
{
    traffic_end(&traffic, &of[session]);
    conversation_deinit(&of[session]);
    conversation_init(&of[session], &traffic_listener, &traffic);
    messages_say(CLIENT, "ililsf", 0, 5, 30000, session, "0123456789abcdef", 0);
    messages_say(SERVER, "iilsf", 0, 30000, session, "0123456789abcdef", 0);
    by(session);
}

/* What setWatches finds to have fired is not counted by the server, not even twice. */
OBSERVER_TEST(a_server_forgets_the_watches_of_a_connection)
{
    exists(1, "/a", 1, 0);
    list(1, "/b", 1);
    add_watch(1, "/r", 0);
    remove_watches(1, 3);
    messages_say(CLIENT, "ii", ++xid, -11);
    by(1);
    reconnect(1);
    assert_int_equal(traffic.watches.armed.unsent, 2);
    list(1, "/a", 1);
    notify(1, -1, 2, "/a");
    assert_int_equal(traffic.watches.armed.both, 0);
    list(1, "/b", 1);
    reconnect(1);
    assert_int_equal(traffic.watches.armed.unsent, 3);
    messages_say(CLIENT, "iiliisissisis", -8, 105, 5, 0, 1, "/a", 2, "/a", "/b", 1, "/d", 1, "/b");
    by(1);
    notify(1, -1, 2, "/a");
    answer(1, -8, 9, 0);
    notify(1, -1, 2, "/b/c");
    notify(1, -1, 2, "/d/e");
    finish();
    assert_int_equal(traffic.watches.armed.uncounted, 1);
    assert_int_equal(traffic.watches.armed.both, 1);
    assert_figures(0, 2, 0, 1, 1, 0); /* data of /a */
    assert_figures(1, 3, 0, 0, 2, 1); /* children of /b */
    assert_figures(3, 2, 0, 2, 0, 0); /* children of /a */
    assert_figures(4, 1, 0, 0, 0, 1); /* that persists on /d */
    assert_figures(5, 1, 0, 1, 0, 1); /* all below /b */
}

/* What follows a notification ends with the next watch, though a reply of it is lost; requests of
 * the library itself do not follow. */
OBSERVER_TEST(a_lost_reply_does_not_follow_for_ever)
{
    exists(2, "/f", 1, 0);
    int deleted = ask_delete(1, "/f");
    notify(2, -1, 2, "/f");
    answer(1, deleted, deleted, 0);
    messages_say(CLIENT, "iisf", ++xid, 3, "/f", 1);
    by(2);
    reconnect(2);
    messages_say(CLIENT, "iiiss", -4, 100, 0, "digest", "me:too");
    messages_say(SERVER, "ili", -4, 0, 0);
    exists(2, "/f", 1, 0);
    exists(2, "/g", 0, 0);
    finish();
    assert_int_equal(traffic.watches.costliest[0].followed, 2);
    assert_int_equal(traffic.watches.costliest[0].armed_again, 1);
}

/* ------------------------------------------------------------------ queues */

static bool holds(int session)
{
    return locks_holds(traffic.watches.locks, session);
}

/* It only sets its watch again, as the next in the queue does. */
OBSERVER_TEST(who_holds_a_lock_has_got_something)
{
    for (int i = 1; i < 4; i++) {
        char made[32];
        snprintf(made, sizeof made, "/l/n-%010d", i);
        create(i, "/l/n-", 3, made, 0);
    }
    list(2, "/l", 1);
    list(3, "/l", 1);
    assert_true(holds(1));
    int released = ask_delete(1, "/l/n-0000000001");
    answer(1, released, released, 0);
    assert_true(holds(2));
    for (int i = 2; i < 4; i++) {
        notify(i, -1, 4, "/l");
        list(i, "/l", 1);
    }
    finish();
    assert_int_equal(traffic.watches.costliest[0].notified, 2);
    assert_int_equal(traffic.watches.costliest[0].got, 1);
    assert_int_equal(traffic.watches.costliest[0].armed_again, 1);
}

/* Nobody asks for the end of a session that has expired. */
OBSERVER_TEST(a_deletion_that_was_not_asked_for_ends_a_place)
{
    create(1, "/l/n-", 3, "/l/n-0000000000", 0);
    create(2, "/l/n-", 3, "/l/n-0000000001", 0);
    exists(2, "/l/n-0000000000", 1, 0);
    notify(2, -1, 2, "/l/n-0000000000");
    assert_true(holds(2) && !holds(1));
    finish();
}

/* The release of a ticket lock: a transaction that changes one znode and deletes another. */
OBSERVER_TEST(a_release_may_be_a_part_of_a_transaction)
{
    create(1, "/l/t-", 3, "/l/t-0000000000", 0);
    create(2, "/l/t-", 3, "/l/t-0000000001", 0);
    messages_say(CLIENT, "iiifissiifisiifi", ++xid, 14, 5, 0, -1, "/turn", "z", 0, 2, 0, -1,
                 "/l/t-0000000000", -1, -1, 1, -1);
    messages_say(SERVER, "iliifiSifiifi", xid, xid, 0, 5, 0, 0, 2, 0, 0, -1, 1, -1);
    by(1);
    assert_true(holds(2) && !holds(1));
    finish();
}

/* A part of a transaction that fails creates nothing. */
OBSERVER_TEST(a_transaction_that_failed_makes_no_place)
{
    create(1, "/l/t-", 3, "/l/t-0000000000", 0);
    messages_say(CLIENT, "iiifisnaiifisiifi", ++xid, 14, 1, 0, -1, "/l/t-", 3, 13, 0, -1, "/none",
                 0, -1, 1, -1);
    messages_say(SERVER, "iliifiiifiiifi", xid, xid, 0, -1, 0, 0, 0, -1, 0, -101, -101, -1, 1, -1);
    by(2);
    assert_true(holds(1));
    assert_int_equal(traffic.operations[OPCODE_MULTI].failed, 1);
    assert_int_equal(traffic.error_count, 1);
    assert_int_equal(traffic.errors[0].error, -101);
    ask_delete(1, "/l/t-0000000000");
    assert_true(!holds(1) && !holds(2));
    finish();
}

/* It fails once, with the errors of two parts. */
OBSERVER_TEST(each_part_of_a_multi_read_may_fail)
{
    messages_say(CLIENT, "iiifisfifisfifisfifi", ++xid, 22, 4, 0, -1, "/a", 0, 4, 0, -1, "/b", 0, 8,
                 0, -1, "/c", 0, -1, 1, -1);
    messages_say(SERVER, "iliifiiifisSifiiifi", xid, xid, 0, -1, 0, -101, -101, 4, 0, 0, "x", -1, 0,
                 -102, -102, -1, 1, -1);
    by(1);
    assert_int_equal(traffic.operations[OPCODE_MULTI_READ].failed, 1);
    assert_int_equal(traffic.error_count, 2);
    assert_int_equal(traffic.errors[1].error, -102);
    assert_int_equal(traffic.errors[1].count, 1);
}

/* ------------------------------------------------------------------ clients */

static const char *library(int session)
{
    return traffic.each[session - 1]->library;
}

OBSERVER_TEST(what_sessions_and_seconds_sum_up_to)
{
    assert_int_equal(traffic.each_count, 4);
    assert_null(library(1));
    xid = 1795722374; /* the time of day */
    exists(1, "/a", 0, -101);
    create(1, "/a/_c_b", 1, "/a/_c_b", 0); /* a mark of Curator's after all */
    xid = 0;
    create(2, "/l/_c_0f9a2b3c000041118222012345678abc-lock-", 3, "/l/_c_0f-lock-0000000000", 0);
    create(3, "/l/0f9a2b3c000041118222012345678abc__lock__", 3, "/l/0f__lock__0000000000", 0);
    xid = 20000000;
    exists(4, "/a", 0, 0);
    notify(4, -1, 2, "/a");
    assert_string_equal(library(1), "Curator");
    assert_string_equal(library(2), "Java or another");
    assert_string_equal(library(3), "kazoo");
    assert_string_equal(library(4), "C");
    uint64_t begun_ns = traffic.begun_ns;
    now_ns = begun_ns + 2999999900;
    messages_say(CLIENT, "ii", -2, 11); /* a ping, in the second before the third */
    by(2);
    now_ns += 1000;
    messages_say(SERVER, "ili", -2, 20, 0);
    by(2);
    const struct traffic_sums *first = &traffic.each[0]->sums, *seconds = traffic.seconds;
    assert_int_equal(first->requests, 2);
    assert_int_equal(first->failed, 1);
    assert_int_equal(first->notifications, 0);
    assert_int_equal(traffic.each[3]->sums.notifications, 1);
    assert_int_equal(traffic.second_count, 4);
    assert_int_equal(seconds[0].requests, 5);
    assert_int_equal(seconds[1].sent_bytes, 0);
    assert_int_equal(seconds[2].sent_bytes, 12);
    assert_int_equal(seconds[2].requests, 0);
    assert_int_equal(seconds[3].received_bytes, 20);
    struct traffic_sums by_session = {0}, by_second = {0};
    for (size_t i = 0; i < 4; i++) {
        by_session.sent_bytes += traffic.each[i]->sums.sent_bytes;
        by_second.sent_bytes += seconds[i].sent_bytes;
        by_session.received_bytes += traffic.each[i]->sums.received_bytes;
        by_second.received_bytes += seconds[i].received_bytes;
    }
    assert_int_equal(by_session.sent_bytes, by_second.sent_bytes);
    assert_int_equal(by_session.received_bytes, by_second.received_bytes);
    assert_int_equal(traffic.each[0]->connections, 1);
}

// SPDX-License-Identifier: Apache-2.0
/* Which write fired which notification: in whatever order the writer's reply and the notifications
 * come, each notification is counted once, and never for another write. */

#include "load/load_result.h"

#include "tests/support/test.h"

#define WATCHERS 5
#define WRITER   5
#define SESSIONS 6

static struct load_plan plan;
static struct load_result *result;
static struct load_shared *load; /* the result's */
static struct fan_out *fan_out;
static struct fan_out_counts *found; /* by the first worker */

static void lay_out(uint32_t sessions, uint32_t workers, uint32_t znodes)
{
    struct error error;
    plan = (struct load_plan){.fleet = {.sessions = sessions, .processes = workers},
                              .znodes = znodes,
                              .watch_percent = 100,
                              .root = "/r"};
    assert_int_equal(load_result_new(&plan, &result, &error), ERROR_NONE);
    load = result->load;
    fan_out = load->fan_out;
    found = &load->fan_outs[0];
}

/* Two znodes that all sessions share, in one worker. */
FIXTURE(set_up)
{
    lay_out(SESSIONS, 1, 2);
    return 0;
}

FIXTURE(tear_down)
{
    load_result_free(result);
    return 0;
}

static void assert_counted(uint64_t timed, uint64_t untimed)
{
    assert_int_equal(found->timed, timed);
    assert_int_equal(found->untimed, untimed);
}

static void settle_all(void)
{
    for (uint32_t session = 0; session < plan.fleet.sessions; session++)
        fan_out_end(fan_out, session);
    fan_out_close(fan_out, found);
}

static void watch_all(uint32_t znode, int32_t version)
{
    for (uint32_t session = 0; session < WATCHERS; session++)
        fan_out_watch(fan_out, session, znode, version);
}

/* Session 0 at from_ns, the others a nanosecond later each. */
static void notify_all(uint32_t znode, uint64_t from_ns)
{
    for (uint32_t session = 0; session < WATCHERS; session++)
        fan_out_notify(fan_out, session, znode, from_ns + session);
}

/* ------------------------------------------------------------------ what is timed */

/* Whichever comes first. Sent at 1000, and the last of five is notified at 1104. */
TEST_BETWEEN(a_write_has_the_times_of_its_notifications, set_up, tear_down)
{
    for (int reply_is_first = 0; reply_is_first < 2; reply_is_first++) {
        tear_down(NULL);
        set_up(NULL);
        watch_all(1, 0);
        if (reply_is_first)
            fan_out_publish(fan_out, WRITER, 1, 1, 1000, true);
        notify_all(1, 1100);
        assert_counted(reply_is_first ? WATCHERS : 0, 0);
        if (!reply_is_first)
            fan_out_publish(fan_out, WRITER, 1, 1, 1000, true);
        settle_all();
        assert_counted(WATCHERS, 0);
        assert_int_equal(found->writes, 1);
        assert_int_equal(found->most, WATCHERS);
        assert_int_equal(histogram_count(&found->notification), WATCHERS);
        assert_int_equal(found->notification.max_ns, 104);
        assert_int_equal(histogram_percentile_ns(&found->notification, 0), 100);
        assert_int_equal(found->first.max_ns, 100);
        assert_int_equal(found->last.max_ns, 104);
    }
}

/* Of two writers' replies the later write's comes first, and some notifications last. */
TEST_BETWEEN(replies_come_out_of_order, set_up, tear_down)
{
    fan_out_watch(fan_out, 0, 0, 0);
    fan_out_watch(fan_out, 1, 0, 0);
    fan_out_notify(fan_out, 0, 0, 1010);
    fan_out_watch(fan_out, 0, 0, 1);
    fan_out_publish(fan_out, WRITER, 0, 2, 2000, true);
    fan_out_notify(fan_out, 0, 0, 2030);
    assert_counted(1, 0);
    fan_out_publish(fan_out, WRITER, 0, 1, 1000, true);
    fan_out_notify(fan_out, 1, 0, 1020);
    settle_all();
    assert_counted(3, 0);
    assert_int_equal(found->writes, 2);
    assert_int_equal(found->most, 2);
    assert_int_equal(histogram_percentile_ns(&found->first, 0), 10);
    assert_int_equal(found->first.max_ns, 30);
    assert_int_equal(histogram_percentile_ns(&found->last, 0), 20);
    assert_int_equal(found->last.max_ns, 30);
}

/* Of its own znode alone; all in the one place that a session has for it. */
TEST_BETWEEN(sessions_watch_their_own_znodes, set_up, tear_down)
{
    tear_down(NULL);
    lay_out(3, 2, 0);
    for (uint32_t session = 0; session < 3; session++) {
        fan_out_watch(fan_out, session, session, 6 + (int32_t)session);
        fan_out_notify(fan_out, session, session, 120);
        fan_out_publish(fan_out, session, session, 7 + (int32_t)session, 100, true);
    }
    settle_all();
    assert_int_equal(found->timed, 2);
    assert_int_equal(load->fan_outs[1].timed, 1);
    assert_int_equal(found->untimed + load->fan_outs[1].untimed, 0);
    assert_int_equal(found->writes + load->fan_outs[1].writes, 3);
    assert_int_equal(found->most, 1);
}

/* ------------------------------------------------------------------ what is not */

/* A multi's write, and one whose reply was lost. */
TEST_BETWEEN(a_write_that_is_never_published_times_nothing, set_up, tear_down)
{
    watch_all(0, 0);
    notify_all(0, 1100);
    fan_out_publish(fan_out, WRITER, 0, 2, 1000, true);
    fan_out_retry(fan_out, 0);
    assert_counted(0, 0);
    settle_all();
    assert_counted(0, WATCHERS);
    assert_int_equal(found->writes, 0);
}

/* What came before stays with it, what comes after is untimed; the later write has neither. */
TEST_BETWEEN(a_write_is_overwritten, set_up, tear_down)
{
    int32_t later = 1 + (int32_t)fan_out->ring;
    watch_all(0, 0);
    fan_out_publish(fan_out, WRITER, 0, 1, 1000, true);
    fan_out_notify(fan_out, 0, 0, 1100);
    fan_out_notify(fan_out, 1, 0, 1200);
    fan_out_publish(fan_out, WRITER, 0, later, 5000, true);
    assert_int_equal(found->last.max_ns, 200);
    fan_out_notify(fan_out, 2, 0, 6000);
    assert_counted(2, 1);
    fan_out_watch(fan_out, 2, 0, later - 1);
    fan_out_notify(fan_out, 2, 0, 5050);
    settle_all();
    assert_counted(3, 1);
    assert_int_equal(found->writes, 2);
    assert_int_equal(found->most, 2);
    assert_int_equal(found->notification.max_ns, 200);
}

/* A reply so late that a later write has its place. */
TEST_BETWEEN(a_write_that_is_overtaken_is_not_published, set_up, tear_down)
{
    int32_t later = 1 + (int32_t)fan_out->ring;
    fan_out_publish(fan_out, WRITER, 0, later, 5000, true);
    fan_out_watch(fan_out, 0, 0, later - 1);
    fan_out_notify(fan_out, 0, 0, 5040);
    fan_out_publish(fan_out, WRITER, 0, 1, 1000, true);
    fan_out_watch(fan_out, 1, 0, later - 1);
    fan_out_notify(fan_out, 1, 0, 5050);
    settle_all();
    assert_counted(2, 0);
    assert_int_equal(found->writes, 1);
    assert_int_equal(found->last.max_ns, 50);
}

/* The oldest make room: they are untimed, though their writes are published at last. */
TEST_BETWEEN(more_wait_than_there_is_room, set_up, tear_down)
{
    for (int32_t version = 0; version < FAN_OUT_WAITING_MAX + 3; version++) {
        fan_out_watch(fan_out, 0, 0, version);
        fan_out_notify(fan_out, 0, 0, 1000 + (uint64_t)version);
    }
    assert_counted(0, 3);
    for (int32_t version = 0; version < FAN_OUT_WAITING_MAX + 3; version++)
        fan_out_publish(fan_out, WRITER, 0, version + 1, 900 + (uint64_t)version, true);
    settle_all();
    assert_counted(FAN_OUT_WAITING_MAX, 3);
    assert_int_equal(found->writes, FAN_OUT_WAITING_MAX);
    assert_int_equal(found->notification.max_ns, 100);
    assert_int_equal(histogram_percentile_ns(&found->notification, 0), 100);
}

TEST_BETWEEN(after_a_lost_connection_the_version_is_unknown, set_up, tear_down)
{
    watch_all(0, 0);
    watch_all(1, 0);
    fan_out_forget(fan_out, 0);
    fan_out_publish(fan_out, WRITER, 0, 1, 1000, true);
    fan_out_publish(fan_out, WRITER, 1, 1, 1000, true);
    notify_all(0, 1100);
    notify_all(1, 1100);
    assert_counted(2 * (WATCHERS - 1), 2);
    fan_out_watch(fan_out, 0, 1, 0);
    fan_out_notify(fan_out, 0, 1, 1150);
    assert_counted(2 * (WATCHERS - 1) + 1, 2);
}

/* ------------------------------------------------------------------ replies before notifications
 */

/* The library's synchronous calls hand over replies that show later versions before the
 * notifications. */
TEST_BETWEEN(notifications_come_behind_later_reads, set_up, tear_down)
{
    for (int32_t version = 1; version <= 5; version++)
        fan_out_publish(fan_out, WRITER, 0, version, 1000 * (uint64_t)version, true);
    fan_out_watch(fan_out, 0, 0, 0);
    fan_out_watch(fan_out, 0, 0, 0);
    fan_out_watch(fan_out, 0, 0, 2);
    fan_out_watch(fan_out, 0, 0, 4);
    fan_out_watch(fan_out, 0, 1, 0);
    fan_out_publish(fan_out, WRITER, 1, 1, 50, true);
    fan_out_notify(fan_out, 0, 1, 200);
    fan_out_notify(fan_out, 0, 0, 1100);
    fan_out_notify(fan_out, 0, 0, 3200);
    fan_out_notify(fan_out, 0, 0, 5300);
    fan_out_notify(fan_out, 0, 0, 9000);
    settle_all();
    assert_counted(4, 1);
    assert_int_equal(found->writes, 4);
    assert_int_equal(histogram_percentile_ns(&found->notification, 0), 100);
    assert_int_equal(histogram_percentile_ns(&found->notification, 50), 150);
    assert_int_equal(found->notification.max_ns, 300);
}

/* None of what is expected may be given up: the next notification would pass for a later one. What
 * comes then makes no room for what is read later: a notification between them is unknown. */
TEST_BETWEEN(a_track_that_was_lost_stays_lost, set_up, tear_down)
{
    int32_t all = FAN_OUT_WAITING_MAX + 2;
    for (int32_t version = 0; version < all; version++)
        fan_out_watch(fan_out, 0, 0, version);
    fan_out_notify(fan_out, 0, 0, 1100);
    fan_out_watch(fan_out, 0, 0, all);
    for (int32_t i = 1; i < all - 1; i++)
        fan_out_notify(fan_out, 0, 0, 1100);
    for (int32_t version = 1; version < all; version++)
        fan_out_publish(fan_out, WRITER, 0, version, 1000, true);
    settle_all();
    assert_counted(FAN_OUT_WAITING_MAX, 1);
}

/* Its notification was lost with the connection: the next one is of a write that nobody knows. */
TEST_BETWEEN(a_session_that_has_lost_its_connection_expects_nothing, set_up, tear_down)
{
    fan_out_watch(fan_out, 0, 0, 1);
    fan_out_watch(fan_out, 0, 0, 2); /* the watch before has fired */
    fan_out_publish(fan_out, WRITER, 0, 2, 1000, true);
    fan_out_forget(fan_out, 0);
    fan_out_notify(fan_out, 0, 0, 5000);
    assert_counted(0, 1);
}

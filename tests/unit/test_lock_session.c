// SPDX-License-Identifier: Apache-2.0
/* A lock session and a client that is not there: what it counts, and when its session dies. */

#include "base/clock.h"
#include "recipes/registry.h"
#include "trial/lock_session.h"

#include "tests/support/test.h"

static struct trial_plan plan;
static struct trial_memory *memory;
static struct lock_session session;
static uint64_t time_ns;

static uint64_t now_ns(const struct client *client)
{
    (void)client;
    return time_ns;
}

static void submit(struct client *client, const struct request *request)
{
    (void)client;
    (void)request;
}

static bool no_bytes(const struct client *client, struct client_bytes *bytes)
{
    (void)client;
    (void)bytes;
    return false;
}

static bool crash(struct client *client)
{
    (void)client;
    return true;
}

static size_t unread(const struct client *client)
{
    (void)client;
    return 0;
}

static uint32_t timeout_ms(const struct client *client)
{
    (void)client;
    return 4000;
}

static void server(const struct client *client, char *text, size_t size)
{
    (void)client;
    snprintf(text, size, "somewhere:1");
}

static const struct client_driver driver = {.submit = submit,
                                            .crash = crash,
                                            .now_ns = now_ns,
                                            .bytes = no_bytes,
                                            .unread = unread,
                                            .timeout_ms = timeout_ms,
                                            .server = server};
static struct client client;

FIXTURE(set_up)
{
    struct error error;
    plan = (struct trial_plan){.recipe = registry_find("nonscalable"),
                               .fleet.sessions = 3,
                               .locks = 1,
                               .fleet.processes = 1};
    if (trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    client = (struct client){
        .driver = &driver, .listener = lock_session_ops.listener, .owner = &session};
    session = (struct lock_session){.actor = {.shared = memory->fleet,
                                              .worker = &memory->fleet->workers[0],
                                              .ops = &lock_session_ops,
                                              .client = &client,
                                              .session = 1,
                                              .established = true}};
    lock_session_ops.init(&session, memory, 1);
    session.contender.client = &client;
    session.state = SESSION_IDLE;
    time_ns = 1000;
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    return 0;
}

static void order(int order)
{
    lock_session_ops.order(&session, order);
}

static void answer(enum zk_status status)
{
    client_deliver_reply(&client, &(struct client_reply){.status = status});
}

/* It arrives at a lock that is held, and waits. */
static void park(void)
{
    order(ORDER_GATE);
    atomic_store(&memory->fleet->busy, 1);
    order(LOCK_ORDER_ARRIVE);
    answer(ZK_NODE_EXISTS);
    answer(ZK_OK);
    assert_int_equal(session.state, SESSION_PARKED);
    assert_int_equal(atomic_load(&memory->fleet->busy), 0);
}

/* ------------------------------------------------------------------ reports */

/* On threads the session's own may be closing it yet, and says so in the shared memory first. */
TEST_BETWEEN(test_a_session_that_is_dying_reports_nothing, set_up, tear_down)
{
    park();
    order(ORDER_REPORT);
    assert_true(memory->sessions[1].parked);
    injection_dead(memory, 1, time_ns);
    order(ORDER_REPORT);
    assert_false(memory->sessions[1].parked);
    order(ORDER_READ);
    assert_false(memory->sessions[1].parked);
}

/* ------------------------------------------------------------------ a session that has died */

/* Its recipe paused, or it held, when it died: the alarm cannot be taken back. */
TEST_BETWEEN(test_the_alarm_of_a_dead_session_resumes_nothing, set_up, tear_down)
{
    plan.death = (struct death){.how = DEATH_CRASH};
    park();
    order(LOCK_ORDER_DIE);
    assert_int_equal(session.state, SESSION_DEAD);
    lock_session_ops.alarm(&session, 0);
    assert_int_equal(session.state, SESSION_DEAD);
    assert_false(client.outstanding);
}

/* ------------------------------------------------------------------ a connection that is lost */

TEST_BETWEEN(test_a_loss_is_shared_before_what_follows, set_up, tear_down)
{
    park();
    lock_session_ops.listener->state_changed(&session, CLIENT_CONNECTING);
    assert_int_equal(atomic_load(&memory->fleet->losses), 1);
    lock_session_ops.listener->state_changed(&session,
                                             CLIENT_CONNECTING); /* tried again, in vain */
    assert_int_equal(atomic_load(&memory->fleet->losses), 1);
    order(ORDER_REPORT);
    assert_true(memory->sessions[1].missed);
    lock_session_ops.listener->state_changed(&session, CLIENT_ESTABLISHED);
    assert_int_equal(atomic_load(&memory->fleet->losses), 1);
    assert_int_equal(atomic_load(&memory->fleet->workers[0].reconnects), 1);
    order(ORDER_REPORT);
    assert_true(memory->sessions[1].missed);
    lock_session_ops.listener->state_changed(&session, CLIENT_CONNECTING);
    assert_int_equal(atomic_load(&memory->fleet->losses), 2);
}

TEST_BETWEEN(test_a_loss_before_the_gate_counts_while_it_lasts, set_up, tear_down)
{
    lock_session_ops.listener->state_changed(&session, CLIENT_CONNECTING);
    lock_session_ops.listener->state_changed(&session, CLIENT_ESTABLISHED);
    order(ORDER_GATE);
    assert_int_equal(atomic_load(&memory->fleet->losses), 0);
    tear_down(state);
    set_up(state);
    lock_session_ops.listener->state_changed(&session, CLIENT_CONNECTING);
    assert_int_equal(atomic_load(&memory->fleet->losses), 0);
    order(ORDER_GATE);
    assert_int_equal(atomic_load(&memory->fleet->losses), 1);
}

/* Deleted and made again, a znode has changed: the watch is used up, and the lock may be free. */
TEST_BETWEEN(test_any_event_of_the_znode_ends_the_wait, set_up, tear_down)
{
    static const enum client_event events[] = {EVENT_CREATED, EVENT_DELETED, EVENT_CHANGED};
    const struct tally *total = &memory->workers[0].total;
    park();
    uint64_t requests = tally_rpcs(total);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        lock_session_ops.listener->notified(&session, events[i], session.contender.node);
        assert_int_equal(atomic_load(&memory->fleet->busy), 1);
        answer(ZK_NODE_EXISTS);
        answer(ZK_OK);
        assert_int_equal(session.state, SESSION_PARKED);
    }
    assert_int_equal(tally_rpcs(total), requests + 6);
    assert_int_equal(memory->workers[0].total.of[TALLY_NOTIFICATION_SPURIOUS], 0);
    /* Of its children, or another znode, it was told by another watch. */
    lock_session_ops.listener->notified(&session, EVENT_CHILD, session.contender.node);
    lock_session_ops.listener->notified(&session, EVENT_DELETED, "/another");
    assert_int_equal(session.state, SESSION_PARKED);
    assert_int_equal(total->of[TALLY_NOTIFICATION], 5);
    assert_int_equal(total->of[TALLY_NOTIFICATION_SPURIOUS], 2);
}

/* ------------------------------------------------------------------ ends */

/* Another process's answer may have come later, and been noted sooner. */
TEST_BETWEEN(test_the_last_release_is_the_latest, set_up, tear_down)
{
    atomic_store(&memory->last_released_ns, 5000);
    session.state = SESSION_HOLDING;
    session.nested = 1;
    atomic_store(&memory->locks[0].holder, 2);
    lock_session_ops.alarm(&session, 0);
    time_ns = 3000;
    answer(ZK_OK);
    assert_int_equal(atomic_load(&memory->last_released_ns), 5000);
    assert_int_equal(session.state, SESSION_IDLE);
}

/* The servers count a timeout from the last that they heard of a session, not from its death. */
TEST_BETWEEN(test_a_crashed_holder_holds_for_its_timeout_from_its_last_request, set_up, tear_down)
{
    session.state = SESSION_HOLDING;
    atomic_store(&memory->locks[0].holder, 2);
    client.sent_ns = 1000 * NS_PER_MS;
    time_ns = 3000 * NS_PER_MS;
    plan.death = (struct death){.how = DEATH_CRASH, .who = DEATH_HOLDER};
    order(LOCK_ORDER_DIE);
    assert_int_equal(session.state, SESSION_DEAD);
    assert_int_equal(atomic_load(&memory->locks[0].lapses_ns), 5000 * NS_PER_MS);
    assert_int_equal(atomic_load(&memory->fleet->expires_ns), 11000 * NS_PER_MS);
}

TEST_BETWEEN(test_nothing_counts_behind_the_last_reading, set_up, tear_down)
{
    const struct client_reply reply = {.operation = OP_GET_CHILDREN, .name_count = 3};
    session.state = SESSION_DEAD; /* whose connection is not asked for its bytes */
    order(ORDER_READ);
    lock_session_ops.listener->notified(&session, EVENT_CHILD, "/x");
    lock_session_ops.listener->replied(&session, &reply);
    lock_session_ops.listener->state_changed(&session, CLIENT_EXPIRED);
    lock_session_ops.alarm(&session, 0);
    const struct tally *total = &memory->workers[0].total;
    assert_int_equal(total->of[TALLY_NOTIFICATION], 0);
    assert_int_equal(total->of[TALLY_NAMES_LISTED], 0);
    assert_int_equal(atomic_load(&memory->fleet->lost), 0);
    assert_int_equal(ledger_row(&memory->ledger, 0, 0)->tally.of[TALLY_NOTIFICATION], 0);
    assert_int_equal(session.state, SESSION_READ);
}

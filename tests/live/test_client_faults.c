// SPDX-License-Identifier: Apache-2.0
/* Sessions on a real server, with each driver, that lose replies, crash, or have no time to close.
 */
#include "client/thread_sessions.h"
#include "fleet/server_counters.h"
#include "servers/four_letter.h"
#include "tests/support/probe.h"
#include "tests/support/test.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#define CUTS 10

static bool exists_by_steward(const char *path)
{
    struct error error = {0};
    bool is_there = false;
    live_expect(setup_session_exists(live_host.setup, path, &is_there, &error), &error);
    return is_there;
}

/* Makes a request whose reply is lost, and waits until the session has reconnected. When the loss
 * is told, it has been carried out: `path` is there, or is not. */
static void ask_in_vain(struct request request, const char *path, bool is_there)
{
    probe.connections_awaited = probe.connections + 1;
    assert_int_equal(ask_on(TURN_CUT_REQUEST, &request), ZK_CONNECTION_LOSS);
    assert_true(probe.injected);
    assert_int_equal(exists_by_steward(path), is_there);
    await(is_established, "session");
}

/* Whatever the operation: the server has carried it out, and the session does not know. */
PROBE_TEST_SHORT(test_a_cut_loses_the_reply)
{
    const struct request parts[] = {request_delete(A), request_create(C, NULL, 0, EPHEMERAL)};
    assert_int_equal(ask(request_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    for (int32_t i = 0; i < CUTS; i++) {
        ask_in_vain(request_create(A, NULL, 0, EPHEMERAL), A, true);
        ask_in_vain(request_set(B, "x", 1, i), B, true);
        assert_int_equal(ask(exists_request(B, NO_WATCH)), ZK_OK);
        assert_int_equal(probe.reply.version, i + 1);
        ask_in_vain(get(B, NO_WATCH), B, true);
        ask_in_vain((struct request){.operation = OP_MULTI, .parts = parts, .part_count = 2}, C,
                    true);
        assert_false(exists_by_steward(A));
        ask_in_vain(request_delete(C), C, false);
    }
}

/* The session is the same afterwards: its ephemeral znodes stand, and its watches. */
PROBE_TEST_SHORT(test_a_cut_session_goes_on)
{
    assert_int_equal(ask(request_create(A, NULL, 0, EPHEMERAL)), ZK_OK);
    assert_int_equal(ask(request_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(exists_request(C, WATCH)), ZK_OK);
    ask_in_vain(request_create(B, NULL, 0, PERSISTENT), B, true);
    assert_int_equal(probe.sent.of[TALLY_NOTIFICATION], 0);
    ask_in_vain(request_delete(C), C, false); /* its notification comes before its reply */
    await(is_notified, "notification");
    assert_int_equal(probe.deleted, 1);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_OK);
    assert_int_equal(ask(get(B, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.sent.of[TALLY_NOTIFICATION], 1);
    assert_int_equal(probe.connections, 3);
}

/* Whoever is answered over a connection has heard of it, also when the library tells of it on a
 * thread of its own. */
PROBE_TEST_SHORT(test_a_connection_is_told_before_its_replies)
{
    for (unsigned losses = 1; losses <= 10; losses++) {
        const struct request request = exists_request(A, NO_WATCH);
        assert_int_equal(ask_on(TURN_CUT_REQUEST, &request), ZK_CONNECTION_LOSS);
        assert_int_equal(ask(request), ZK_NO_NODE);
        assert_int_equal(probe.connections, losses + 1);
    }
}

/* Nobody asked for the end of the session: the server waits for it until its timeout. */
PROBE_TEST_SHORT(test_a_crashed_session_expires)
{
    struct server_counters counters = {.servers = &live_servers};
    struct server_counters_count before, after;
    struct error error = {0};
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    assert_int_equal(ask(request_create(A, NULL, 0, EPHEMERAL)), ZK_OK);
    live_expect(server_counters_read(&counters, &before, &error), &error);
    unsigned callbacks = probe.callbacks;
    do_turn(TURN_CRASH);
    assert_true(probe.injected);
    do
        live_expect(server_counters_read(&counters, &after, &error), &error);
    while (after.connections == before.connections && clock_now_ns() < until_ns);
    assert_int_equal(after.connections, before.connections - 1);
    while (exists_by_steward(A) && clock_now_ns() < until_ns)
        if (driver == DRIVER_EVENTS)
            live_expect(event_loop_poll(probe.events, clock_now_ns() + NS_PER_MS, &error), &error);
    assert_false(exists_by_steward(A));
    live_expect(server_counters_read(&counters, &after, &error), &error);
    assert_int_equal(after.writes, before.writes);
    assert_int_equal(after.connections, before.connections - 1);
    assert_int_equal(probe.callbacks, callbacks);
}

/* A crash leaves nothing to lose: the reply to what was asked for does not come. */
PROBE_TEST(test_a_crash_in_a_request)
{
    unsigned callbacks = probe.callbacks;
    const struct request request = request_create(A, NULL, 0, EPHEMERAL);
    probe.request = &request;
    do_turn(TURN_CRASH_IN_REQUEST);
    assert_true(probe.injected);
    assert_int_equal(probe.callbacks, callbacks);
}

/* ------------------------------------------------------------------ orders to who dies */

enum { ORDER_CRASH, ORDER_LEAVE, ORDER_COUNT };

static struct {
    struct client *client;
    sem_t go_on; /* the session may die */
    bool died;
    unsigned counted; /* not atomic: ThreadSanitizer is to notice two hooks at a time */
    atomic_uint orders, connections;
} dying;

static void note_connection(void *owner, enum client_state state)
{
    (void)owner;
    atomic_fetch_add(&dying.connections, state == CLIENT_ESTABLISHED);
}

static void obey(void *owner, int order)
{
    (void)owner;
    if (order != ORDER_COUNT) {
        sem_wait(&dying.go_on);
        dying.died = order == ORDER_CRASH ? client_crash(dying.client) : client_leave(dying.client);
    }
    dying.counted++;
    atomic_fetch_add(&dying.orders, 1);
}

static bool await_count(atomic_uint *count, unsigned awaited)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (atomic_load(count) < awaited && clock_now_ns() < until_ns)
        usleep(1000);
    return atomic_load(count) == awaited;
}

/* Whoever gave them waits for that. Given before the death, in it, and after it. */
static void check_orders_to_who_dies(int how)
{
    static const struct client_listener noting = {note_connection, probe_sent, probe_replied,
                                                  probe_notified};
    static const struct thread_session_hooks hooks = {obey, probe_no_alarm, probe_no_wait};
    char hosts[CONNECT_TEXT_SIZE];
    struct thread_sessions *threads = NULL;
    struct error error = {0};
    connect_format(&live_servers, true, hosts, sizeof hosts);
    dying.died = false;
    dying.counted = 0;
    atomic_store(&dying.orders, 0);
    atomic_store(&dying.connections, 0);
    sem_init(&dying.go_on, 0, 0);
    live_expect(thread_sessions_new(1, NULL, &hooks, &threads, &error), &error);
    live_expect(thread_sessions_open(threads, hosts, 6000, &noting, NULL, &dying.client, &error),
                &error);
    assert_true(await_count(&dying.connections, 1));
    thread_session_order(dying.client, how);
    thread_session_order(dying.client, ORDER_COUNT);
    sem_post(&dying.go_on);
    for (unsigned i = 0; i < 50; i++)
        thread_session_order(dying.client, ORDER_COUNT);
    assert_true(await_count(&dying.orders, 52));
    thread_session_order(dying.client, ORDER_COUNT);
    assert_true(await_count(&dying.orders, 53));
    assert_int_equal(thread_sessions_close(threads, clock_now_ns() + PATIENCE_NS), 0);
    thread_sessions_free(threads);
    assert_true(dying.died);
    assert_int_equal(dying.counted, 53);
    sem_destroy(&dying.go_on);
}

TEST(test_orders_to_who_dies_are_carried_out)
{
    for (int i = 0; i < 5; i++) {
        check_orders_to_who_dies(ORDER_CRASH);
        check_orders_to_who_dies(ORDER_LEAVE);
    }
}

/* ------------------------------------------------------------------ the end of many */

#define SESSIONS 300

static void count_state(void *owner, enum client_state state)
{
    *(unsigned *)owner += state == CLIENT_ESTABLISHED;
}

/* Whenever the wait for the servers ends: what they answer afterwards is nobody's. */
TEST(test_a_close_may_be_cut_short)
{
    static const struct client_listener counting = {count_state, probe_sent, probe_replied,
                                                    probe_notified};
    char hosts[CONNECT_TEXT_SIZE];
    connect_format(&live_servers, true, hosts, sizeof hosts);
    for (uint64_t wait_ms = 0; wait_ms < 60; wait_ms += 5) {
        struct event_loop *events = NULL;
        struct client *client;
        struct error error = {0};
        unsigned established = 0;
        live_expect(event_loop_new(SESSIONS, NULL, &events, &error), &error);
        for (int i = 0; i < SESSIONS; i++)
            live_expect(
                event_loop_open(events, hosts, 60000, 1, &counting, &established, &client, &error),
                &error);
        uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
        while (established < SESSIONS && clock_now_ns() < until_ns)
            live_expect(event_loop_poll(events, until_ns, &error), &error);
        assert_int_equal(established, SESSIONS);
        event_loop_close(events, clock_now_ns() + wait_ms * NS_PER_MS);
        event_loop_free(events);
    }
}

TEST_GROUP(probe_start_on_events, live_stop)
TEST_GROUP(probe_start_on_threads, live_stop)

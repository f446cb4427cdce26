// SPDX-License-Identifier: Apache-2.0
/* The operations of a session on a real server, with each driver: what they do, what they answer,
 * and that client and server count each of them once. */
#include "client/library.h"
#include "fleet/server_counters.h"
#include "tests/support/probe.h"
#include "tests/support/test.h"

#include <sched.h>

static enum zk_status ask_multi(const struct request *parts, size_t count)
{
    return ask((struct request){.operation = OP_MULTI, .parts = parts, .part_count = count});
}

#define ASK_MULTI(...)                                                                             \
    ask_multi((const struct request[]){__VA_ARGS__},                                               \
              sizeof((const struct request[]){__VA_ARGS__}) / sizeof(struct request))

/* ------------------------------------------------------------------ values and versions */

static void check_value(const void *value, size_t length, int32_t version)
{
    assert_int_equal(ask(get(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.value_length, length);
    if (length > 0)
        assert_memory_equal(probe.value, value, length);
    assert_int_equal(probe.reply.version, version);
}

PROBE_TEST(test_values_come_back)
{
    unsigned char bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(255 - i % 256);
    const struct {
        const void *value;
        size_t length;
    } values[] = {{"text", 4}, {NULL, 0}, {"\0nul\0", 5}, {bytes, sizeof bytes}, {"", 0}};
    int32_t version = 0;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(ask(request_create(A, values[i].value, values[i].length, PERSISTENT)),
                         ZK_OK);
        assert_string_equal(probe.path, A);
        check_value(values[i].value, values[i].length, 0);
        assert_int_equal(ask(request_delete(A)), ZK_OK);
    }
    assert_int_equal(ask(request_create(A, "first", 5, EPHEMERAL)), ZK_OK);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(ask(request_set(A, values[i].value, values[i].length, version)), ZK_OK);
        check_value(values[i].value, values[i].length, ++version);
    }
}

/* Of an ephemeral znode the session, and of each when it was made. */
PROBE_TEST(test_a_znode_knows_its_maker)
{
    const int64_t before_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    assert_int_equal(ask(request_create(A, "x", 1, EPHEMERAL)), ZK_OK);
    assert_int_equal(ask(request_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    const int64_t after_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.owner, client_session_id(probe.client));
    assert_in_range(probe.reply.created_ms, before_ms, after_ms);
    assert_int_equal(ask(get(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.owner, client_session_id(probe.client));
    assert_in_range(probe.reply.created_ms, before_ms, after_ms);
    assert_int_equal(ask(exists_request(B, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.owner, 0);
    assert_in_range(probe.reply.created_ms, before_ms, after_ms);
    assert_int_equal(ask(exists_request(C, NO_WATCH)), ZK_NO_NODE);
    assert_int_equal(probe.reply.owner, 0);
}

/* The library and a session's memory have their limits; what goes beyond is answered, not cut. */
PROBE_TEST(test_what_is_too_long_is_not_sent)
{
    char value[HANDLE_VALUE_MAX + 1] = {0};
    if (driver == DRIVER_EVENTS)
        return;
    assert_int_equal(ask(request_create(A, value, sizeof value, PERSISTENT)), ZK_OTHER_ERROR);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
    assert_int_equal(ASK_MULTI(request_create(A, value, 1, PERSISTENT),
                               request_set(A, value, sizeof value - 1, REQUEST_ANY_VERSION)),
                     ZK_OTHER_ERROR);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
}

/* ------------------------------------------------------------------ multi */

/* Each part may be the one that fails, and its answer is the multi's. */
PROBE_TEST(test_a_failed_multi_does_nothing)
{
    const struct {
        struct request part;
        enum zk_status status;
    } failing[] = {
        {request_set(B, "late", 4, 7), ZK_BAD_VERSION},
        {request_check(B, 7), ZK_BAD_VERSION},
        {request_check(C, REQUEST_ANY_VERSION), ZK_NO_NODE},
        {request_delete(C), ZK_NO_NODE},
        {request_delete(ROOT), ZK_NOT_EMPTY},
        {request_create(B, NULL, 0, PERSISTENT), ZK_NODE_EXISTS},
        {{.operation = OP_DELETE, .path = B, .version = 7}, ZK_BAD_VERSION},
    };
    assert_int_equal(ask(request_create(B, "b", 1, PERSISTENT)), ZK_OK);
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        const struct request create = request_create(A, NULL, 0, PERSISTENT);
        const struct request set = request_set(B, "new", 3, REQUEST_ANY_VERSION);
        const struct request fails = failing[i].part;
        const struct request also = request_delete(ROOT "/no/such/znode");
        assert_int_equal(ASK_MULTI(fails, create, set, also), failing[i].status);
        assert_int_equal(ASK_MULTI(create, set, request_delete(A), also), ZK_NO_NODE);
        assert_int_equal(ASK_MULTI(create, fails, set), failing[i].status);
        assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
        assert_int_equal(ask(get(B, NO_WATCH)), ZK_OK);
        assert_int_equal(probe.reply.version, 0);
        assert_memory_equal(probe.value, "b", 1);
    }
}

static bool is_notified_thrice(void)
{
    return probe.sent.of[TALLY_NOTIFICATION] >= 3;
}

PROBE_TEST(test_a_multi_fires_watches)
{
    assert_int_equal(ask(request_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(request_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(exists_request(A, WATCH)), ZK_NO_NODE);
    assert_int_equal(ask(get(B, WATCH)), ZK_OK);
    assert_int_equal(ask(exists_request(C, WATCH)), ZK_OK);
    assert_int_equal(ASK_MULTI(request_set(B, "x", 1, 0), request_delete(C), request_delete(A)),
                     ZK_NO_NODE);
    assert_int_equal(ASK_MULTI(request_set(B, "x", 1, 0), request_delete(C),
                               request_create(A, NULL, 0, PERSISTENT)),
                     ZK_OK);
    await(is_notified_thrice, "notifications");
    assert_int_equal(probe.created, 1);
    assert_int_equal(probe.changed, 1);
    assert_int_equal(probe.deleted, 1);
}

/* ------------------------------------------------------------------ counted */

static struct server_counters_count count_of(void (*requests)(void))
{
    struct server_counters counters = {.servers = &live_servers};
    struct server_counters_count before, after;
    struct error error = {0};
    live_expect(server_counters_read(&counters, &before, &error), &error);
    probe.sent = (struct tally){0};
    requests();
    live_expect(server_counters_read(&counters, &after, &error), &error);
    return server_counters_subtract(&before, &after);
}

static void set_twice(void)
{
    assert_int_equal(ask(request_set(B, "x", 1, REQUEST_ANY_VERSION)), ZK_OK);
    assert_int_equal(ask(request_set(B, "x", 1, 1000)), ZK_BAD_VERSION);
}

/* Also of a znode that does not exist. */
static void sync_twice(void)
{
    assert_int_equal(ask((struct request){.operation = OP_SYNC, .path = B}), ZK_OK);
    assert_int_equal(ask((struct request){.operation = OP_SYNC, .path = C}), ZK_OK);
}

static void multi_twice(void)
{
    assert_int_equal(ASK_MULTI(request_create(A, NULL, 0, PERSISTENT), request_set(B, NULL, 0, 1),
                               request_check(B, 2), request_delete(A)),
                     ZK_OK);
    assert_int_equal(ASK_MULTI(request_create(A, NULL, 0, PERSISTENT), request_check(B, 1000)),
                     ZK_BAD_VERSION);
}

/* With a thread for each session a notification may be told later than the reply that it came
 * before. */
static void some_of_all(void)
{
    set_twice();
    multi_twice();
    sync_twice();
    assert_int_equal(ask(get(B, WATCH)), ZK_OK);
    assert_int_equal(ask(exists_request(B, WATCH)), ZK_OK);
    assert_int_equal(ASK_MULTI(request_delete(B), request_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    await(is_notified, "notification");
    assert_int_equal(ask(request_delete(C)), ZK_OK);
}

static void check_agreement(const struct server_counters_count *count)
{
    const struct reconcile_result result =
        reconcile(&(struct reconcile_facts){.servers = *count, .sessions = &probe.sent});
    assert_true(count->known);
    if (result.counter != server_counters_agree)
        fail_msg("%s: the server counted %lu, the session %lu",
                 server_counters_words[result.counter], (unsigned long)result.servers,
                 (unsigned long)result.sessions);
}

PROBE_TEST(test_sessions_and_servers_agree)
{
    assert_int_equal(ask(request_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    struct server_counters_count count = count_of(some_of_all);
    check_agreement(&count);
    assert_int_equal(count.writes, 6);
    assert_int_equal(count.reads, 4);
    assert_int_equal(count.notifications, 1);
}

/* ------------------------------------------------------------------ what lies unread */

/* With a thread for each session the library reads by itself. */
PROBE_TEST(test_a_reply_shows_until_it_is_read)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    assert_int_equal(client_unread(probe.client), 0);
    if (driver == DRIVER_EVENTS) {
        perform(probe.client, &(struct request){.operation = OP_EXISTS, .path = A});
        while (client_unread(probe.client) == 0 && clock_now_ns() < until_ns)
            sched_yield();
        assert_true(client_unread(probe.client) > 0);
        await(is_answered, "reply");
    } else {
        assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
    }
    assert_int_equal(client_unread(probe.client), 0);
}

TEST_GROUP(probe_start_on_events, live_stop)
TEST_GROUP(probe_start_on_threads, live_stop)

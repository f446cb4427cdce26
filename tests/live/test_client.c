// SPDX-License-Identifier: Apache-2.0
/* The operations of a session on a real server, with each driver: what they do, what they answer,
 * and that client and server count each of them once. */
#include "tests/live/live.h"
#include "tests/live/perform.h"
#include "trial/oracle.h"
#include "zk/events.h"
#include "zk/note.h"
#include "zk/threads.h"

#include <pthread.h>
#include <sched.h>

#define PATIENCE_NS (20 * NS_PER_S)

/* The driver of the group of tests that is running. */
static enum driver driver;

/* For AddressSanitizer: when a synchronous multi is answered by the loss of its connection,
 * libzookeeper_mt 3.8.0 forgets what it had allocated for its parts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:zoo_amulti";
}

/* What a session does on its turn. */
enum turn { TURN_REQUEST, TURN_CUT_REQUEST, TURN_CRASH, TURN_CRASH_IN_REQUEST };

/* A session under test, and what it has heard. */
static struct probe {
    struct events *events;
    struct threads *threads;
    struct client *client;
    const struct client_request *request; /* threads: to be made on the session's thread */
    bool turn_done;
    bool injected; /* its fault, if it had one */
    pthread_mutex_t mutex;
    pthread_cond_t heard;
    unsigned callbacks;
    unsigned connections, connections_awaited;
    bool replied;
    struct client_reply reply;
    char path[RECIPE_PATH_MAX];
    char value[2048];
    unsigned deleted, changed, created;
    struct tally sent;
} probe;

/* ------------------------------------------------------------------ what the session hears */

static void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    pthread_mutex_lock(&probe.mutex);
    probe.callbacks++;
    probe.connections += state == CLIENT_ESTABLISHED;
    pthread_cond_signal(&probe.heard);
    pthread_mutex_unlock(&probe.mutex);
}

static void sent(void *owner, enum client_operation operation)
{
    static const enum tally_kind kinds[] = {
        [CLIENT_CREATE] = TALLY_CREATE, [CLIENT_EXISTS] = TALLY_EXISTS,
        [CLIENT_GET] = TALLY_GET,       [CLIENT_GET_CHILDREN] = TALLY_GET_CHILDREN,
        [CLIENT_SET] = TALLY_SET,       [CLIENT_DELETE] = TALLY_DELETE,
        [CLIENT_MULTI] = TALLY_MULTI,
    };
    (void)owner;
    tally_add(&probe.sent, kinds[operation], 1);
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    pthread_mutex_lock(&probe.mutex);
    probe.callbacks++;
    probe.reply = *reply;
    snprintf(probe.path, sizeof probe.path, "%s", reply->path == NULL ? "" : reply->path);
    if (reply->value_length > 0)
        memcpy(probe.value, reply->value, reply->value_length);
    probe.replied = true;
    pthread_cond_signal(&probe.heard);
    pthread_mutex_unlock(&probe.mutex);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)path;
    pthread_mutex_lock(&probe.mutex);
    probe.callbacks++;
    probe.deleted += event == EVENT_DELETED;
    probe.changed += event == EVENT_CHANGED;
    probe.created += event == EVENT_CREATED;
    tally_add(&probe.sent, TALLY_NOTIFICATION, 1);
    pthread_cond_signal(&probe.heard);
    pthread_mutex_unlock(&probe.mutex);
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

/* ------------------------------------------------------------------ driving it */

static bool is_established(void)
{
    return probe.connections >= probe.connections_awaited;
}

static bool is_answered(void)
{
    return probe.replied;
}

static bool has_had_its_turn(void)
{
    return probe.turn_done;
}

static bool is_notified(void)
{
    return probe.sent.of[TALLY_NOTIFICATION] > 0;
}

static bool is_notified_thrice(void)
{
    return probe.sent.of[TALLY_NOTIFICATION] >= 3;
}

static void await_on_events(bool (*holds)(void), uint64_t until_ns)
{
    struct fault fault = {0};
    while (!holds() && clock_now_ns() < until_ns)
        live_expect(events_poll(probe.events, until_ns, &fault), &fault);
}

static void await_on_threads(bool (*holds)(void), uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S)};
    int error = 0;
    pthread_mutex_lock(&probe.mutex);
    while (!holds() && error == 0)
        error = pthread_cond_clockwait(&probe.heard, &probe.mutex, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&probe.mutex);
}

static void await(bool (*holds)(void), const char *what)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    if (driver == DRIVER_EVENTS)
        await_on_events(holds, until_ns);
    else
        await_on_threads(holds, until_ns);
    if (!holds())
        fail_msg("still no %s", what);
}

static void take_turn(void *owner, int turn)
{
    (void)owner;
    bool injected = false;
    if (turn != TURN_CRASH)
        perform(probe.client, probe.request);
    if (turn == TURN_CUT_REQUEST)
        injected = client_cut(probe.client);
    if (turn == TURN_CRASH || turn == TURN_CRASH_IN_REQUEST)
        injected = client_crash(probe.client);
    pthread_mutex_lock(&probe.mutex);
    probe.injected = injected;
    probe.turn_done = true;
    pthread_cond_signal(&probe.heard);
    pthread_mutex_unlock(&probe.mutex);
}

static void no_alarm(void *owner, uint64_t late_ns)
{
    (void)owner;
    (void)late_ns;
}

static void no_wait(void *owner)
{
    (void)owner;
}

static void do_turn(enum turn turn)
{
    probe.turn_done = false;
    if (driver == DRIVER_EVENTS)
        take_turn(NULL, (int)turn);
    else
        threads_order(probe.client, (int)turn);
    await(has_had_its_turn, "turn");
}

static enum zk_status ask_on(enum turn turn, const struct client_request *request)
{
    probe.replied = false;
    probe.request = request;
    do_turn(turn);
    await(is_answered, "reply");
    assert_int_equal(probe.reply.operation, request->operation);
    return probe.reply.status;
}

/* Makes a request, waits for its reply, and returns its status; the rest is in probe.reply. */
static enum zk_status ask(struct client_request request)
{
    return ask_on(TURN_REQUEST, &request);
}

static bool exists_by_steward(const char *path)
{
    struct fault fault = {0};
    bool is_there = false;
    live_expect(steward_exists(live_host.steward, path, &is_there, &fault), &fault);
    return is_there;
}

/* Makes a request whose reply is lost, and waits until the session has reconnected. When the loss
 * is told, it has been carried out: `path` is there, or is not. */
static void ask_in_vain(struct client_request request, const char *path, bool is_there)
{
    probe.connections_awaited = probe.connections + 1;
    assert_int_equal(ask_on(TURN_CUT_REQUEST, &request), ZK_CONNECTION_LOSS);
    assert_true(probe.injected);
    assert_int_equal(exists_by_steward(path), is_there);
    await(is_established, "session");
}

static struct client_request get(const char *path, enum watch_flag watch)
{
    return (struct client_request){.operation = CLIENT_GET, .path = path, .watch = watch};
}

static struct client_request exists_request(const char *path, enum watch_flag watch)
{
    return (struct client_request){.operation = CLIENT_EXISTS, .path = path, .watch = watch};
}

static enum zk_status ask_multi(const struct client_request *parts, size_t count)
{
    return ask(
        (struct client_request){.operation = CLIENT_MULTI, .parts = parts, .part_count = count});
}

#define ASK_MULTI(...)                                                                             \
    ask_multi((const struct client_request[]){__VA_ARGS__},                                        \
              sizeof((const struct client_request[]){__VA_ARGS__}) /                               \
                  sizeof(struct client_request))

static int open_session_for(uint32_t session_timeout_ms)
{
    static const struct threads_hooks hooks = {take_turn, no_alarm, no_wait};
    static char hosts[CONNECT_TEXT_SIZE];
    struct fault fault = {0};
    probe = (struct probe){.mutex = PTHREAD_MUTEX_INITIALIZER,
                           .heard = PTHREAD_COND_INITIALIZER,
                           .connections_awaited = 1};
    connect_format(&live_servers, 0, true, hosts, sizeof hosts);
    if (driver == DRIVER_EVENTS) {
        live_expect(events_new(1, &probe.events, &fault), &fault);
        live_expect(events_open(probe.events, hosts, session_timeout_ms, &listener, NULL,
                                &probe.client, &fault),
                    &fault);
    } else {
        live_expect(threads_new(1, &hooks, &probe.threads, &fault), &fault);
        live_expect(threads_open(probe.threads, hosts, session_timeout_ms, &listener, NULL,
                                 &probe.client, &fault),
                    &fault);
    }
    await(is_established, "session");
    return 0;
}

static int open_session(void **state)
{
    (void)state;
    return open_session_for(60000);
}

/* One that reconnects soon, a sixtieth of its timeout after it lost its only server, and that the
 * server does not keep for long. */
static int open_short_session(void **state)
{
    (void)state;
    return open_session_for(6000);
}

static int close_session(void **state)
{
    (void)state;
    struct fault fault = {0};
    if (driver == DRIVER_EVENTS) {
        assert_int_equal(events_close(probe.events, clock_now_ns() + PATIENCE_NS), 0);
        events_free(probe.events);
    } else {
        assert_int_equal(threads_close(probe.threads, clock_now_ns() + PATIENCE_NS), 0);
        threads_free(probe.threads);
    }
    live_expect(steward_delete_tree(live_host.steward, ROOT, &fault), &fault);
    live_expect(steward_create(live_host.steward, ROOT, &fault), &fault);
    return 0;
}

/* ------------------------------------------------------------------ values and versions */

#define A ROOT "/a"
#define B ROOT "/b"
#define C ROOT "/c"

static void check_value(const void *value, size_t length, int32_t version)
{
    assert_int_equal(ask(get(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.value_length, length);
    if (length > 0)
        assert_memory_equal(probe.value, value, length);
    assert_int_equal(probe.reply.version, version);
}

static void test_values_come_back(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(255 - i % 256);
    const struct {
        const void *value;
        size_t length;
    } values[] = {{"text", 4}, {NULL, 0}, {"\0nul\0", 5}, {bytes, sizeof bytes}, {"", 0}};
    int32_t version = 0;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(ask(op_create(A, values[i].value, values[i].length, PERSISTENT)), ZK_OK);
        assert_string_equal(probe.path, A);
        check_value(values[i].value, values[i].length, 0);
        assert_int_equal(ask(op_delete(A)), ZK_OK);
    }
    assert_int_equal(ask(op_create(A, "first", 5, EPHEMERAL)), ZK_OK);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(ask(op_set(A, values[i].value, values[i].length, version)), ZK_OK);
        check_value(values[i].value, values[i].length, ++version);
    }
}

static void test_a_set_has_its_version(void **state)
{
    (void)state;
    assert_int_equal(ask(op_set(A, "x", 1, CLIENT_ANY_VERSION)), ZK_NO_NODE);
    assert_int_equal(ask(op_create(A, "zero", 4, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.version, 0);
    assert_int_equal(ask(op_set(A, "one", 3, CLIENT_ANY_VERSION)), ZK_OK);
    assert_int_equal(probe.reply.version, 1);
    assert_int_equal(ask(op_set(A, "two", 3, 1)), ZK_OK);
    assert_int_equal(probe.reply.version, 2);
    assert_int_equal(ask(op_set(A, "late", 4, 1)), ZK_BAD_VERSION);
    assert_int_equal(probe.reply.version, 0);
    check_value("two", 3, 2);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.version, 2);
}

/* Of an ephemeral znode the session, and of each when it was made. */
static void test_a_znode_knows_its_maker(void **state)
{
    (void)state;
    const int64_t before_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    assert_int_equal(ask(op_create(A, "x", 1, EPHEMERAL)), ZK_OK);
    assert_int_equal(ask(op_create(B, NULL, 0, PERSISTENT)), ZK_OK);
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
static void test_what_is_too_long_is_not_sent(void **state)
{
    (void)state;
    char value[NOTE_VALUES_MAX + 1] = {0};
    if (driver == DRIVER_EVENTS)
        return;
    assert_int_equal(ask(op_create(A, value, sizeof value, PERSISTENT)), ZK_OTHER_ERROR);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
    assert_int_equal(ASK_MULTI(op_create(A, value, 1, PERSISTENT),
                               op_set(A, value, sizeof value - 1, CLIENT_ANY_VERSION)),
                     ZK_OTHER_ERROR);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
}

/* ------------------------------------------------------------------ multi */

static void test_a_multi_does_all(void **state)
{
    (void)state;
    assert_int_equal(ask(op_create(B, "b", 1, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(op_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ASK_MULTI(op_check(B, 0), op_create(A, "\0a", 2, PERSISTENT),
                               op_set(B, "new", 3, 0), op_delete(C)),
                     ZK_OK);
    check_value("\0a", 2, 0);
    assert_int_equal(ask(get(B, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.version, 1);
    assert_memory_equal(probe.value, "new", 3);
    assert_int_equal(ask(exists_request(C, NO_WATCH)), ZK_NO_NODE);
}

/* Each part may be the one that fails, and its answer is the multi's. */
static void test_a_failed_multi_does_nothing(void **state)
{
    (void)state;
    const struct {
        struct client_request part;
        enum zk_status status;
    } failing[] = {
        {op_set(B, "late", 4, 7), ZK_BAD_VERSION},
        {op_check(B, 7), ZK_BAD_VERSION},
        {op_check(C, CLIENT_ANY_VERSION), ZK_NO_NODE},
        {op_delete(C), ZK_NO_NODE},
        {op_delete(ROOT), ZK_NOT_EMPTY},
        {op_create(B, NULL, 0, PERSISTENT), ZK_NODE_EXISTS},
        {{.operation = CLIENT_DELETE, .path = B, .version = 7}, ZK_BAD_VERSION},
    };
    assert_int_equal(ask(op_create(B, "b", 1, PERSISTENT)), ZK_OK);
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        const struct client_request create = op_create(A, NULL, 0, PERSISTENT);
        const struct client_request set = op_set(B, "new", 3, CLIENT_ANY_VERSION);
        const struct client_request fails = failing[i].part;
        const struct client_request also = op_delete(ROOT "/no/such/znode");
        assert_int_equal(ASK_MULTI(fails, create, set, also), failing[i].status);
        assert_int_equal(ASK_MULTI(create, set, op_delete(A), also), ZK_NO_NODE);
        assert_int_equal(ASK_MULTI(create, fails, set), failing[i].status);
        assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
        assert_int_equal(ask(get(B, NO_WATCH)), ZK_OK);
        assert_int_equal(probe.reply.version, 0);
        assert_memory_equal(probe.value, "b", 1);
    }
}

static void test_a_multi_fires_watches(void **state)
{
    (void)state;
    assert_int_equal(ask(op_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(op_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(exists_request(A, WATCH)), ZK_NO_NODE);
    assert_int_equal(ask(get(B, WATCH)), ZK_OK);
    assert_int_equal(ask(exists_request(C, WATCH)), ZK_OK);
    assert_int_equal(ASK_MULTI(op_set(B, "x", 1, 0), op_delete(C), op_delete(A)), ZK_NO_NODE);
    assert_int_equal(
        ASK_MULTI(op_set(B, "x", 1, 0), op_delete(C), op_create(A, NULL, 0, PERSISTENT)), ZK_OK);
    await(is_notified_thrice, "notifications");
    assert_int_equal(probe.created, 1);
    assert_int_equal(probe.changed, 1);
    assert_int_equal(probe.deleted, 1);
}

/* ------------------------------------------------------------------ counted */

static struct oracle_count count_of(void (*requests)(void))
{
    const struct oracle oracle = {.servers = &live_servers};
    struct oracle_reading before, after;
    struct fault fault = {0};
    live_expect(oracle_read(&oracle, &before, &fault), &fault);
    probe.sent = (struct tally){0};
    requests();
    live_expect(oracle_read(&oracle, &after, &fault), &fault);
    return oracle_subtract(&before, &after);
}

static void set_twice(void)
{
    assert_int_equal(ask(op_set(B, "x", 1, CLIENT_ANY_VERSION)), ZK_OK);
    assert_int_equal(ask(op_set(B, "x", 1, 1000)), ZK_BAD_VERSION);
}

static void multi_twice(void)
{
    assert_int_equal(ASK_MULTI(op_create(A, NULL, 0, PERSISTENT), op_set(B, NULL, 0, 1),
                               op_check(B, 2), op_delete(A)),
                     ZK_OK);
    assert_int_equal(ASK_MULTI(op_create(A, NULL, 0, PERSISTENT), op_check(B, 1000)),
                     ZK_BAD_VERSION);
}

static void some_of_all(void)
{
    set_twice();
    multi_twice();
    assert_int_equal(ask(get(B, WATCH)), ZK_OK);
    assert_int_equal(ask(exists_request(B, WATCH)), ZK_OK);
    assert_int_equal(ASK_MULTI(op_delete(B), op_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(op_delete(C)), ZK_OK);
}

static void check_agreement(const struct oracle_count *count)
{
    uint64_t servers = 0, sessions = 0;
    enum oracle_counter differs = oracle_reconcile(count, &probe.sent, &servers, &sessions);
    if (differs != ORACLE_AGREES)
        fail_msg("%s: the server counted %lu, the session %lu", oracle_counter_word(differs),
                 (unsigned long)servers, (unsigned long)sessions);
}

static void test_each_counts_once(void **state)
{
    (void)state;
    assert_int_equal(ask(op_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    struct oracle_count count = count_of(set_twice);
    assert_int_equal(probe.sent.of[TALLY_SET], 2);
    assert_int_equal(count.writes, 2);
    check_agreement(&count);
    count = count_of(multi_twice);
    assert_int_equal(probe.sent.of[TALLY_MULTI], 2);
    assert_int_equal(count.writes, 2);
    check_agreement(&count);
}

static void test_sessions_and_servers_agree(void **state)
{
    (void)state;
    assert_int_equal(ask(op_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    struct oracle_count count = count_of(some_of_all);
    check_agreement(&count);
    assert_int_equal(count.writes, 6);
    assert_int_equal(count.notifications, 1);
}

/* ------------------------------------------------------------------ faults */

#define CUTS 10

/* Whatever the operation: the server has carried it out, and the session does not know. */
static void test_a_cut_loses_the_reply(void **state)
{
    (void)state;
    const struct client_request parts[] = {op_delete(A), op_create(C, NULL, 0, EPHEMERAL)};
    assert_int_equal(ask(op_create(B, NULL, 0, PERSISTENT)), ZK_OK);
    for (int32_t i = 0; i < CUTS; i++) {
        ask_in_vain(op_create(A, NULL, 0, EPHEMERAL), A, true);
        ask_in_vain(op_set(B, "x", 1, i), B, true);
        assert_int_equal(ask(exists_request(B, NO_WATCH)), ZK_OK);
        assert_int_equal(probe.reply.version, i + 1);
        ask_in_vain(get(B, NO_WATCH), B, true);
        ask_in_vain(
            (struct client_request){.operation = CLIENT_MULTI, .parts = parts, .part_count = 2}, C,
            true);
        assert_false(exists_by_steward(A));
        ask_in_vain(op_delete(C), C, false);
    }
}

/* The session is the same afterwards: its ephemeral znodes stand, and its watches. */
static void test_a_cut_session_goes_on(void **state)
{
    (void)state;
    assert_int_equal(ask(op_create(A, NULL, 0, EPHEMERAL)), ZK_OK);
    assert_int_equal(ask(op_create(C, NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(exists_request(C, WATCH)), ZK_OK);
    ask_in_vain(op_create(B, NULL, 0, PERSISTENT), B, true);
    assert_int_equal(probe.sent.of[TALLY_NOTIFICATION], 0);
    ask_in_vain(op_delete(C), C, false); /* its notification comes before its reply */
    await(is_notified, "notification");
    assert_int_equal(probe.deleted, 1);
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_OK);
    assert_int_equal(ask(get(B, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.sent.of[TALLY_NOTIFICATION], 1);
    assert_int_equal(probe.connections, 3);
}

/* Whoever is answered over a connection has heard of it, also when the library tells of it on a
 * thread of its own. */
static void test_a_connection_is_told_before_its_replies(void **state)
{
    (void)state;
    for (unsigned losses = 1; losses <= 10; losses++) {
        const struct client_request request = exists_request(A, NO_WATCH);
        assert_int_equal(ask_on(TURN_CUT_REQUEST, &request), ZK_CONNECTION_LOSS);
        assert_int_equal(ask(request), ZK_NO_NODE);
        assert_int_equal(probe.connections, losses + 1);
    }
}

/* Nobody asked for the end of the session: the server waits for it until its timeout. */
static void test_a_crashed_session_expires(void **state)
{
    (void)state;
    const struct oracle oracle = {.servers = &live_servers};
    struct oracle_reading before, after;
    struct fault fault = {0};
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    assert_int_equal(ask(op_create(A, NULL, 0, EPHEMERAL)), ZK_OK);
    live_expect(oracle_read(&oracle, &before, &fault), &fault);
    unsigned callbacks = probe.callbacks;
    do_turn(TURN_CRASH);
    assert_true(probe.injected);
    do
        live_expect(oracle_read(&oracle, &after, &fault), &fault);
    while (after.connections == before.connections && clock_now_ns() < until_ns);
    assert_int_equal(after.connections, before.connections - 1);
    while (exists_by_steward(A) && clock_now_ns() < until_ns)
        if (driver == DRIVER_EVENTS)
            live_expect(events_poll(probe.events, clock_now_ns() + NS_PER_MS, &fault), &fault);
    assert_false(exists_by_steward(A));
    live_expect(oracle_read(&oracle, &after, &fault), &fault);
    assert_int_equal(after.writes, before.writes);
    assert_int_equal(after.connections, before.connections - 1);
    assert_int_equal(probe.callbacks, callbacks);
}

/* A crash leaves nothing to lose: the reply to what was asked for does not come. */
static void test_a_crash_in_a_request(void **state)
{
    (void)state;
    unsigned callbacks = probe.callbacks;
    const struct client_request request = op_create(A, NULL, 0, EPHEMERAL);
    probe.request = &request;
    do_turn(TURN_CRASH_IN_REQUEST);
    assert_true(probe.injected);
    assert_int_equal(probe.callbacks, callbacks);
}

/* ------------------------------------------------------------------ what lies unread */

/* With a thread for each session the library reads by itself. */
static void test_a_reply_shows_until_it_is_read(void **state)
{
    (void)state;
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    assert_int_equal(client_unread(probe.client), 0);
    if (driver == DRIVER_EVENTS) {
        client_exists(probe.client, A, NO_WATCH);
        while (client_unread(probe.client) == 0 && clock_now_ns() < until_ns)
            sched_yield();
        assert_true(client_unread(probe.client) > 0);
        await(is_answered, "reply");
    } else {
        assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
    }
    assert_int_equal(client_unread(probe.client), 0);
}

/* ------------------------------------------------------------------ the end of many */

#define SESSIONS 300

static void count_state(void *owner, enum client_state state)
{
    *(unsigned *)owner += state == CLIENT_ESTABLISHED;
}

/* Whenever the wait for the servers ends: what they answer afterwards is nobody's. */
static void test_a_close_may_be_cut_short(void **state)
{
    (void)state;
    static const struct client_listener counting = {count_state, sent, replied, notified};
    char hosts[CONNECT_TEXT_SIZE];
    connect_format(&live_servers, 0, true, hosts, sizeof hosts);
    for (uint64_t wait_ms = 0; wait_ms < 60; wait_ms += 5) {
        struct events *events = NULL;
        struct client *client;
        struct fault fault = {0};
        unsigned established = 0;
        live_expect(events_new(SESSIONS, &events, &fault), &fault);
        for (int i = 0; i < SESSIONS; i++)
            live_expect(events_open(events, hosts, 60000, &counting, &established, &client, &fault),
                        &fault);
        uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
        while (established < SESSIONS && clock_now_ns() < until_ns)
            live_expect(events_poll(events, until_ns, &fault), &fault);
        assert_int_equal(established, SESSIONS);
        events_close(events, clock_now_ns() + wait_ms * NS_PER_MS);
        events_free(events);
    }
}

/* ------------------------------------------------------------------ in a recipe */

/*
 * A lock whose folder says who holds, for the sake of its words: the non-scalable lock, whose
 * holder writes into the folder znode, tries to do so again with a version that is gone, and
 * releases in one transaction.
 */
ACQUIRE(labelled)
{
    BEGIN;
    contender_child(s, "f", s->node);
    for (;;) {
        AWAIT(create(s, s->node, EPHEMERAL));
        if (s->status == ZK_OK)
            break;
        AWAIT(get_data(s, s->node, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->node);
    }
    AWAIT(get_data(s, s->lock, NO_WATCH));
    s->sequence = s->reply->version;
    if (s->reply->value_length != 0)
        FAILED;
    AWAIT(set_data(s, s->lock, "held", 4, s->sequence));
    if (s->status != ZK_OK || s->reply->version != s->sequence + 1)
        FAILED;
    AWAIT(set_data(s, s->lock, "late", 4, s->sequence));
    if (s->status == ZK_BAD_VERSION)
        GRANTED;
    END;
}

static enum recipe_step labelled_release(struct contender *s)
{
    BEGIN;
    AWAIT(multi(s, op_set(s->lock, NULL, 0, s->sequence + 1), op_delete(s->node)));
    if (s->status == ZK_OK)
        RELEASED;
    END;
}

static void grant(struct tally *cost)
{
    tally_add(cost, TALLY_GET, 1);
    tally_add(cost, TALLY_SET, 2);
}

static void arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    if (view->held) {
        tally_add(cost, TALLY_CREATE_FAILED, 1);
        tally_add(cost, TALLY_GET, 1);
    } else {
        grant(cost);
    }
}

static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_MULTI, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters);
    tally_add(cost, TALLY_CREATE, view->waiters);
    if (view->waiters == 0)
        return;
    tally_add(cost, TALLY_CREATE_FAILED, view->waiters - 1);
    tally_add(cost, TALLY_GET, view->waiters - 1);
    grant(cost);
}

static const struct recipe labelled = {
    .name = "labelled",
    .acquire = labelled_acquire,
    .release = labelled_release,
    .law = {arrival, release, "", ""},
};

static void test_a_recipe_sets_and_multis(void **state)
{
    (void)state;
    struct trial_plan plan = live_plan("nonscalable", 6);
    plan.recipe = &labelled;
    plan.driver = driver;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->total.of[TALLY_SET], 12);
    assert_int_equal(result->total.of[TALLY_MULTI], 6);
    assert_int_equal(result->total.of[TALLY_DELETE], 0);
    assert_int_equal(result->total.of[TALLY_NOTIFICATION], 15);
    assert_int_equal(histogram_count(&result->latency[METER_SET]), 12);
    assert_int_equal(histogram_count(&result->latency[METER_MULTI]), 6);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    trial_result_free(result);
}

static int run_with(enum driver of_group, const char *name)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)
#define WITH_SHORT_SESSION(test)                                                                   \
    cmocka_unit_test_setup_teardown(test, open_short_session, close_session)
    const struct CMUnitTest tests[] = {
        WITH_SESSION(test_values_come_back),
        WITH_SESSION(test_a_set_has_its_version),
        WITH_SESSION(test_a_znode_knows_its_maker),
        WITH_SESSION(test_what_is_too_long_is_not_sent),
        WITH_SESSION(test_a_multi_does_all),
        WITH_SESSION(test_a_failed_multi_does_nothing),
        WITH_SESSION(test_a_multi_fires_watches),
        WITH_SESSION(test_each_counts_once),
        WITH_SESSION(test_sessions_and_servers_agree),
        WITH_SHORT_SESSION(test_a_cut_loses_the_reply),
        WITH_SHORT_SESSION(test_a_cut_session_goes_on),
        WITH_SHORT_SESSION(test_a_connection_is_told_before_its_replies),
        WITH_SHORT_SESSION(test_a_crashed_session_expires),
        WITH_SESSION(test_a_crash_in_a_request),
        WITH_SESSION(test_a_reply_shows_until_it_is_read),
        cmocka_unit_test(test_a_recipe_sets_and_multis),
    };
    driver = of_group;
    return cmocka_run_group_tests_name(name, tests, live_start, live_stop);
}

int main(void)
{
    const struct CMUnitTest of_many[] = {cmocka_unit_test(test_a_close_may_be_cut_short)};
    int failed = run_with(DRIVER_EVENTS, "events");
    failed += run_with(DRIVER_THREADS, "threads");
    return failed + cmocka_run_group_tests_name("many", of_many, live_start, live_stop);
}

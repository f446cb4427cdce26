// SPDX-License-Identifier: Apache-2.0
/*
 * probe: a session on a real server, with either driver, that makes single requests and remembers
 * what it heard. A test's session is new, and the znodes below ROOT are gone after it.
 */
#ifndef TESTS_PROBE_H
#define TESTS_PROBE_H

#include "client/event_loop.h"
#include "client/thread_sessions.h"
#include "tests/live/live.h"
#include "tests/live/pause.h"
#include "tests/live/perform.h"

#include <pthread.h>

#define A ROOT "/a"
#define B ROOT "/b"
#define C ROOT "/c"

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
    struct event_loop *events;
    struct thread_sessions *threads;
    struct client *client;
    const struct request *request; /* threads: to be made on the session's thread */
    bool turn_done;
    bool injected; /* its error, if it had one */
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

static inline void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    pthread_mutex_lock(&probe.mutex);
    probe.callbacks++;
    probe.connections += state == CLIENT_ESTABLISHED;
    pthread_cond_signal(&probe.heard);
    pthread_mutex_unlock(&probe.mutex);
}

static inline void sent(void *owner, enum operation operation)
{
    static const enum tally_kind kinds[] = {
        [OP_CREATE] = TALLY_CREATE, [OP_EXISTS] = TALLY_EXISTS,
        [OP_GET] = TALLY_GET,       [OP_GET_CHILDREN] = TALLY_GET_CHILDREN,
        [OP_SET] = TALLY_SET,       [OP_DELETE] = TALLY_DELETE,
        [OP_MULTI] = TALLY_MULTI,
    };
    (void)owner;
    tally_add(&probe.sent, kinds[operation], 1);
}

static inline void replied(void *owner, const struct client_reply *reply)
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

static inline void notified(void *owner, enum client_event event, const char *path)
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

static inline bool is_established(void)
{
    return probe.connections >= probe.connections_awaited;
}

static inline bool is_answered(void)
{
    return probe.replied;
}

static inline bool is_notified(void)
{
    return probe.sent.of[TALLY_NOTIFICATION] > 0;
}

static inline bool has_had_its_turn(void)
{
    return probe.turn_done;
}

static inline bool await_on_events(bool (*holds)(void), uint64_t until_ns)
{
    struct error error = {0};
    while (!holds() && clock_now_ns() < until_ns)
        live_expect(event_loop_poll(probe.events, until_ns, &error), &error);
    return holds();
}

static inline bool await_on_threads(bool (*holds)(void), uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S)};
    int error = 0;
    pthread_mutex_lock(&probe.mutex);
    while (!holds() && error == 0)
        error = pthread_cond_clockwait(&probe.heard, &probe.mutex, CLOCK_MONOTONIC, &until);
    bool held = holds();
    pthread_mutex_unlock(&probe.mutex);
    return held;
}

static inline void await(bool (*holds)(void), const char *what)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    bool held = driver == DRIVER_EVENTS ? await_on_events(holds, until_ns)
                                        : await_on_threads(holds, until_ns);
    if (!held)
        fail_msg("still no %s", what);
}

static inline void take_turn(void *owner, int turn)
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

static inline void no_alarm(void *owner, uint64_t late_ns)
{
    (void)owner;
    (void)late_ns;
}

static inline void no_wait(void *owner)
{
    (void)owner;
}

static inline void do_turn(enum turn turn)
{
    probe.turn_done = false;
    if (driver == DRIVER_EVENTS)
        take_turn(NULL, (int)turn);
    else
        thread_session_order(probe.client, (int)turn);
    await(has_had_its_turn, "turn");
}

static inline enum zk_status ask_on(enum turn turn, const struct request *request)
{
    probe.replied = false;
    probe.request = request;
    do_turn(turn);
    await(is_answered, "reply");
    assert_int_equal(probe.reply.operation, request->operation);
    return probe.reply.status;
}

/* Makes a request, waits for its reply, and returns its status; the rest is in probe.reply. */
static inline enum zk_status ask(struct request request)
{
    return ask_on(TURN_REQUEST, &request);
}

static inline struct request get(const char *path, enum watch_flag watch)
{
    return (struct request){.operation = OP_GET, .path = path, .watch = watch};
}

static inline struct request exists_request(const char *path, enum watch_flag watch)
{
    return (struct request){.operation = OP_EXISTS, .path = path, .watch = watch};
}

static inline int open_session_for(uint32_t session_timeout_ms)
{
    static const struct thread_session_hooks hooks = {take_turn, no_alarm, no_wait};
    static char hosts[CONNECT_TEXT_SIZE];
    struct error error = {0};
    probe = (struct probe){.mutex = PTHREAD_MUTEX_INITIALIZER,
                           .heard = PTHREAD_COND_INITIALIZER,
                           .connections_awaited = 1};
    connect_format(&live_servers, 0, true, hosts, sizeof hosts);
    if (driver == DRIVER_EVENTS) {
        live_expect(event_loop_new(1, &probe.events, &error), &error);
        live_expect(event_loop_open(probe.events, hosts, session_timeout_ms, &listener, NULL,
                                    &probe.client, &error),
                    &error);
    } else {
        live_expect(thread_sessions_new(1, &hooks, &probe.threads, &error), &error);
        live_expect(thread_sessions_open(probe.threads, hosts, session_timeout_ms, &listener, NULL,
                                         &probe.client, &error),
                    &error);
    }
    await(is_established, "session");
    return 0;
}

static inline int open_session(void **state)
{
    (void)state;
    return open_session_for(60000);
}

/* One that reconnects soon, a sixtieth of its timeout after it lost its only server, and that the
 * server does not keep for long. */
static inline int open_short_session(void **state)
{
    (void)state;
    return open_session_for(6000);
}

static inline void end_session(void)
{
    if (driver == DRIVER_EVENTS) {
        assert_int_equal(event_loop_close(probe.events, clock_now_ns() + PATIENCE_NS), 0);
        event_loop_free(probe.events);
    } else {
        assert_int_equal(thread_sessions_close(probe.threads, clock_now_ns() + PATIENCE_NS), 0);
        thread_sessions_free(probe.threads);
    }
}

static inline int close_session(void **state)
{
    (void)state;
    struct error error = {0};
    end_session();
    live_expect(setup_session_delete_tree(live_host.setup, ROOT, &error), &error);
    live_expect(setup_session_create(live_host.setup, ROOT, &error), &error);
    return 0;
}

#define PROBE_TEST(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)
#define PROBE_TEST_SHORT(test)                                                                     \
    cmocka_unit_test_setup_teardown(test, open_short_session, close_session)

/* For a group of tests with this driver: live_stop ends it. */
static inline int probe_start_on_events(void **state)
{
    driver = DRIVER_EVENTS;
    return live_start(state);
}

static inline int probe_start_on_threads(void **state)
{
    driver = DRIVER_THREADS;
    return live_start(state);
}

#endif

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/probe.h"

#include "client/thread_sessions.h"

#include <pthread.h>
#include <time.h>

enum driver driver;

/* For AddressSanitizer: when a synchronous multi is answered by the loss of its connection,
 * libzookeeper_mt 3.8.0 forgets what it had allocated for its parts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:zoo_amulti";
}

struct probe probe;

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

void probe_sent(void *owner, enum operation operation)
{
    static const enum tally_kind kinds[] = {
        [OP_CREATE] = TALLY_CREATE, [OP_EXISTS] = TALLY_EXISTS,
        [OP_GET] = TALLY_GET,       [OP_GET_CHILDREN] = TALLY_GET_CHILDREN,
        [OP_SET] = TALLY_SET,       [OP_DELETE] = TALLY_DELETE,
        [OP_SYNC] = TALLY_SYNC,     [OP_MULTI] = TALLY_MULTI,
    };
    (void)owner;
    tally_add(&probe.sent, kinds[operation], 1);
}

void probe_replied(void *owner, const struct client_reply *reply)
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

void probe_notified(void *owner, enum client_event event, const char *path)
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

static const struct client_listener listener = {state_changed, probe_sent, probe_replied,
                                                probe_notified};

/* ------------------------------------------------------------------ driving it */

bool is_established(void)
{
    return probe.connections >= probe.connections_awaited;
}

bool is_answered(void)
{
    return probe.replied;
}

bool is_notified(void)
{
    return probe.sent.of[TALLY_NOTIFICATION] > 0;
}

static bool has_had_its_turn(void)
{
    return probe.turn_done;
}

static bool await_on_events(bool (*holds)(void), uint64_t until_ns)
{
    struct error error = {0};
    while (!holds() && clock_now_ns() < until_ns)
        live_expect(event_loop_poll(probe.events, until_ns, &error), &error);
    return holds();
}

static bool await_on_threads(bool (*holds)(void), uint64_t until_ns)
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

void await(bool (*holds)(void), const char *what)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    bool held = driver == DRIVER_EVENTS ? await_on_events(holds, until_ns)
                                        : await_on_threads(holds, until_ns);
    if (!held)
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

void probe_no_alarm(void *owner, uint64_t late_ns)
{
    (void)owner;
    (void)late_ns;
}

void probe_no_wait(void *owner)
{
    (void)owner;
}

void do_turn(enum turn turn)
{
    probe.turn_done = false;
    if (driver == DRIVER_EVENTS)
        take_turn(NULL, (int)turn);
    else
        thread_session_order(probe.client, (int)turn);
    await(has_had_its_turn, "turn");
}

enum zk_status ask_on(enum turn turn, const struct request *request)
{
    probe.replied = false;
    probe.request = request;
    do_turn(turn);
    await(is_answered, "reply");
    assert_int_equal(probe.reply.operation, request->operation);
    return probe.reply.status;
}

enum zk_status ask(struct request request)
{
    return ask_on(TURN_REQUEST, &request);
}

struct request get(const char *path, enum watch_flag watch)
{
    return (struct request){.operation = OP_GET, .path = path, .watch = watch};
}

struct request exists_request(const char *path, enum watch_flag watch)
{
    return (struct request){.operation = OP_EXISTS, .path = path, .watch = watch};
}

static int open_session_for(uint32_t session_timeout_ms)
{
    static const struct thread_session_hooks hooks = {take_turn, probe_no_alarm, probe_no_wait};
    static char hosts[CONNECT_TEXT_SIZE];
    struct error error = {0};
    probe = (struct probe){.mutex = PTHREAD_MUTEX_INITIALIZER,
                           .heard = PTHREAD_COND_INITIALIZER,
                           .connections_awaited = 1};
    connect_format(&live_servers, true, hosts, sizeof hosts);
    if (driver == DRIVER_EVENTS) {
        live_expect(event_loop_new(1, NULL, &probe.events, &error), &error);
        live_expect(event_loop_open(probe.events, hosts, session_timeout_ms, 1, &listener, NULL,
                                    &probe.client, &error),
                    &error);
    } else {
        live_expect(thread_sessions_new(1, NULL, &hooks, &probe.threads, &error), &error);
        live_expect(thread_sessions_open(probe.threads, hosts, session_timeout_ms, &listener, NULL,
                                         &probe.client, &error),
                    &error);
    }
    await(is_established, "session");
    return 0;
}

int open_session(void **state)
{
    (void)state;
    return open_session_for(60000);
}

int open_short_session(void **state)
{
    (void)state;
    return open_session_for(6000);
}

static void end_session(void)
{
    if (driver == DRIVER_EVENTS) {
        assert_int_equal(event_loop_close(probe.events, clock_now_ns() + PATIENCE_NS), 0);
        event_loop_free(probe.events);
    } else {
        assert_int_equal(thread_sessions_close(probe.threads, clock_now_ns() + PATIENCE_NS), 0);
        thread_sessions_free(probe.threads);
    }
}

int close_session(void **state)
{
    (void)state;
    struct error error = {0};
    end_session();
    live_expect(setup_session_delete_tree(live_host.setup, ROOT, &error), &error);
    live_expect(setup_session_create(live_host.setup, ROOT, "", &error), &error);
    return 0;
}

int probe_start_on_events(void **state)
{
    driver = DRIVER_EVENTS;
    return live_start(state);
}

int probe_start_on_threads(void **state)
{
    driver = DRIVER_THREADS;
    return live_start(state);
}

void perform(struct client *client, const struct request *request)
{
    client_submit(client, request, 0);
}

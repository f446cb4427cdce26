// SPDX-License-Identifier: Apache-2.0
/* A session on a thread, with many requests outstanding and a library that is not there: requests
 * that the library may never answer. */

#include "base/clock.h"
#include "client/calls.h"
#include "client/mailbox.h"
#include "client/sockets.h"
#include "client/thread_sessions.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTED 3
#define EXPIRED   (-112)
#define DEPTH     4

static int handle_of_library, descriptor_of_library;
#define ZK ((zhandle_t *)(void *)&handle_of_library)

static atomic_int state_of_library;
static atomic_uint taken, turns, replies;
static unsigned expires_at; /* the session expires while the library takes this request, from 1 */
static stat_completion_t completion_of_request;
static const void *data_of_request;
static uint64_t tags[DEPTH * 2];
static enum zk_status statuses[DEPTH * 2];
static const char *path; /* of the requests */
static enum watch_flag watch;

/* ------------------------------------------------------------------ the library */

static zhandle_t *init(const char *hosts, watcher_fn watcher, int timeout_ms, const clientid_t *id,
                       void *context, int flags)
{
    (void)hosts, (void)watcher, (void)timeout_ms, (void)id, (void)context, (void)flags;
    descriptor_of_library = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return ZK;
}

static int close_handle(zhandle_t *zk)
{
    (void)zk;
    return close(descriptor_of_library) == 0 ? ZOK : ZSYSTEMERROR;
}

static int set_delay(zhandle_t *zk, int delay)
{
    (void)zk, (void)delay;
    return ZOK;
}

static int state_of(zhandle_t *zk)
{
    (void)zk;
    return atomic_load(&state_of_library);
}

static int take(zhandle_t *zk, const char *asked, int is_watch, stat_completion_t completion,
                const void *data)
{
    (void)zk, (void)asked, (void)is_watch;
    if (atomic_load(&state_of_library) == EXPIRED)
        return ZINVALIDSTATE;
    completion_of_request = completion;
    data_of_request = data;
    if (atomic_fetch_add(&taken, 1) + 1 == expires_at)
        atomic_store(&state_of_library, EXPIRED);
    return ZOK;
}

static void answer(int code)
{
    completion_of_request(code, NULL, data_of_request);
}

/* ------------------------------------------------------------------ the session */

static struct thread_sessions *sessions;
static struct client *client;
static uint64_t submitted;

static void submit(void *owner, int count)
{
    (void)owner;
    const struct request request = {.operation = OP_EXISTS, .path = path, .watch = watch};
    for (; count > 0; count--)
        client_submit(client, &request, submitted++);
    atomic_fetch_add(&turns, 1);
}

static void ignore_alarm(void *owner, uint64_t late_ns)
{
    (void)owner, (void)late_ns;
}

static void ignore_wait(void *owner)
{
    (void)owner;
}

static void ignore_state(void *owner, enum client_state state)
{
    (void)owner, (void)state;
}

static void ignore_sent(void *owner, enum operation operation)
{
    (void)owner, (void)operation;
}

static void note_reply(void *owner, const struct client_reply *reply)
{
    (void)owner;
    unsigned i = atomic_load(&replies);
    if (i < DEPTH * 2) {
        tags[i] = reply->tag;
        statuses[i] = reply->status;
    }
    atomic_fetch_add(&replies, 1);
}

FIXTURE(set_up)
{
    static const struct client_listener listener = {
        .state_changed = ignore_state, .sent = ignore_sent, .replied = note_reply};
    static const struct library library = {.init = init,
                                           .close = close_handle,
                                           .set_servers_resolution_delay = set_delay,
                                           .state = state_of,
                                           .aexists = take,
                                           .connected_state = CONNECTED,
                                           .expired_state = EXPIRED};
    static const struct thread_session_hooks hooks = {
        .order = submit, .alarm = ignore_alarm, .waits = ignore_wait};
    struct error error;
    atomic_store(&state_of_library, CONNECTED);
    atomic_store(&taken, 0);
    atomic_store(&turns, 0);
    atomic_store(&replies, 0);
    submitted = expires_at = 0;
    path = "/a";
    watch = NO_WATCH;
    return thread_sessions_new_with(&library, 1, &hooks, &sessions, &error) != ERROR_NONE ||
           thread_sessions_open(sessions, "", 1000, DEPTH, &listener, NULL, &client, &error) !=
               ERROR_NONE;
}

FIXTURE(tear_down)
{
    bool ended = thread_sessions_close(sessions, clock_now_ns() + PATIENCE_NS) == 0;
    thread_sessions_free(sessions);
    return !ended;
}

static void await_count(atomic_uint *counter, unsigned wanted)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (atomic_load(counter) < wanted && clock_now_ns() < until_ns)
        pause_ms(1);
    assert_int_equal(atomic_load(counter), wanted);
}

static void order(int count)
{
    unsigned before = atomic_load(&turns);
    thread_session_order(client, count);
    await_count(&turns, before + 1);
}

static void expect_replies(unsigned count, enum zk_status status)
{
    await_count(&replies, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(tags[i], i);
        assert_int_equal(statuses[i], status);
    }
}

/* ------------------------------------------------------------------ the tests */

/* The library took the last request behind those that it fails because of the expiry. */
TEST_BETWEEN(test_a_request_at_the_moment_of_the_expiry_is_answered, set_up, tear_down)
{
    expires_at = 3;
    order(3);
    assert_int_equal(atomic_load(&replies), 0);
    answer(ZSESSIONEXPIRED);
    answer(ZSESSIONEXPIRED);
    expect_replies(3, ZK_SESSION_EXPIRED);
    order(1);
    expect_replies(4, ZK_SESSION_EXPIRED);
    assert_int_equal(client->outstanding, 0);
}

/* Nobody can tell beforehand whether the library is going to. */
TEST_BETWEEN(test_one_that_the_library_fails_all_the_same_is_answered_once, set_up, tear_down)
{
    expires_at = 3;
    order(4);
    answer(ZSESSIONEXPIRED);
    answer(ZSESSIONEXPIRED);
    expect_replies(4, ZK_SESSION_EXPIRED);
    order(1);
    answer(ZSESSIONEXPIRED);
    expect_replies(5, ZK_SESSION_EXPIRED);
    pause_ms(20); /* in which a reply too many would come */
    expect_replies(5, ZK_SESSION_EXPIRED);
    assert_int_equal(client->outstanding, 0);
}

/* A watch is heard of through the mailbox, whose letters have room for shorter paths only. */
TEST_BETWEEN(test_a_watch_on_a_path_that_no_letter_holds_is_not_set, set_up, tear_down)
{
    static char text[REQUEST_COPY_PATH_MAX + 1];
    memset(text, 'p', REQUEST_COPY_PATH_MAX);
    text[0] = '/';
    path = text;
    watch = WATCH;
    order(1);
    expect_replies(1, ZK_OTHER_ERROR);
    assert_int_equal(atomic_load(&taken), 0);
    watch = NO_WATCH;
    order(1);
    assert_int_equal(atomic_load(&taken), 1);
    text[REQUEST_COPY_PATH_MAX - 1] = '\0';
    watch = WATCH;
    order(1);
    assert_int_equal(atomic_load(&taken), 2);
}

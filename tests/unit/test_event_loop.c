// SPDX-License-Identifier: Apache-2.0
/* A session on an event loop with a library that is not there: what the library is asked, and what
 * is made of what it answers. */

#include "base/clock.h"
#include "client/event_loop.h"
#include "client/library.h"
#include "tests/support/ask.h"
#include "tests/support/ignore.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ       1
#define WRITE      2
#define CONNECTING 3
#define CONNECTED  4
#define SESSION    5

static struct event_loop *events;
static struct client *client;
static void *context; /* of the handle's watcher */
static watcher_fn library_watcher;
static int state_of_library, asked;
static int ends[2];       /* of the connection: the library's, and the server's */
static const char *held;  /* what the library has not sent yet */
static unsigned refusals; /* calls in which the socket takes nothing of that */
static unsigned messages; /* replies that have arrived, and it has not read */
static unsigned processed;
static unsigned replies;
static enum zk_status status;
static void (*when_replied)(void); /* NULL: nothing more */

static zhandle_t *init(const char *hosts, watcher_fn watcher, int timeout, const clientid_t *id,
                       void *given, int flags)
{
    (void)hosts, (void)timeout, (void)id, (void)flags;
    library_watcher = watcher;
    context = given;
    return given;
}

static int accept_delay(zhandle_t *zk, int seconds)
{
    (void)zk;
    assert_int_equal(seconds, -1);
    return ZOK;
}

static int close_socket(zhandle_t *zk)
{
    (void)zk;
    return close(ends[0]);
}

static int state_of(zhandle_t *zk)
{
    (void)zk;
    return state_of_library;
}

static int process(zhandle_t *zk, int wanted)
{
    (void)zk;
    asked = wanted;
    processed++;
    if ((wanted & WRITE) && held != NULL && refusals-- == 0) {
        assert_int_equal(send(ends[0], held, strlen(held), 0), strlen(held));
        held = NULL;
    }
    if ((wanted & READ) == 0)
        return ZOK;
    if (messages == 0)
        return ZNOTHING;
    messages--;
    client_deliver_reply(client, &(struct client_reply){.status = ZK_OK});
    return ZOK;
}

static int interest(zhandle_t *zk, int *descriptor, int *wanted, struct timeval *wait)
{
    (void)zk, (void)wait;
    *descriptor = ends[0];
    *wanted = held != NULL ? READ | WRITE : READ;
    return ZOK;
}

/* Sends the request, four bytes, unless its path is none. */
static int take(zhandle_t *zk, const char *path, int watch, stat_completion_t completion,
                const void *data)
{
    (void)zk, (void)watch, (void)completion, (void)data;
    if (path[0] != '/')
        return ZBADARGUMENTS;
    assert_int_equal(send(ends[0], "\0\0\0", 4, 0), 4);
    return ZOK;
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    replies++;
    status = reply->status;
    if (when_replied != NULL)
        when_replied();
}

FIXTURE(set_up)
{
    state_of_library = CONNECTED;
    held = NULL;
    refusals = messages = processed = replies = 0;
    when_replied = NULL;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends);
}

static const struct library library = {.init = init,
                                       .set_servers_resolution_delay = accept_delay,
                                       .close = close_socket,
                                       .state = state_of,
                                       .process = process,
                                       .interest = interest,
                                       .aexists = take,
                                       .session_event = SESSION,
                                       .connecting_state = CONNECTING,
                                       .connected_state = CONNECTED,
                                       .wants_read = READ,
                                       .wants_write = WRITE};

LOAD_INSTEAD(library)

static void open_session(uint32_t depth)
{
    static const struct client_listener listener = {
        .state_changed = ignore_state, .sent = ignore_sent, .replied = replied};
    struct error error;
    assert_int_equal(event_loop_new(1, NULL, &events, &error), ERROR_NONE);
    assert_int_equal(
        event_loop_open(events, "server", 1000, depth, &listener, NULL, &client, &error),
        ERROR_NONE);
}

FIXTURE(tear_down)
{
    close(ends[1]);
    event_loop_free(events);
    return 0;
}

#define LOOP_TEST(test) TEST_BETWEEN(test, set_up, tear_down)

static void turn(void)
{
    struct error error;
    assert_int_equal(event_loop_poll(events, clock_now_ns(), &error), ERROR_NONE);
}

/* Never from inside the call, and once. */
LOOP_TEST(test_a_request_that_is_not_taken_is_answered_from_the_loop)
{
    open_session(1);
    ask(client, request_read(OP_EXISTS, "no path", NO_WATCH));
    assert_int_equal(replies, 0);
    turn();
    assert_int_equal(replies, 1);
    assert_int_equal(status, ZK_OTHER_ERROR);
    assert_false(client->outstanding);
    pause_ms(30); /* until deadlines are looked for again */
    turn();
    assert_int_equal(replies, 1);
}

/* The library asks a socket that connects for its error only if it may write. */
LOOP_TEST(test_an_error_of_a_socket_that_connects_is_passed_on)
{
    open_session(1);
    state_of_library = CONNECTING;
    assert_int_equal(send(ends[0], "unread", 6, 0), 6);
    assert_int_equal(send(ends[1], "", 1, 0), 1);
    turn();
    assert_int_equal(asked, READ);
    assert_int_equal(close(ends[1]), 0);
    turn();
    assert_int_equal(asked, READ | WRITE);
    state_of_library = CONNECTED;
    turn();
    assert_int_equal(asked, READ);
}

/* ------------------------------------------------------------------ a session's end */

static int new_connection(void)
{
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(descriptor >= 0);
    return descriptor;
}

/* It closes its socket before it reports the loss, and another session's may get the number. */
LOOP_TEST(test_without_a_connection_there_are_no_bytes)
{
    struct client_bytes bytes;
    close(ends[0]);
    ends[0] = new_connection();
    open_session(1);
    assert_true(client_bytes(client, &bytes));
    state_of_library = CONNECTING;
    assert_false(client_bytes(client, &bytes));
    assert_int_equal(client_unread(client), 0);
}

static char arrived[1 << 20];
static size_t expected, count;

/* The server closes the connection when it has read what it expects. */
static void *serve(void *nothing)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (count < expected && clock_now_ns() < until_ns) {
        ssize_t read = recv(ends[1], arrived + count, sizeof arrived - count, 0);
        count += read > 0 ? (size_t)read : 0;
        if (read < 0)
            pause_ms(1);
    }
    shutdown(ends[1], SHUT_RDWR);
    return nothing;
}

static void close_session(size_t bytes)
{
    pthread_t server;
    expected = bytes;
    count = 0;
    assert_int_equal(pthread_create(&server, NULL, serve, NULL), 0);
    assert_int_equal(event_loop_close(events, clock_now_ns() + PATIENCE_NS), 0);
    pthread_join(server, NULL);
    assert_int_equal(count, expected);
    assert_memory_equal(arrived + count - 12, "\0\0\0\010", 4);
    assert_memory_equal(arrived + count - 4, "\xff\xff\xff\xf5", 4);
}

/* Inside a frame, the server would take the request for a part of that. */
LOOP_TEST(test_a_close_request_waits_for_what_the_library_holds)
{
    held = "half a frame";
    refusals = 2;
    open_session(1);
    close_session(strlen("half a frame") + 12);
    assert_memory_equal(arrived, "half a frame", strlen("half a frame"));
}

LOOP_TEST(test_a_close_request_waits_for_room)
{
    size_t filling = 0;
    open_session(1);
    while (send(ends[0], arrived, 1 << 12, 0) > 0)
        filling += 1 << 12;
    close_session(filling + 12);
}

/* ------------------------------------------------------------------ depth */

/* A connected socket that holds back what is sent until it is pushed. */
static void connect_ends(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *any = (struct sockaddr *)&address;
    socklen_t length = sizeof address;
    int listener = new_connection();
    close(ends[0]);
    close(ends[1]);
    ends[0] = new_connection();
    assert_int_equal(bind(listener, any, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, any, &length), 0);
    assert_int_equal(connect(ends[0], any, sizeof address), 0);
    ends[1] = accept(listener, NULL, NULL);
    close(listener);
}

static int held_back(void)
{
    int bytes = -1;
    assert_int_equal(ioctl(ends[0], SIOCOUTQNSD, &bytes), 0);
    return bytes;
}

/* A session that has sent all it may, and a library that has as many replies. */
static void send_all(uint32_t depth)
{
    connect_ends();
    open_session(depth);
    library_watcher(NULL, SESSION, CONNECTED, "", context);
    assert_int_equal(send(ends[0], "", 1, 0), 1);
    assert_int_equal(held_back(), 1);
    for (uint32_t i = 0; i < depth; i++)
        ask(client, request_read(OP_EXISTS, "/", NO_WATCH));
    assert_int_equal(held_back(), 0);
    messages = depth;
    assert_int_equal(send(ends[1], "", 1, 0), 1);
}

static int unsent; /* bytes that the socket held back after the last reply */

static void ask_again(void)
{
    ask(client, request_read(OP_EXISTS, "/", NO_WATCH));
    unsent = held_back();
}

LOOP_TEST(test_at_a_depth_of_one_each_request_leaves_at_once)
{
    send_all(1);
    when_replied = ask_again;
    turn();
    assert_int_equal(processed, 1);
    assert_int_equal(replies, 1);
    assert_int_equal(unsent, 0);
}

/* The replies to what is sent in a turn are read in the next. */
LOOP_TEST(test_at_a_greater_depth_requests_leave_with_the_last_reply)
{
    send_all(3);
    when_replied = ask_again;
    turn();
    assert_int_equal(replies, 3);
    assert_int_equal(unsent, 12);
    assert_int_equal(held_back(), 0);
}

/* It does not ask the library for replies to requests that it has not made. */
LOOP_TEST(test_a_turn_ends_with_the_last_reply)
{
    send_all(2);
    turn();
    assert_int_equal(replies, 2);
    assert_int_equal(processed, 2);
}

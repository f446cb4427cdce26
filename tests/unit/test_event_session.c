// SPDX-License-Identifier: Apache-2.0
/* A handle and a library that is not there: what the library is told, and what is made of what it
 * says. */

#include "client/event_session.h"
#include "client/sockets.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ       1
#define WRITE      2
#define CONNECTING 3
#define CONNECTED  4
#define DEPTH      (2 * EVENT_SESSION_MESSAGES_MAX)

static struct library library;
static struct event_session handle;
static int state_of_library, told;
static int descriptor_of_library;
static const char *held;  /* what the library has not sent yet */
static bool has_room;     /* … and may */
static unsigned messages; /* replies that have arrived, and it has not read */
static unsigned processed;
static unsigned replies;
static enum zk_status status;
static void (*when_replied)(void); /* NULL: nothing more */
static int unsent[DEPTH];          /* bytes that the socket held back, at each reply */

static int state_of(zhandle_t *zk)
{
    (void)zk;
    return state_of_library;
}

static int process(zhandle_t *zk, int events)
{
    (void)zk;
    told = events;
    processed++;
    if ((events & WRITE) && has_room && held != NULL) {
        assert_int_equal(send(descriptor_of_library, held, strlen(held), 0), strlen(held));
        held = NULL;
    }
    if ((events & READ) == 0)
        return ZOK;
    if (messages == 0)
        return ZNOTHING;
    messages--;
    client_deliver_reply(&handle.client, &(struct client_reply){.status = ZK_OK});
    return ZOK;
}

static int interest(zhandle_t *zk, int *descriptor, int *wanted, struct timeval *wait)
{
    (void)zk;
    (void)wait;
    *descriptor = descriptor_of_library;
    *wanted = held != NULL ? READ | WRITE : READ;
    return ZOK;
}

/* It does not take the request. */
static int refuse(zhandle_t *zk, const char *path, int watch, stat_completion_t completion,
                  const void *data)
{
    (void)zk;
    (void)path;
    (void)watch;
    (void)completion;
    (void)data;
    return ZBADARGUMENTS;
}

/* It sends the request, four bytes. */
static int take(zhandle_t *zk, const char *path, int watch, stat_completion_t completion,
                const void *data)
{
    (void)zk;
    (void)path;
    (void)watch;
    (void)completion;
    (void)data;
    assert_int_equal(send(descriptor_of_library, "\0\0\0", 4, 0), 4);
    return ZOK;
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
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
    static const struct client_listener listener = {.sent = sent, .replied = replied};
    library = (struct library){.state = state_of,
                               .process = process,
                               .interest = interest,
                               .aexists = refuse,
                               .connecting_state = CONNECTING,
                               .connected_state = CONNECTED,
                               .wants_read = READ,
                               .wants_write = WRITE};
    handle =
        (struct event_session){.client = {.driver = &event_session_driver, .listener = &listener},
                               .library = &library,
                               .calls = {.library = &library},
                               .descriptor = -1,
                               .other_end = -1};
    state_of_library = CONNECTED;
    descriptor_of_library = -1;
    held = NULL;
    told = 0;
    messages = 0;
    processed = 0;
    replies = 0;
    when_replied = NULL;
    return 0;
}

/* Never from inside the call, and once. */
TEST_BETWEEN(test_a_request_that_is_not_taken_is_answered_from_the_loop, set_up, NULL)
{
    client_exists(&handle.client, "no path", NO_WATCH);
    assert_int_equal(replies, 0);
    client_deliver_refused(&handle.client);
    assert_int_equal(replies, 1);
    assert_int_equal(status, ZK_OTHER_ERROR);
    assert_false(handle.client.outstanding);
    client_deliver_refused(&handle.client);
    assert_int_equal(replies, 1);
}

/* The library asks a socket that connects for its error only if it may write. */
TEST_BETWEEN(test_an_error_of_a_socket_that_connects_is_told, set_up, NULL)
{
    static const uint32_t errors[] = {EPOLLERR, EPOLLHUP, EPOLLERR | EPOLLHUP};
    state_of_library = CONNECTING;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        event_session_process(&handle, errors[i]);
        assert_int_equal(told, READ | WRITE);
    }
    event_session_process(&handle, EPOLLIN);
    assert_int_equal(told, READ);
    state_of_library = CONNECTED;
    event_session_process(&handle, EPOLLERR);
    assert_int_equal(told, READ);
}

/* Nothing is done, neither to the socket nor to the handle. */
static void expect_nothing_done(int descriptor)
{
    struct stat before, after;
    const struct event_session handle_before = handle;
    assert_int_equal(fstat(descriptor, &before), 0);
    assert_false(client_crash(&handle.client));
    assert_false(client_leave(&handle.client));
    handle.client.outstanding = true;
    assert_false(client_cut(&handle.client));
    handle.client.outstanding = false;
    assert_int_equal(fstat(descriptor, &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
    assert_memory_equal(&handle, &handle_before, sizeof handle);
}

TEST_BETWEEN(test_an_ended_session_is_not_ended_again, set_up, NULL)
{
    int ends[2];
    for (int closes = 0; closes < 2; closes++) {
        set_up(NULL);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        handle.descriptor = descriptor_of_library = ends[0];
        if (closes)
            assert_int_equal(event_session_close(&handle), EVENT_SESSION_ASKED);
        else
            assert_true(client_crash(&handle.client));
        expect_nothing_done(ends[0]);
        if (handle.other_end >= 0)
            close(handle.other_end);
        close(ends[0]);
        close(ends[1]);
    }
}

TEST_BETWEEN(test_a_session_without_a_connection_is_not_ended, set_up, NULL)
{
    int ends[2];
    state_of_library = CONNECTING;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    handle.descriptor = ends[0];
    expect_nothing_done(ends[0]);
    close(ends[0]);
    close(ends[1]);
}

static int new_connection(void)
{
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(descriptor >= 0);
    return descriptor;
}

/* It closes its socket before it tells of the loss, and another session's may get the number. */
TEST_BETWEEN(test_without_a_connection_there_are_no_bytes, set_up, NULL)
{
    struct client_bytes bytes;
    handle.descriptor = new_connection();
    assert_true(client_bytes(&handle.client, &bytes));
    state_of_library = CONNECTING;
    assert_false(client_bytes(&handle.client, &bytes));
    assert_int_equal(client_unread(&handle.client), 0);
    close(handle.descriptor);
}

static size_t arrived(int other_end, char *bytes, size_t size)
{
    ssize_t count = recv(other_end, bytes, size, MSG_DONTWAIT);
    return count < 0 ? 0 : (size_t)count;
}

/* Inside a frame, the server would take the request for a part of that. */
TEST_BETWEEN(test_a_close_request_waits_for_what_the_library_holds, set_up, NULL)
{
    char bytes[64];
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    handle.descriptor = descriptor_of_library = ends[0];
    held = "half a frame";
    has_room = false;
    assert_int_equal(event_session_close(&handle), EVENT_SESSION_BLOCKED);
    assert_int_equal(event_session_close(&handle), EVENT_SESSION_BLOCKED);
    assert_int_equal(arrived(ends[1], bytes, sizeof bytes), 0);
    assert_false(handle.asked);
    has_room = true;
    assert_int_equal(event_session_close(&handle), EVENT_SESSION_ASKED);
    assert_int_equal(arrived(ends[1], bytes, sizeof bytes), strlen("half a frame") + 12);
    assert_memory_equal(bytes, "half a frame\0\0\0\010", strlen("half a frame") + 4);
    assert_memory_equal(bytes + strlen("half a frame") + 8, "\xff\xff\xff\xf5", 4);
    close(ends[0]);
    close(ends[1]);
}

/* Part of the request has gone out: the rest follows when there is room, and nothing else. */
TEST_BETWEEN(test_a_close_request_may_go_out_in_parts, set_up, NULL)
{
    static char filling[1 << 16];
    int ends[2];
    size_t count = 0, taken;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    handle.descriptor = descriptor_of_library = ends[0];
    while (send(ends[0], filling, sizeof filling, 0) > 0)
        ;
    while (send(ends[0], filling, 1, 0) > 0)
        ;
    assert_int_equal(event_session_close(&handle), EVENT_SESSION_BLOCKED);
    while ((taken = arrived(ends[1], filling, sizeof filling)) > 0)
        count += taken;
    assert_true(count > 0);
    assert_int_equal(event_session_close(&handle), EVENT_SESSION_ASKED);
    assert_int_equal(arrived(ends[1], filling, sizeof filling), 12);
    close(ends[0]);
    close(ends[1]);
}

/* It can still lose nothing, and goes on. */
TEST_BETWEEN(test_who_cannot_leave_goes_on, set_up, NULL)
{
    char bytes[64];
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    handle.descriptor = descriptor_of_library = ends[0];
    held = "half a frame";
    has_room = false;
    event_session_refresh(&handle);
    assert_false(client_leave(&handle.client));
    assert_int_equal(arrived(ends[1], bytes, sizeof bytes), 0);
    state_of_library = CONNECTING;
    held = NULL;
    event_session_refresh(&handle);
    assert_false(client_leave(&handle.client));
    assert_int_equal(arrived(ends[1], bytes, sizeof bytes), 0);
    assert_false(handle.client.silent);
    client_exists(&handle.client, "no path", NO_WATCH);
    client_deliver_refused(&handle.client);
    assert_int_equal(replies, 1);
    close(ends[0]);
    close(ends[1]);
}

/* ------------------------------------------------------------------ depth */

/* A connected socket that holds back what is sent until it is pushed. */
static int corked(int *other_end)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *any = (struct sockaddr *)&address;
    socklen_t length = sizeof address;
    int yes = 1, listener = new_connection(), descriptor = new_connection();
    assert_int_equal(bind(listener, any, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, any, &length), 0);
    assert_int_equal(connect(descriptor, any, sizeof address), 0);
    *other_end = accept(listener, NULL, NULL);
    assert_int_equal(setsockopt(descriptor, IPPROTO_TCP, TCP_CORK, &yes, sizeof yes), 0);
    close(listener);
    return descriptor;
}

static int held_back(void)
{
    int bytes = -1;
    assert_int_equal(ioctl(descriptor_of_library, SIOCOUTQNSD, &bytes), 0);
    return bytes;
}

/* The kernel sends what is corked 200 ms later (tcp(7)). A test that the machine kept from running
 * for half of that has seen nothing, and is run again. */
#define CORK_TRUSTED_NS (100 * NS_PER_MS)

/* As long as a segment has no acknowledgement, the kernel may send what is corked behind it after a
 * few milliseconds, as a probe for a segment that was lost (RFC 8985). */
static void wait_for_acknowledgements(void)
{
    const uint64_t end_ns = clock_now_ns() + PATIENCE_NS;
    int bytes;
    while (ioctl(descriptor_of_library, SIOCOUTQ, &bytes) == 0 && bytes > 0) {
        assert_true(clock_now_ns() < end_ns);
        pause_ms(1);
    }
}

/* A session that has asked all it can, and a library that has got so many replies. */
static int ask_all(uint32_t depth, unsigned arriving)
{
    struct error error;
    int other_end;
    set_up(NULL);
    library.aexists = take;
    assert_int_equal(client_init(&handle.client, depth, &error), ERROR_NONE);
    handle.descriptor = descriptor_of_library = corked(&other_end);
    for (uint32_t i = 0; i < depth; i++)
        client_exists(&handle.client, "/", NO_WATCH);
    assert_int_equal(held_back(), 0);
    wait_for_acknowledgements();
    messages = arriving;
    return other_end;
}

static void end(int other_end)
{
    client_deinit(&handle.client);
    if (handle.other_end >= 0)
        close(handle.other_end);
    close(descriptor_of_library);
    close(other_end);
}

static void ask_again(void)
{
    client_exists(&handle.client, "/", NO_WATCH);
    unsent[replies - 1] = held_back();
}

/* The replies that have arrived are read, a request follows each. Whether that was soon enough. */
static bool process_while_corked(void)
{
    const uint64_t began_ns = clock_now_ns();
    when_replied = ask_again;
    event_session_process(&handle, EPOLLIN);
    return clock_now_ns() - began_ns < CORK_TRUSTED_NS;
}

TEST(test_at_a_depth_of_one_each_request_leaves_at_once)
{
    int other_end = ask_all(1, 2);
    when_replied = ask_again;
    event_session_process(&handle, EPOLLIN);
    assert_int_equal(processed, 1);
    assert_int_equal(unsent[0], 0);
    end(other_end);
}

TEST(test_at_more_depth_requests_leave_together)
{
    int other_end = ask_all(DEPTH, 3);
    while (!process_while_corked()) {
        end(other_end);
        other_end = ask_all(DEPTH, 3);
    }
    assert_int_equal(replies, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(unsent[i], (i + 1) * 4);
    assert_int_equal(held_back(), 0);
    assert_int_equal(handle.client.outstanding, DEPTH);
    end(other_end);
}

TEST(test_a_turn_of_a_session_has_an_end)
{
    int other_end = ask_all(DEPTH, EVENT_SESSION_MESSAGES_MAX + 1);
    event_session_process(&handle, EPOLLIN);
    assert_int_equal(replies, EVENT_SESSION_MESSAGES_MAX);
    event_session_process(&handle, EPOLLIN);
    assert_int_equal(replies, EVENT_SESSION_MESSAGES_MAX + 1);
    end(other_end);
}

static void crash(void)
{
    assert_true(client_crash(&handle.client));
}

/* What its process would have read is not read for it. */
TEST(test_a_turn_ends_with_the_session)
{
    int other_end = ask_all(DEPTH, 3);
    when_replied = crash;
    event_session_process(&handle, EPOLLIN);
    assert_int_equal(replies, 1);
    assert_int_equal(processed, 1);
    end(other_end);
}

/* It does not ask the library for replies to requests that it has not made. */
TEST(test_a_turn_ends_with_the_last_reply)
{
    int other_end = ask_all(2, 2);
    event_session_process(&handle, EPOLLIN);
    assert_int_equal(replies, 2);
    assert_int_equal(processed, 2);
    end(other_end);
}

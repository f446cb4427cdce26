// SPDX-License-Identifier: Apache-2.0
/* A handle and a library that is not there: what the library is told, and what is made of what it
 * says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/event_session.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ       1
#define WRITE      2
#define CONNECTING 3
#define CONNECTED  4

static struct library library;
static struct event_session handle;
static int state_of_library, told;
static int descriptor_of_library;
static const char *held; /* what the library has not sent yet */
static bool has_room;    /* … and may */
static unsigned replies;
static enum zk_status status;

static int state_of(zhandle_t *zk)
{
    (void)zk;
    return state_of_library;
}

static int process(zhandle_t *zk, int events)
{
    (void)zk;
    told = events;
    if ((events & WRITE) && has_room && held != NULL) {
        assert_int_equal(send(descriptor_of_library, held, strlen(held), 0), strlen(held));
        held = NULL;
    }
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
}

static int set_up(void **state)
{
    static const struct client_listener listener = {.sent = sent, .replied = replied};
    (void)state;
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
    replies = 0;
    return 0;
}

/* Never from inside the call, and once. */
static void test_a_request_that_is_not_taken_is_answered_from_the_loop(void **state)
{
    (void)state;
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
static void test_an_error_of_a_socket_that_connects_is_told(void **state)
{
    static const uint32_t errors[] = {EPOLLERR, EPOLLHUP, EPOLLERR | EPOLLHUP};
    (void)state;
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

static void test_an_ended_session_is_not_ended_again(void **state)
{
    int ends[2];
    (void)state;
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

static void test_a_session_without_a_connection_is_not_ended(void **state)
{
    int ends[2];
    (void)state;
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
static void test_without_a_connection_there_are_no_bytes(void **state)
{
    struct client_bytes bytes;
    (void)state;
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
static void test_a_close_request_waits_for_what_the_library_holds(void **state)
{
    char bytes[64];
    int ends[2];
    (void)state;
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
static void test_a_close_request_may_go_out_in_parts(void **state)
{
    static char filling[1 << 16];
    int ends[2];
    size_t count = 0, taken;
    (void)state;
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
static void test_who_cannot_leave_goes_on(void **state)
{
    char bytes[64];
    int ends[2];
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_request_that_is_not_taken_is_answered_from_the_loop, set_up),
        cmocka_unit_test_setup(test_an_error_of_a_socket_that_connects_is_told, set_up),
        cmocka_unit_test_setup(test_an_ended_session_is_not_ended_again, set_up),
        cmocka_unit_test_setup(test_a_session_without_a_connection_is_not_ended, set_up),
        cmocka_unit_test_setup(test_without_a_connection_there_are_no_bytes, set_up),
        cmocka_unit_test_setup(test_a_close_request_waits_for_what_the_library_holds, set_up),
        cmocka_unit_test_setup(test_a_close_request_may_go_out_in_parts, set_up),
        cmocka_unit_test_setup(test_who_cannot_leave_goes_on, set_up),
    };
    return cmocka_run_group_tests_name("handle", tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* Processes that only pretend to be servers: one opens a session, and answers every request with a
 * reply that has a head and the body of the test, or none; one says nothing. */

#include "base/clock.h"
#include "client/event_loop.h"
#include "fleet/setup_session.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_NS (20 * NS_PER_S)
#define TIMEOUT_MS  30000

static bool established, has_replied;
static enum zk_status answer;

/* Length and rest of a message; what is to be said of it is its second number: of a request the
 * xid. False at the end. */
static bool read_message(int descriptor, uint32_t *xid)
{
    uint32_t length;
    char bytes[1024];
    if (recv(descriptor, &length, sizeof length, MSG_WAITALL) != sizeof length ||
        ntohl(length) > sizeof bytes ||
        recv(descriptor, bytes, ntohl(length), MSG_WAITALL) != (ssize_t)ntohl(length))
        return false;
    memcpy(xid, bytes, sizeof *xid);
    return true;
}

/* ConnectResponse: version, timeout, session, password, read-only; ReplyHeader: xid, zxid, error.
 */
static void serve(int listener, int code, const void *body, uint32_t body_size)
{
    struct __attribute__((packed)) {
        uint32_t length, version, timeout_ms, session[2], password_length;
        char password[16], read_only;
    } welcome = {htonl(37), 0, htonl(TIMEOUT_MS), {0, htonl(1)}, htonl(16), "", 0};
    uint32_t xid;
    int descriptor = accept(listener, NULL, NULL);
    if (!read_message(descriptor, &xid) ||
        write(descriptor, &welcome, sizeof welcome) != sizeof welcome)
        _exit(1);
    while (read_message(descriptor, &xid)) {
        const uint32_t head[] = {htonl(16 + body_size), xid, 0, htonl(1), htonl((uint32_t)code)};
        char reply[64];
        memcpy(reply, head, sizeof head);
        memcpy(reply + sizeof head, body, body_size);
        ssize_t length = (ssize_t)(sizeof head + body_size);
        if (write(descriptor, reply, (size_t)length) != length)
            break;
    }
    _exit(0);
}

static void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    established = state == CLIENT_ESTABLISHED;
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    has_replied = true;
    answer = reply->status;
    assert_true(reply->status != ZK_OK || reply->path != NULL);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static void await(struct event_loop *events, const bool *come)
{
    struct error error;
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (!*come && clock_now_ns() < until_ns)
        assert_int_equal(event_loop_poll(events, until_ns, &error), ERROR_NONE);
    assert_true(*come);
}

/* Asks such a server, and expects that its reply is an error. */
static void assert_refused(const struct request *request, const void *body, uint32_t body_size)
{
    static const struct client_listener listener = {state_changed, sent, replied, notified};
    struct event_loop *events = NULL;
    struct client *client = NULL;
    struct error error;
    uint16_t port;
    char hosts[32];
    int listening = port_listen(&port);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listening, 0, body, body_size);
    }
    close(listening);
    established = has_replied = false;
    snprintf(hosts, sizeof hosts, "127.0.0.1:%u", port);
    assert_int_equal(event_loop_new(1, NULL, &events, &error), ERROR_NONE);
    assert_int_equal(
        event_loop_open(events, hosts, TIMEOUT_MS, 1, &listener, NULL, &client, &error),
        ERROR_NONE);
    await(events, &established);
    client_submit(client, request, 0);
    await(events, &has_replied);
    assert_int_equal(answer, ZK_OTHER_ERROR);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    event_loop_free(events);
}

TEST(test_a_create_whose_reply_has_no_body_has_failed)
{
    const struct request create = request_create("/a", NULL, 0, PERSISTENT);
    assert_refused(&create, "", 0);
}

/* A number of names below 0, and more names than the reply has. The library asks for memory for the
 * first, which a sanitizer takes for a mistake of its caller. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const uint32_t counts[] = {3};
#else
static const uint32_t counts[] = {UINT32_MAX, 1U << 31, 3};
#endif

TEST(test_a_list_that_cannot_be_has_failed)
{
    const struct request list = {.operation = OP_GET_CHILDREN, .path = "/a"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t body[] = {htonl(counts[i]), htonl(1), htonl('a' << 24U)};
        assert_refused(&list, body, sizeof body - 3);
    }
}

/* AuthFailed, as of a server whose scheme digest is switched off. */
TEST(test_a_server_that_takes_no_credentials_is_told)
{
    struct identity ann = {.credentials = "ann:secret"};
    struct connect_string servers = {.endpoints = {{.host = "127.0.0.1"}}, .count = 1};
    struct setup_session *setup = NULL;
    struct error error;
    int listening = port_listen(&servers.endpoints[0].port);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listening, -115, "", 0);
    }
    close(listening);
    servers.identity = &ann;
    assert_int_equal(setup_session_new(&servers, NULL, PATIENCE_NS, -1, &setup, &error),
                     ERROR_REFUSED_IDENTITY);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* A session that has not been opened cannot be closed in order: that is told. */
TEST(test_a_close_that_nobody_confirms_is_told)
{
    static const struct client_listener listener = {state_changed, sent, replied, notified};
    struct event_loop *events = NULL;
    struct client *client = NULL;
    struct error error;
    uint16_t port;
    char hosts[32];
    int listening = port_listen(&port); /* and nobody accepts */
    snprintf(hosts, sizeof hosts, "127.0.0.1:%u", port);
    assert_int_equal(event_loop_new(2, NULL, &events, &error), ERROR_NONE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            event_loop_open(events, hosts, TIMEOUT_MS, 1, &listener, NULL, &client, &error),
            ERROR_NONE);
    assert_int_equal(event_loop_poll(events, clock_now_ns() + 10 * NS_PER_MS, &error), ERROR_NONE);
    assert_int_equal(event_loop_close(events, clock_now_ns() + NS_PER_S), 2);
    event_loop_free(events);
    close(listening);
}

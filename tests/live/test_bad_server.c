// SPDX-License-Identifier: Apache-2.0
/* Processes that only pretend to be servers: one opens a session, and answers every request with a
 * reply that has a head and no body, so that no reply to a CREATE names a znode; one says nothing.
 */

#include "base/clock.h"
#include "client/event_loop.h"
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
static void serve(int listener)
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
        const uint32_t reply[] = {htonl(16), xid, 0, htonl(1), 0};
        if (write(descriptor, reply, sizeof reply) != sizeof reply)
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

TEST(test_a_create_whose_reply_has_no_body_has_failed)
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
        serve(listening);
    }
    close(listening);
    snprintf(hosts, sizeof hosts, "127.0.0.1:%u", port);
    assert_int_equal(event_loop_new(1, &events, &error), ERROR_NONE);
    assert_int_equal(
        event_loop_open(events, hosts, TIMEOUT_MS, 1, &listener, NULL, &client, &error),
        ERROR_NONE);
    await(events, &established);
    client_create(client, "/a", NULL, 0, PERSISTENT);
    await(events, &has_replied);
    assert_int_equal(answer, ZK_OTHER_ERROR);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    event_loop_free(events);
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
    assert_int_equal(event_loop_new(2, &events, &error), ERROR_NONE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            event_loop_open(events, hosts, TIMEOUT_MS, 1, &listener, NULL, &client, &error),
            ERROR_NONE);
    assert_int_equal(event_loop_poll(events, clock_now_ns() + 10 * NS_PER_MS, &error), ERROR_NONE);
    assert_int_equal(event_loop_close(events, clock_now_ns() + NS_PER_S), 2);
    event_loop_free(events);
    close(listening);
}

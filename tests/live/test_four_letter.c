// SPDX-License-Identifier: Apache-2.0
/* Four-letter words to a real server, and to processes that only pretend to be one: one of them
 * opens a session, and answers every request with a reply that has a head and the body of the test,
 * or none. */
#include "base/clock.h"
#include "client/event_loop.h"
#include "fleet/setup_session.h"
#include "servers/four_letter.h"
#include "servers/tcp.h"
#include "tests/support/ignore.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/words.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ a real server */

static const struct endpoint *real(void)
{
    return &live_servers.endpoints[0];
}

/* By its address, or by the one of its name's addresses at which it listens. */
TEST(identifies_a_real_server)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < 2; i++) {
        struct endpoint endpoint = *real();
        struct four_letter_identity identity;
        struct error error = {0};
        strcpy(endpoint.host, hosts[i]);
        live_expect(tcp_resolve(&endpoint, PATIENCE_NS, &error), &error);
        live_expect(four_letter_identify(&endpoint, PATIENCE_NS, &identity, &error), &error);
        assert_true(identity.talks);
        assert_int_equal(identity.role, ROLE_STANDALONE);
        assert_true(isdigit((unsigned char)identity.version[0]));
        assert_null(strpbrk(identity.version, ", $"));
    }
}

TEST(every_word_of_a_real_server_is_recognized)
{
    static const char *const words[] = {"srvr", "mntr", "conf", "cons", "envi"};
    char answer[64 * 1024];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct error error = {.detail = ""};
        bool refused = strcmp(words[i], "envi") == 0;
        assert_int_equal(
            four_letter_ask(real(), words[i], PATIENCE_NS, answer, sizeof answer, &error),
            refused ? ERROR_NOT_WHITELISTED : ERROR_NONE);
        assert_true(strlen(answer) > 1);
    }
    assert_int_equal(four_letter_connections_limit(real(), PATIENCE_NS), 0);
}

TEST(counters_count_each_question)
{
    struct four_letter_counters first, second;
    struct error error = {0};
    live_expect(four_letter_counters(real(), PATIENCE_NS, &first, &error), &error);
    live_expect(four_letter_counters(real(), PATIENCE_NS, &second, &error), &error);
    assert_int_equal(second.packets_received, first.packets_received + 1);
    assert_int_equal(second.writes, first.writes);
    assert_true(first.znode_count >= 4 && first.watch_count == 0);
}

/* An answer that just fits is none. */
TEST(an_answer_that_does_not_fit_is_an_error)
{
    static const struct {
        const char *word;
        size_t size;
        enum error_kind kind;
        const char *text;
    } cases[] = {{"mntr", 128, ERROR_ZOOKEEPER, "longer"},
                 {"ruok", 5, ERROR_NONE, "imok"},
                 {"ruok", 4, ERROR_ZOOKEEPER, "longer"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char answer[128];
        struct error error;
        assert_int_equal(
            four_letter_ask(real(), cases[i].word, PATIENCE_NS, answer, cases[i].size, &error),
            cases[i].kind);
        assert_has(cases[i].kind == ERROR_NONE ? answer : error.detail, cases[i].text);
    }
}

TEST(where_nobody_is_there_is_no_answer)
{
    struct endpoint closed = {.host = "127.0.0.1"}, nowhere = {.host = "no..such..host", .port = 1};
    struct four_letter_identity identity;
    struct error error;
    int fd = port_take(&closed.port);
    assert_int_equal(four_letter_identify(&closed, PATIENCE_NS, &identity, &error), ERROR_REFUSED);
    assert_has(error.subject, "127.0.0.1:");
    assert_int_equal(four_letter_identify(&nowhere, PATIENCE_NS, &identity, &error),
                     ERROR_UNRESOLVED);
    assert_string_equal(error.subject, "no..such..host");
    close(fd);
}

/* ------------------------------------------------------------------ who only pretends to be one */

/* A process that lives as long as the test, and calls the function with a listening socket. */
static pid_t pretend(uint16_t *port, void (*live)(int listener, const void *context),
                     const void *context)
{
    int listener = port_listen(port);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        live(listener, context);
        _exit(0);
    }
    close(listener);
    return pid;
}

static void stop_pretending(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

struct pretence {
    const char *says; /* to each connection at once, without waiting for the word */
    bool closes;      /* afterwards, at the latest when the other side has ended */
    bool for_ever;    /* it never stops saying it */
};

static void say(int listener, const void *context)
{
    const struct pretence *pretence = context;
    for (;;) {
        char word[16];
        int connection = accept(listener, NULL, NULL);
        while (write(connection, pretence->says, strlen(pretence->says)) > 0 && pretence->for_ever)
            ;
        while (pretence->closes && read(connection, word, sizeof word) > 0)
            ;
        if (pretence->closes || pretence->for_ever)
            close(connection);
    }
}

/* For who neither closes nor says more: it is judged by what has come by then. */
#define SILENCE_NS (5 * NS_PER_S)

/* Escape sequences are not passed on. A whitelist that refuses srvr is ZooKeeper's. */
TEST(strangers_are_told_from_zookeeper)
{
    static const char no_quorum[] = "This ZooKeeper instance is not currently serving requests\n";
    static const struct {
        const char *word;
        struct pretence pretence;
        enum error_kind kind;
        const char *detail;
    } cases[] = {
        {"srvr", {.says = ""}, ERROR_NO_ANSWER, ""},
        {"srvr", {.says = "", .closes = true}, ERROR_CLOSED, "it said nothing"},
        {"srvr",
         {.says = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", .closes = true},
         ERROR_NOT_ZOOKEEPER,
         "it said 'HTTP/1.1 400 Bad Request'"},
        {"srvr", {.says = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"}, ERROR_NOT_ZOOKEEPER, "it said '"},
        {"srvr",
         {.says = "abcdefghijklmnopqrstuvwxyz", .for_ever = true},
         ERROR_NOT_ZOOKEEPER,
         "it said '"},
        {"conf",
         {.says = "evil\033[2J", .closes = true},
         ERROR_NOT_ZOOKEEPER,
         "to conf it said 'evil\\x1b[2J'"},
        {"srvr", {.says = no_quorum, .closes = true}, ERROR_NOT_SERVING, ""},
        {"mntr", {.says = no_quorum, .closes = true}, ERROR_NOT_SERVING, ""},
        {"srvr",
         {.says = "srvr is not executed because it is not in the whitelist.\n", .closes = true},
         ERROR_NONE,
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct endpoint endpoint = {.host = "127.0.0.1"};
        struct four_letter_identity identity = {.talks = false};
        struct error error = {.detail = ""};
        char answer[256];
        pid_t pid = pretend(&endpoint.port, say, &cases[i].pretence);
        uint64_t patience_ns = cases[i].pretence.closes ? PATIENCE_NS : SILENCE_NS,
                 began_ns = clock_now_ns();
        enum error_kind kind = strcmp(cases[i].word, "srvr") == 0
                                   ? four_letter_identify(&endpoint, patience_ns, &identity, &error)
                                   : four_letter_ask(&endpoint, cases[i].word, patience_ns, answer,
                                                     sizeof answer, &error);
        stop_pretending(pid);
        if (kind != cases[i].kind)
            fail_msg("'%s' was taken for: %s", cases[i].pretence.says, error_words(kind));
        assert_true(kind != ERROR_NO_ANSWER || clock_now_ns() - began_ns >= SILENCE_NS);
        assert_has(error.detail, cases[i].detail);
        assert_false(identity.talks);
    }
}

/* ------------------------------------------------------------------ sessions with pretenders */

#define TIMEOUT_MS 30000

/* How each request is answered. */
struct answers {
    int code;
    const void *body;
    uint32_t body_size;
};

/* The second number of a message: of a request the xid. False at the end. */
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
static void serve_session(int listener, const void *context)
{
    const struct answers *answers = context;
    struct __attribute__((packed)) {
        uint32_t length, version, timeout_ms, session[2], password_length;
        char password[16], read_only;
    } welcome = {htonl(37), 0, htonl(TIMEOUT_MS), {0, htonl(1)}, htonl(16), "", 0};
    uint32_t xid;
    int descriptor = accept(listener, NULL, NULL);
    if (!read_message(descriptor, &xid) ||
        write(descriptor, &welcome, sizeof welcome) != sizeof welcome)
        return;
    while (read_message(descriptor, &xid)) {
        const uint32_t head[] = {htonl(16 + answers->body_size), xid, 0, htonl(1),
                                 htonl((uint32_t)answers->code)};
        char reply[64];
        memcpy(reply, head, sizeof head);
        memcpy(reply + sizeof head, answers->body, answers->body_size);
        ssize_t length = (ssize_t)(sizeof head + answers->body_size);
        if (write(descriptor, reply, (size_t)length) != length)
            return;
    }
}

static bool established, has_replied;
static enum zk_status answer;

static void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    established = state == CLIENT_ESTABLISHED;
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    has_replied = true;
    answer = reply->status;
    assert_true(reply->status != ZK_OK || reply->path != NULL);
}

static struct event_loop *open_sessions(uint16_t port, size_t count, struct client **client)
{
    static const struct client_listener listener = {state_changed, ignore_sent, replied,
                                                    ignore_event};
    struct event_loop *events = NULL;
    struct error error = {0};
    char hosts[32];
    snprintf(hosts, sizeof hosts, "127.0.0.1:%u", port);
    live_expect(event_loop_new(count, NULL, &events, &error), &error);
    for (size_t i = 0; i < count; i++)
        live_expect(event_loop_open(events, hosts, TIMEOUT_MS, 1, &listener, NULL, client, &error),
                    &error);
    return events;
}

static void await(struct event_loop *events, const bool *come)
{
    struct error error = {0};
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (!*come && clock_now_ns() < until_ns)
        live_expect(event_loop_poll(events, until_ns, &error), &error);
    assert_true(*come);
}

/* Asks such a server, and expects that its reply is an error. */
static void assert_refused(const struct request *request, const void *body, uint32_t body_size)
{
    const struct answers answers = {0, body, body_size};
    struct client *client = NULL;
    uint16_t port;
    pid_t pid = pretend(&port, serve_session, &answers);
    established = has_replied = false;
    struct event_loop *events = open_sessions(port, 1, &client);
    await(events, &established);
    client_submit(client, request, 0);
    await(events, &has_replied);
    assert_int_equal(answer, ZK_OTHER_ERROR);
    stop_pretending(pid);
    event_loop_free(events);
}

/* No body; a number of names below 0, and more names than the reply has. The library asks for
 * memory for that number, which a sanitizer takes for a mistake of its caller. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const uint32_t counts[] = {3};
#else
static const uint32_t counts[] = {UINT32_MAX, 1U << 31, 3};
#endif

TEST(test_a_reply_that_cannot_be_has_failed)
{
    const struct request create = request_create("/a", NULL, 0, PERSISTENT);
    const struct request list = {.operation = OP_GET_CHILDREN, .path = "/a"};
    assert_refused(&create, "", 0);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t body[] = {htonl(counts[i]), htonl(1), htonl('a' << 24U)};
        assert_refused(&list, body, sizeof body - 3);
    }
}

/* AuthFailed, as of a server whose scheme digest is switched off. */
TEST(test_a_server_that_takes_no_credentials_is_told)
{
    static const struct answers auth_failed = {-115, "", 0};
    struct identity ann = {.credentials = "ann:secret"};
    struct connect_string servers = {
        .endpoints = {{.host = "127.0.0.1"}}, .count = 1, .identity = &ann};
    struct setup_session *setup = NULL;
    struct error error;
    pid_t pid = pretend(&servers.endpoints[0].port, serve_session, &auth_failed);
    assert_int_equal(setup_session_new(&servers, NULL, PATIENCE_NS, -1, &setup, &error),
                     ERROR_REFUSED_IDENTITY);
    stop_pretending(pid);
}

/* Sessions that have not been opened, for nobody accepts, cannot be closed in order: that is told.
 */
TEST(test_a_close_that_nobody_confirms_is_told)
{
    struct client *client = NULL;
    struct error error = {0};
    uint16_t port;
    int listener = port_listen(&port);
    struct event_loop *events = open_sessions(port, 2, &client);
    live_expect(event_loop_poll(events, clock_now_ns() + 10 * NS_PER_MS, &error), &error);
    assert_int_equal(event_loop_close(events, clock_now_ns() + NS_PER_S), 2);
    event_loop_free(events);
    close(listener);
}

TEST_GROUP(live_start, live_stop)

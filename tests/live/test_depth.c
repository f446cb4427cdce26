// SPDX-License-Identifier: Apache-2.0
/* Sessions with many requests outstanding, on a real server with each driver and in a simulation:
 * order, errors, lost connections, bytes, and values as large as servers take. */
#include "client/event_loop.h"
#include "client/thread_sessions.h"
#include "sim/sim.h"
#include "tests/support/ignore.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEPTH_MAX   100
#define STEPS       400
#define TAG         UINT64_C(7000000000)
#define A           ROOT "/a"
#define NONE        ROOT "/none"
#define LARGE       ((size_t)1000000)
#define DESCRIPTORS 256

/* What came of a request. */
struct answer {
    enum operation operation;
    enum zk_status status;
    int64_t version; /* so wide that there is no padding: answers are compared as memory */
    size_t value_length;
    char value[24]; /* the first bytes of it */
};

/* A session, and what it is to ask: `ask` makes request number i, as long as the session lives. */
static struct session {
    enum driver driver;
    struct event_loop *events;
    struct thread_sessions *threads;
    struct sim *sim;
    struct client *client;
    uint32_t depth;
    struct request (*ask)(unsigned i);
    unsigned total, submitted;
    bool (*check)(unsigned i, const struct client_reply *reply);
    struct client_bytes bytes; /* when all was answered */
    struct answer answers[STEPS];
    const char *wrong; /* what was, first */
    atomic_uint answered, connections, turns, notified;
} session;

static void find_wrong(const char *what)
{
    if (session.wrong == NULL)
        session.wrong = what;
}

static void ask_all(void)
{
    while (session.submitted < session.total && session.client->outstanding < session.depth) {
        const struct request request = session.ask(session.submitted);
        client_submit(session.client, &request, TAG + session.submitted++);
    }
    unsigned outstanding = session.submitted - atomic_load(&session.answered);
    if (outstanding > session.depth ||
        (outstanding < session.depth && session.submitted < session.total))
        find_wrong("more or fewer outstanding than the depth");
    if (session.client->outstanding != outstanding)
        find_wrong("an answer too many or too few");
}

static void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    atomic_fetch_add(&session.connections, state == CLIENT_ESTABLISHED);
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    unsigned i = atomic_load(&session.answered);
    struct answer *answer = &session.answers[i];
    size_t count =
        reply->value_length < sizeof answer->value ? reply->value_length : sizeof answer->value;
    if (i >= session.total || reply->tag != TAG + i)
        find_wrong("the order of the replies");
    if (session.driver != DRIVER_SIMULATED && reply->latency_ns == 0)
        find_wrong("a latency");
    if (session.check != NULL && !session.check(i, reply))
        find_wrong("a reply");
    *answer = (struct answer){.operation = reply->operation,
                              .status = reply->status,
                              .version = reply->version,
                              .value_length = reply->value_length};
    if (count > 0)
        memcpy(answer->value, reply->value, count);
    if (i + 1 == session.total)
        client_bytes(session.client, &session.bytes);
    bool is_asked = session.submitted == session.total;
    atomic_store(&session.answered, i + 1); /* the last: the session is the test's from here on */
    if (!is_asked)
        ask_all();
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
    atomic_fetch_add(&session.notified, 1);
}

static const struct client_listener listener = {state_changed, ignore_sent, replied, notified};

/* ------------------------------------------------------------------ driving it */

static void take_turn(void *owner, int order)
{
    (void)owner;
    (void)order;
    ask_all();
    atomic_fetch_add(&session.turns, 1);
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

static void await(atomic_uint *count, unsigned awaited, const char *what)
{
    struct error error = {0};
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (atomic_load(count) < awaited && clock_now_ns() < until_ns) {
        if (session.driver == DRIVER_EVENTS)
            live_expect(event_loop_poll(session.events, clock_now_ns() + NS_PER_S, &error), &error);
        else if (session.driver == DRIVER_THREADS)
            usleep(500);
        else if (!sim_step(session.sim))
            break;
    }
    if (session.wrong != NULL)
        fail_msg("wrong: %s, at %u", session.wrong, atomic_load(&session.answered));
    if (atomic_load(count) < awaited)
        fail_msg("%u of %u %s", atomic_load(count), awaited, what);
}

static void ignore_reply(void *owner, const struct client_reply *reply)
{
    (void)owner;
    (void)reply;
}

/* As live_start does on the real server. */
static void create_root(struct sim *sim)
{
    static const struct client_listener ignoring = {ignore_state, ignore_sent, ignore_reply,
                                                    notified};
    struct error error = {0};
    struct client *client;
    live_expect(sim_open(sim, 0, 60000, 1, &ignoring, NULL, &client, &error), &error);
    const struct request root = request_create(ROOT, NULL, 0, PERSISTENT);
    client_submit(client, &root, 0);
    while (client->outstanding > 0)
        assert_true(sim_step(sim));
    sim_close(client);
}

static void open_session(enum driver driver, uint32_t depth, uint32_t timeout_ms)
{
    static const struct thread_session_hooks hooks = {take_turn, no_alarm, no_wait};
    const struct sim_options options = sim_options_default();
    char hosts[CONNECT_TEXT_SIZE];
    struct error error = {0};
    memset(&session, 0, sizeof session);
    session.driver = driver;
    session.depth = depth;
    connect_format(&live_servers, true, hosts, sizeof hosts);
    if (driver == DRIVER_EVENTS) {
        live_expect(event_loop_new(1, NULL, &session.events, &error), &error);
        live_expect(event_loop_open(session.events, hosts, timeout_ms, depth, &listener, NULL,
                                    &session.client, &error),
                    &error);
    } else if (driver == DRIVER_THREADS) {
        live_expect(thread_sessions_new(1, NULL, &hooks, &session.threads, &error), &error);
        live_expect(thread_sessions_open(session.threads, hosts, timeout_ms, &listener, NULL,
                                         &session.client, &error),
                    &error);
    } else {
        live_expect(sim_new(&options, &session.sim, &error), &error);
        create_root(session.sim);
        live_expect(
            sim_open(session.sim, 0, timeout_ms, depth, &listener, NULL, &session.client, &error),
            &error);
    }
    await(&session.connections, 1, "connections");
}

/* Begins to ask so many requests. */
static void begin(struct request (*ask)(unsigned i), unsigned total)
{
    unsigned turns = atomic_load(&session.turns) + 1;
    session.ask = ask;
    session.total = total;
    session.submitted = 0;
    atomic_store(&session.answered, 0);
    if (session.driver == DRIVER_THREADS)
        thread_session_order(session.client, 0);
    else
        take_turn(NULL, 0);
    await(&session.turns, turns, "turns");
}

static void ask(struct request (*ask_one)(unsigned i), unsigned total)
{
    begin(ask_one, total);
    await(&session.answered, total, "answers");
}

static void close_session(void)
{
    if (session.driver == DRIVER_EVENTS) {
        assert_int_equal(event_loop_close(session.events, clock_now_ns() + PATIENCE_NS), 0);
        event_loop_free(session.events);
    } else if (session.driver == DRIVER_THREADS) {
        assert_int_equal(thread_sessions_close(session.threads, clock_now_ns() + PATIENCE_NS), 0);
        thread_sessions_free(session.threads);
    } else {
        sim_free(session.sim);
    }
}

static void clean(void)
{
    struct error error = {0};
    live_expect(setup_session_delete_tree(live_host.setup, ROOT, &error), &error);
    live_expect(setup_session_create(live_host.setup, ROOT, "", &error), &error);
}

static struct request create_a(unsigned i)
{
    return request_create(i == 0 ? ROOT : A, "old", 3, PERSISTENT);
}

/* ------------------------------------------------------------------ order, errors and bytes */

/* Each reply tells of which request it is. */
static struct request mixed(unsigned i)
{
    static char value[24];
    static const struct request failing[] = {{.operation = OP_CHECK, .path = NONE, .version = 1}};
    switch (i % 8) {
    case 0:
        snprintf(value, sizeof value, "value %u", i);
        return request_set(A, value, strlen(value), REQUEST_ANY_VERSION);
    case 1:
        return (struct request){.operation = OP_GET, .path = A};
    case 2:
        return request_create(A, NULL, 0, EPHEMERAL);
    case 3:
        return (struct request){.operation = OP_EXISTS, .path = A, .watch = WATCH};
    case 4:
        return request_set(A, "x", 1, 0);
    case 5:
        return (struct request){.operation = OP_GET_CHILDREN, .path = NONE};
    case 6:
        return (struct request){.operation = OP_MULTI, .parts = failing, .part_count = 1};
    default:
        return request_delete(NONE);
    }
}

static bool check_mixed(unsigned i, const struct client_reply *reply)
{
    static const enum zk_status statuses[] = {
        ZK_OK, ZK_OK, ZK_NODE_EXISTS, ZK_OK, ZK_BAD_VERSION, ZK_NO_NODE, ZK_NO_NODE, ZK_NO_NODE};
    char value[24];
    if (reply->status != statuses[i % 8])
        return false;
    if (i % 8 == 3 && reply->version != (int32_t)(i / 8) + 1)
        return false;
    if (i % 8 != 1)
        return true;
    int length = snprintf(value, sizeof value, "value %u", i - 1);
    return reply->value_length == (size_t)length &&
           memcmp(reply->value, value, (size_t)length) == 0;
}

/* The same replies and bytes with each driver. */
static void compare_drivers(struct request (*ask_one)(unsigned i), unsigned total,
                            bool (*check)(unsigned i, const struct client_reply *reply),
                            unsigned notifications)
{
    static const uint32_t depths[] = {1, 2, DEPTH_MAX};
    static struct session first;
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        for (int driver = DRIVER_EVENTS; driver <= DRIVER_SIMULATED; driver++) {
            if (driver == DRIVER_THREADS && depths[i] > 1) /* a thread waits for each reply */
                continue;
            open_session((enum driver)driver, depths[i], 120000);
            ask(create_a, 2);
            assert_int_equal(session.answers[1].status, ZK_OK);
            session.check = check;
            ask(ask_one, total);
            await(&session.notified, notifications, "notifications");
            if (driver == DRIVER_EVENTS)
                memcpy(&first, &session, sizeof session);
            assert_memory_equal(session.answers, first.answers, sizeof session.answers);
            assert_int_equal(session.bytes.sent_bytes, first.bytes.sent_bytes);
            assert_int_equal(session.bytes.received_bytes, first.bytes.received_bytes);
            close_session();
            clean();
        }
    }
}

TEST(test_order_errors_and_bytes)
{
    compare_drivers(mixed, STEPS, check_mixed, STEPS / 8 - 1);
}

/* ------------------------------------------------------------------ large values */

static char large[LARGE];

static struct request large_values(unsigned i)
{
    if (i % 2 == 1)
        return (struct request){.operation = OP_GET, .path = A};
    memset(large, 'a' + (int)i / 2, sizeof large);
    large[LARGE - 1] = '.';
    return request_set(A, large, sizeof large, REQUEST_ANY_VERSION);
}

static bool check_large(unsigned i, const struct client_reply *reply)
{
    if (reply->status != ZK_OK || i % 2 == 0)
        return reply->status == ZK_OK;
    if (reply->value_length != LARGE || reply->value[LARGE - 1] != '.')
        return false;
    for (size_t at = 0; at < LARGE - 1; at++) {
        if (reply->value[at] != 'a' + (int)i / 2)
            return false;
    }
    return true;
}

/* Many of them are more than a socket takes at once. */
TEST(test_large_values_are_whole)
{
    compare_drivers(large_values, 12, check_large, 0);
}

/* The sockets of this process that lead to the server. */
static void look_for_sockets(bool *found)
{
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        struct sockaddr_in peer = {0};
        socklen_t length = sizeof peer;
        found[descriptor] = getpeername(descriptor, (struct sockaddr *)&peer, &length) == 0 &&
                            peer.sin_family == AF_INET &&
                            ntohs(peer.sin_port) == live_servers.endpoints[0].port;
    }
}

/* Opens a session, and returns its socket. */
static int open_socket(enum driver driver, uint32_t depth, uint32_t timeout_ms)
{
    bool before[DESCRIPTORS], after[DESCRIPTORS];
    int opened = -1;
    look_for_sockets(before);
    open_session(driver, depth, timeout_ms);
    look_for_sockets(after);
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        if (before[descriptor] || !after[descriptor])
            continue;
        assert_int_equal(opened, -1);
        opened = descriptor;
    }
    return opened;
}

/* The rest of a request goes out when there is room, not when the library's next ping is due. */
TEST(test_what_a_socket_does_not_take_goes_out_soon)
{
    const int bytes = 4096; /* that it takes at once */
    int descriptor = open_socket(DRIVER_EVENTS, 1, 120000);
    assert_int_equal(setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
    ask(create_a, 2);
    session.check = check_large;
    ask(large_values, 2);
    close_session();
    clean();
}

/* ------------------------------------------------------------------ connections that are lost */

static struct request bad_at_times(unsigned i)
{
    if (i % 3 == 0)
        return (struct request){.operation = OP_EXISTS, .path = "no path"};
    return (struct request){.operation = OP_EXISTS, .path = ROOT};
}

static bool check_lost(unsigned i, const struct client_reply *reply)
{
    (void)i;
    return reply->status == ZK_CONNECTION_LOSS;
}

/* While the server stands still, nothing is answered; then nothing can be any more. */
static void check_loss(enum driver driver, uint32_t depth)
{
    int descriptor = open_socket(driver, depth, 6000);
    ask(create_a, 2);
    pause_process(live_ensemble->servers[0].pid);
    session.check = check_lost;
    begin(mixed, depth);
    assert_int_equal(shutdown(descriptor, SHUT_RDWR), 0);
    await(&session.answered, depth, "answers");
    assert_int_equal(session.client->outstanding, 0);
    kill(live_ensemble->servers[0].pid, SIGCONT);
    await(&session.connections, 2, "connections");
    session.check = NULL;
    ask(bad_at_times, STEPS);
    assert_int_equal(session.answers[STEPS - 1].status,
                     (STEPS - 1) % 3 == 0 ? ZK_OTHER_ERROR : ZK_OK);
    close_session();
    clean();
}

/* The test may have failed in between. */
static int let_the_server_go_on(void **state)
{
    (void)state;
    return kill(live_ensemble->servers[0].pid, SIGCONT);
}

TEST_BETWEEN(test_each_is_answered_once_when_the_connection_is_lost, NULL, let_the_server_go_on)
{
    static const uint32_t depths[] = {1, 2, DEPTH_MAX};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++)
        check_loss(DRIVER_EVENTS, depths[i]);
    check_loss(DRIVER_THREADS, 1);
}

TEST_GROUP(live_start, live_stop)

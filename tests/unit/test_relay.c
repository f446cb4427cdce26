// SPDX-License-Identifier: Apache-2.0
/* Bytes, ends and resets pass the relay unchanged, whatever either side does. The server is a
 * socket of this test. */
#include "relay/relay.h"

#include "base/clock.h"
#include "base/random.h"

#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIMIT_NS (60 * NS_PER_S)
#define BYTES    ((size_t)8 << 20)

static struct connect_string servers;
static struct relay *relay;
static int listening;
static struct {
    size_t count;
    uint64_t fed[CONVERSATION_SIDES];
    enum conversation_kind kind;
} ended;

static void note_end(void *context, const struct conversation *conversation)
{
    (void)context;
    ended.count++;
    ended.kind = conversation->kind;
    memcpy(ended.fed, conversation->fed_bytes, sizeof ended.fed);
}

static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1024), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* No bytes of these tests are messages. */
static const struct conversation_listener none = {0};

FIXTURE(set_up)
{
    struct error error;
    memset(&ended, 0, sizeof ended);
    servers = (struct connect_string){.count = 1, .endpoints = {{.host = "127.0.0.1"}}};
    listening = listen_anywhere(&servers.endpoints[0].port);
    const struct relay_options options = {
        .servers = &servers, .address = "127.0.0.1", .listener = &none, .ended = note_end};
    return relay_new(&options, &relay, &error) == ERROR_NONE ? 0 : -1;
}

FIXTURE(tear_down)
{
    relay_free(relay);
    close(listening);
    return 0;
}

static void turn(void)
{
    struct error error;
    bool woken;
    assert_int_equal(relay_poll(relay, -1, clock_now_ns() + NS_PER_MS, &woken, &error), ERROR_NONE);
}

/* Turns the relay until the condition holds. */
#define AWAIT(condition)                                                                           \
    for (uint64_t until_ns = clock_now_ns() + LIMIT_NS; !(condition);) {                           \
        assert_true(clock_now_ns() < until_ns);                                                    \
        turn();                                                                                    \
    }

static int connect_client(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(relay_connect(relay)->endpoints[0].port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

/* The two ends of a connection that is relayed. */
struct ends {
    int client, server;
};

static struct ends connect_both(void)
{
    struct ends ends = {connect_client(), -1};
    AWAIT((ends.server = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0);
    return ends;
}

static ssize_t take(int fd, void *bytes, size_t most)
{
    ssize_t count;
    AWAIT((count = recv(fd, bytes, most, 0)) >= 0 || errno != EAGAIN);
    return count;
}

/* Sends the bytes, again and again, to one end, and receives them at the other: all of them once,
 * or, if the receiver is late, as many as until the sender has been stopped. Returns how many. */
static uint64_t send_through(int from, int to, const unsigned char *bytes, bool late)
{
    unsigned char *received = malloc(BYTES);
    size_t out = 0, in = 0, refused = 0, end = late ? SIZE_MAX : BYTES;
    assert_non_null(received);
    for (uint64_t until_ns = clock_now_ns() + LIMIT_NS; in < end;) {
        ssize_t more =
            out < end ? send(from, bytes + out % BYTES, BYTES - out % BYTES, MSG_NOSIGNAL) : 0;
        out += more > 0 ? (size_t)more : 0;
        refused = more < 0 ? refused + 1 : 0;
        if (late && refused == 20) {
            late = false;
            end = out;
        }
        turn();
        more = late ? 0 : recv(to, received, BYTES - in % BYTES, 0);
        if (more > 0)
            assert_memory_equal(received, bytes + in % BYTES, (size_t)more);
        in += more > 0 ? (size_t)more : 0;
        assert_true(clock_now_ns() < until_ns);
    }
    free(received);
    return in;
}

static void fill(unsigned char *bytes, size_t count)
{
    struct random random;
    random_init(&random, 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)random_next(&random);
}

TEST_BETWEEN(bytes_pass_unchanged_in_both_directions, set_up, tear_down)
{
    unsigned char *bytes = malloc(BYTES);
    struct ends ends = connect_both();
    assert_non_null(bytes);
    fill(bytes, BYTES);
    uint64_t fed[] = {send_through(ends.client, ends.server, bytes, false),
                      send_through(ends.server, ends.client, bytes, false)};
    /* As much as all buffers hold, to an end that does not read for a while. */
    fed[0] += send_through(ends.client, ends.server, bytes, true);
    fed[1] += send_through(ends.server, ends.client, bytes, true);
    free(bytes);
    close(ends.client);
    close(ends.server);
    AWAIT(relay_connections(relay).open == 0);
    assert_int_equal(ended.count, 1);
    assert_int_equal(ended.fed[CONVERSATION_CLIENT], fed[0]);
    assert_int_equal(ended.fed[CONVERSATION_SERVER], fed[1]);
}

/* What was sent before an end arrives before it. */
TEST_BETWEEN(the_end_of_one_direction_leaves_the_other, set_up, tear_down)
{
    char bytes[8];
    struct ends ends = connect_both();
    assert_int_equal(send(ends.client, "ruok", 4, 0), 4);
    assert_int_equal(shutdown(ends.client, SHUT_WR), 0);
    assert_int_equal(take(ends.server, bytes, sizeof bytes), 4);
    assert_int_equal(take(ends.server, bytes, sizeof bytes), 0);
    assert_int_equal(relay_connections(relay).open, 1);
    assert_int_equal(send(ends.server, "imok", 4, 0), 4);
    close(ends.server);
    assert_int_equal(take(ends.client, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "imok", 4);
    assert_int_equal(take(ends.client, bytes, sizeof bytes), 0);
    AWAIT(relay_connections(relay).open == 0);
    assert_int_equal(ended.kind, CONVERSATION_WORD);
    close(ends.client);
}

static void reset(int fd)
{
    const struct linger linger = {.l_onoff = 1};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
    close(fd);
}

TEST_BETWEEN(what_a_server_sends_to_a_client_that_is_gone_counts, set_up, tear_down)
{
    for (int is_late = 0; is_late < 2; is_late++) {
        struct ends ends = connect_both();
        if (!is_late)
            assert_int_equal(send(ends.server, "x", 1, 0), 1);
        reset(ends.client);
        if (is_late)
            assert_int_equal(send(ends.server, "x", 1, 0), 1);
        AWAIT(relay_connections(relay).open == 0);
        assert_int_equal(ended.fed[CONVERSATION_SERVER], 1);
        close(ends.server);
    }
}

TEST_BETWEEN(a_reset_passes_as_a_reset, set_up, tear_down)
{
    char byte;
    struct ends ends = connect_both();
    reset(ends.client);
    assert_int_equal(take(ends.server, &byte, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    close(ends.server);
    ends = connect_both();
    reset(ends.server);
    assert_int_equal(take(ends.client, &byte, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    close(ends.client);
    assert_int_equal(relay_connections(relay).open, 0);
    assert_int_equal(ended.count, 2);
}

TEST_BETWEEN(a_server_that_refuses_ends_the_connection, set_up, tear_down)
{
    char byte;
    close(listening);
    int client = connect_client();
    assert_int_equal(take(client, &byte, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    close(client);
    assert_int_equal(relay_connections(relay).unconnected, 1);
    assert_int_equal(relay_connections(relay).open, 0);
    listening = listen_anywhere(&servers.endpoints[0].port);
}

/* The relay goes on without descriptors: the connection ends, and later ones pass. */
TEST_BETWEEN(without_descriptors_a_connection_is_turned_away, set_up, tear_down)
{
    struct rlimit limit, low;
    char byte;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int client = connect_client(), probe = dup(client);
    low = (struct rlimit){.rlim_cur = (rlim_t)probe, .rlim_max = limit.rlim_max};
    close(probe);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    ssize_t count = take(client, &byte, 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(count <= 0);
    assert_int_equal(relay_connections(relay).unaccepted, 1);
    close(client);
    struct ends ends = connect_both();
    assert_int_equal(send(ends.client, "x", 1, 0), 1);
    assert_int_equal(take(ends.server, &byte, 1), 1);
    close(ends.client);
    close(ends.server);
}

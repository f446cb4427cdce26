// SPDX-License-Identifier: Apache-2.0
/* What the codes and results of the client library mean, and the server of its handle; operations
 * outstanding and their replies; and the library's sockets. */
#include "base/clock.h"
#include "client/client.h"
#include "client/library.h"
#include "client/sockets.h"

#include "tests/support/ignore.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whatever the library calls the loss of a connection, the request may have been carried out or
 * not; what was never sent is no such loss. */
TEST(test_codes_have_a_status)
{
    static const struct {
        int code;
        enum zk_status status;
    } rows[] = {
        {ZCONNECTIONLOSS, ZK_CONNECTION_LOSS}, {ZOPERATIONTIMEOUT, ZK_CONNECTION_LOSS},
        {ZCLOSING, ZK_CONNECTION_LOSS},        {ZRUNTIMEINCONSISTENCY, ZK_CONNECTION_LOSS},
        {ZBADARGUMENTS, ZK_OTHER_ERROR},       {ZMARSHALLINGERROR, ZK_OTHER_ERROR},
        {ZINVALIDSTATE, ZK_SESSION_EXPIRED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(library_status(rows[i].code), rows[i].status);
}

enum { CONNECTED = 3, EXPIRED = -112, REFUSED = -113 };

static int state_of_session;

static int state_of(zhandle_t *zk)
{
    (void)zk;
    return state_of_session;
}

/* The library is not called: it has no multi here. */
TEST(test_a_multi_of_a_session_that_is_gone_is_not_asked)
{
    static const int states[] = {EXPIRED, REFUSED};
    const struct library library = {.state = state_of,
                                    .connected_state = CONNECTED,
                                    .expired_state = EXPIRED,
                                    .auth_failed_state = REFUSED};
    const struct request part = request_delete("/a");
    const struct request multi = {.operation = OP_MULTI, .parts = &part, .part_count = 1};
    struct handle handle = {.library = &library};
    struct handle_answer answer = {0};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        state_of_session = states[i];
        assert_int_equal(handle_submit(&handle, &multi), ZINVALIDSTATE);
        assert_int_equal(handle_call(&handle, &multi, &answer).status, ZK_SESSION_EXPIRED);
    }
}

/* ------------------------------------------------------------------ replies of any shape */

/* What the library makes of a server's reply. */
static struct {
    int code;
    const char *path, *value;
    int length;
    const struct Stat *stat;
    const struct String_vector *names;
} made;

static int create(zhandle_t *zk, const char *path, const char *value, int length,
                  const struct ACL_vector *acl, int mode, string_completion_t completion,
                  const void *data)
{
    (void)zk, (void)path, (void)value, (void)length, (void)acl, (void)mode;
    completion(made.code, made.path, data);
    return ZOK;
}

static int exists(zhandle_t *zk, const char *path, int watch, stat_completion_t completion,
                  const void *data)
{
    (void)zk, (void)path, (void)watch;
    completion(made.code, made.stat, data);
    return ZOK;
}

static int get(zhandle_t *zk, const char *path, int watch, data_completion_t completion,
               const void *data)
{
    (void)zk, (void)path, (void)watch;
    completion(made.code, made.value, made.length, made.stat, data);
    return ZOK;
}

static int get_children(zhandle_t *zk, const char *path, int watch, strings_completion_t completion,
                        const void *data)
{
    (void)zk, (void)path, (void)watch;
    completion(made.code, made.names, data);
    return ZOK;
}

static void submit(struct client *client, const struct request *request)
{
    assert_int_equal(handle_submit((struct handle *)client, request), ZOK);
}

static void replied(void *owner, const struct client_reply *reply)
{
    *(struct client_reply *)owner = *reply;
}

static struct client_reply reply_to(enum operation operation)
{
    static const struct library library = {
        .acreate = create, .aexists = exists, .aget = get, .aget_children = get_children};
    static const struct client_driver driver = {.submit = submit};
    static const struct client_listener listener = {.sent = ignore_sent, .replied = replied};
    struct client_reply reply;
    struct handle handle = {.client = {.driver = &driver, .listener = &listener, .owner = &reply},
                            .library = &library,
                            .self = &handle};
    client_submit(&handle.client, &(struct request){.operation = operation, .path = "/a"}, 0);
    return reply;
}

static void assert_malformed(enum operation operation)
{
    const struct client_reply reply = reply_to(operation);
    assert_int_equal(reply.status, ZK_OTHER_ERROR);
    assert_null(reply.path);
    assert_null(reply.value);
    assert_null(reply.names);
    assert_int_equal(reply.name_count + reply.value_length, 0);
}

static struct client_reply children(int code, const struct String_vector *names)
{
    made.code = code;
    made.names = names;
    return reply_to(OP_GET_CHILDREN);
}

TEST(containers_and_znodes_with_a_time_to_live_have_no_owner)
{
    static const int64_t owners[][2] = {
        {INT64_MIN, 0},
        {(int64_t)(UINT64_C(0xff0000) << 40 | 1000), 0},
        {(int64_t)(UINT64_C(0xff0000) << 40 | UINT64_C(600000) << 16),
         (int64_t)(UINT64_C(0xff0000) << 40 | UINT64_C(600000) << 16)},
        {0x1000000000001, 0x1000000000001}};
    made.code = ZOK;
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        const struct Stat stat = {.ephemeralOwner = owners[i][0]};
        made.stat = &stat;
        assert_int_equal(reply_to(OP_EXISTS).owner, owners[i][1]);
    }
    made.stat = NULL;
}

/* The count of names is the server's word; names that the reply lacks are NULL. */
TEST(names_that_are_not_there_are_no_answer)
{
    char first[] = "a", second[] = "b";
    char *none[] = {NULL}, *one[] = {first, NULL}, *two[] = {first, second};
    const struct String_vector wrong[] = {{-1, NULL},        {INT32_MIN, two}, {1, NULL},
                                          {INT32_MAX, none}, {2, one},         {INT32_MAX, one}};
    const struct String_vector empty = {0, NULL}, right = {2, two};
    made.code = ZOK;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        made.names = &wrong[i];
        assert_malformed(OP_GET_CHILDREN);
    }
    made.names = NULL;
    assert_malformed(OP_GET_CHILDREN);
    assert_int_equal(children(ZOK, &empty).status, ZK_OK);
    assert_int_equal(children(ZOK, &empty).name_count, 0);
    assert_int_equal(children(ZOK, &right).name_count, 2);
    assert_string_equal(children(ZOK, &right).names[1], "b");
    assert_int_equal(children(ZNONODE, NULL).status, ZK_NO_NODE);
}

TEST(a_value_that_is_not_there_is_no_answer)
{
    const struct Stat stat = {.version = 7};
    made.code = ZOK;
    made.length = 5;
    made.stat = &stat;
    assert_malformed(OP_GET);
    made.value = "value";
    assert_int_equal(reply_to(OP_GET).value_length, 5);
    made.stat = NULL;
    assert_malformed(OP_GET);
    assert_malformed(OP_EXISTS);
    assert_malformed(OP_CREATE);
    made.stat = &stat;
    made.value = NULL;
    made.length = -1; /* a znode without data */
    assert_int_equal(reply_to(OP_GET).status, ZK_OK);
    assert_int_equal(reply_to(OP_GET).version, 7);
    made.code = -120; /* EphemeralOnLocalSession */
    assert_int_equal(reply_to(OP_CREATE).code, -120);
}

/* ------------------------------------------------------------------ the server of a handle */

static struct sockaddr_storage peer;

static struct sockaddr *connected_host(zhandle_t *zk, struct sockaddr *address, socklen_t *length)
{
    (void)zk;
    if (peer.ss_family == AF_UNSPEC)
        return NULL;
    *length = peer.ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    memcpy(address, &peer, *length);
    return address;
}

static void expect(const char *server)
{
    const struct library library = {.get_connected_host = connected_host};
    const struct handle handle = {.library = &library};
    char text[CLIENT_SERVER_SIZE + 1];
    memset(text, '!', sizeof text);
    handle_server(&handle.client, text, CLIENT_SERVER_SIZE);
    assert_string_equal(text, server);
    assert_int_equal(text[CLIENT_SERVER_SIZE], '!');
}

static void put_ipv6(const char *address, uint32_t zone)
{
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(65535), .sin6_scope_id = zone};
    assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
    memcpy(&peer, &v6, sizeof v6);
}

/* Two servers may have the same address in different zones, and differ by them alone. */
TEST(test_an_address_of_either_family)
{
    char name[IF_NAMESIZE], server[CLIENT_SERVER_SIZE];
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(2181)};
    assert_int_equal(inet_pton(AF_INET, "10.0.0.7", &v4.sin_addr), 1);
    memcpy(&peer, &v4, sizeof v4);
    expect("10.0.0.7:2181");
    put_ipv6("2001:db8:1111:2222:3333:4444:5555:6666", 0);
    expect("[2001:db8:1111:2222:3333:4444:5555:6666]:65535");
    peer.ss_family = AF_UNSPEC;
    expect("");
    if (if_indextoname(1, name) == NULL)
        skip();
    put_ipv6("fe80:1111:2222:3333:4444:5555:6666:7777", 1);
    snprintf(server, sizeof server, "[fe80:1111:2222:3333:4444:5555:6666:7777%%%s]:65535", name);
    expect(server);
}

/* ------------------------------------------------------------------ outstanding operations */

static struct client client;
static uint64_t time_ns;
static struct client_reply last;
static unsigned replies, refused_at; /* the request with so many outstanding is refused */

static void take_request(struct client *submitted_to, const struct request *request)
{
    (void)request;
    if (submitted_to->outstanding == refused_at)
        client_refuse(submitted_to, ZK_OTHER_ERROR);
}

static uint64_t now_ns(const struct client *asked)
{
    (void)asked;
    return time_ns;
}

static void note_reply(void *owner, const struct client_reply *reply)
{
    (void)owner;
    last = *reply;
    replies++;
}

static void begin(uint32_t depth)
{
    static const struct client_driver driver = {.submit = take_request, .now_ns = now_ns};
    static const struct client_listener listener = {.sent = ignore_sent, .replied = note_reply};
    struct error error;
    client = (struct client){.driver = &driver, .listener = &listener};
    time_ns = replies = refused_at = 0;
    assert_int_equal(client_init(&client, depth, &error), ERROR_NONE);
}

FIXTURE(end)
{
    client_deinit(&client);
    return 0;
}

static void ask(uint64_t tag)
{
    const struct request request = request_delete("/a");
    time_ns = tag * 1000;
    assert_true(client.outstanding < client.depth);
    client_submit(&client, &request, tag);
}

static void answer(uint64_t tag, uint64_t at_ns)
{
    struct client_reply reply = {.status = ZK_OK};
    time_ns = at_ns;
    client_deliver_reply(&client, &reply);
    assert_int_equal(last.tag, tag);
    assert_int_equal(last.operation, OP_DELETE);
    assert_int_equal(last.latency_ns, at_ns - tag * 1000);
}

/* The ring goes round several times, and each latency is from its own request on. */
TEST_BETWEEN(test_replies_bring_back_tags_and_times, NULL, end)
{
    static const uint32_t depths[] = {1, 2, 3, 100};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        uint64_t asked = 0, answered = 0;
        begin(depths[i]);
        while (answered < 1000) {
            while (asked - answered < depths[i])
                ask(asked++);
            assert_int_equal(client.outstanding, client.depth);
            for (uint32_t left = 1 + (uint32_t)(answered % depths[i]); left > 0; left--) {
                answer(answered, asked * 1000 + 7);
                answered++;
            }
            assert_int_equal(client.outstanding, asked - answered);
        }
        client_deinit(&client);
    }
}

/* Not before those that are older, and no later than the next. */
TEST_BETWEEN(test_what_was_refused_is_answered_in_turn, NULL, end)
{
    begin(4);
    refused_at = 2;
    ask(1);
    ask(2);
    ask(3);
    assert_false(client_deliver_refused(&client));
    answer(1, 9000);
    assert_true(client_deliver_refused(&client));
    assert_int_equal(last.tag, 2);
    assert_int_equal(last.status, ZK_OTHER_ERROR);
    assert_int_equal(last.latency_ns, 7000);
    assert_false(client_deliver_refused(&client));
    answer(3, 9000);
    assert_int_equal(replies, 3);
    assert_int_equal(client.outstanding, 0);
    assert_false(client_deliver_refused(&client));
}

/* ------------------------------------------------------------------ sockets */

/* A process with sessions: each owner begins as a session does that has connected. */
static struct socket_owners *owners;
static int sockets[3]; /* that they are to find */

FIXTURE(begin_process)
{
    owners = socket_owners_new(4);
    for (size_t i = 0; i < 3; i++) {
        socket_owner_begin(&owners->all[i]);
        sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        socket_owner_find(&owners->all[i]);
        assert_int_equal(owners->all[i].descriptor, sockets[i]);
        assert_true(socket_owner_stands(&owners->all[i]));
    }
    return 0;
}

FIXTURE(end_process)
{
    for (size_t i = 0; i < 3; i++)
        close(sockets[i]);
    socket_owners_free(owners);
    return 0;
}

/* The library closes a socket and opens the next under its number. */
TEST_BETWEEN(test_a_reconnect_is_found_under_the_number, begin_process, end_process)
{
    struct socket_owner *owner = &owners->all[0];
    int next = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    dup2(next, sockets[0]);
    close(next);
    assert_false(socket_owner_stands(owner));
    socket_owner_confirm(owner);
    assert_true(socket_owner_stands(owner));
    assert_int_equal(owner->descriptor, sockets[0]);
    close(sockets[0]);
    socket_owner_confirm(owner);
    assert_int_equal(owner->descriptor, -1);
    assert_false(socket_owner_stands(owner));
}

TEST_BETWEEN(test_a_socket_that_was_there_is_not_found, begin_process, end_process)
{
    struct socket_owner *owner = &owners->all[3];
    int free_one = dup(0), older = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    close(free_one);
    socket_owner_begin(owner);
    free_one = dup(0); /* as the library's pipe */
    int newer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socket_owner_find(owner);
    assert_int_equal(owner->descriptor, newer);
    close(free_one);
    close(older);
    close(newer);
}

/* Another session has got the number first, but not once it has dropped its socket. */
TEST_BETWEEN(test_what_is_anothers_is_not_taken, begin_process, end_process)
{
    struct socket_owner *one = &owners->all[0], *two = &owners->all[1], *other = &owners->all[2];
    dup2(sockets[2], sockets[0]);
    dup2(sockets[2], sockets[1]);
    socket_owner_confirm(one);
    assert_int_equal(one->descriptor, -1);
    assert_false(socket_owner_stands(one));
    socket_owner_drop(other);
    socket_owner_drop(other);
    assert_int_equal(other->descriptor, -1);
    socket_owner_confirm(two);
    assert_true(socket_owner_stands(two));
}

/* ------------------------------------------------------------------ losing a connection */

#define NOTIFICATION (-1) /* the xids that ZooKeeper gives to what answers no request … */
#define PING         (-2)
#define LENGTH       24 /* … and a message's, without its own four bytes */

static int ends[2];

FIXTURE(connect_ends)
{
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

FIXTURE(close_ends)
{
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static void arrive(int32_t length, int32_t xid, size_t bytes)
{
    uint32_t message[1 + LENGTH / 4] = {htonl((uint32_t)length), htonl((uint32_t)xid)};
    assert_int_equal(write(ends[1], message, bytes), bytes);
}

#define WHOLE (4 + LENGTH)

/* What arrives in this order, and what is seen of it. If the connection were cut for anything but a
 * reply, the server would not have carried the request out. */
TEST(test_only_a_reply_is_taken_for_one)
{
    static const struct {
        struct {
            int32_t length, xid;
            size_t bytes;
        } arriving[3];
        enum drop_connection_view seen;
    } cases[] = {
        {{{0}}, DROP_CONNECTION_NOTHING},
        {{{LENGTH, NOTIFICATION, WHOLE}}, DROP_CONNECTION_OTHER},
        {{{LENGTH, PING, WHOLE}}, DROP_CONNECTION_OTHER},
        {{{LENGTH, NOTIFICATION, WHOLE}, {LENGTH, PING, WHOLE}, {LENGTH, 0, WHOLE}},
         DROP_CONNECTION_REPLY},
        {{{LENGTH, 7, 8}}, DROP_CONNECTION_REPLY}, /* its head is enough */
        {{{LENGTH, 7, 7}}, DROP_CONNECTION_NOTHING},
        {{{INT32_MAX, NOTIFICATION, WHOLE}}, DROP_CONNECTION_NOTHING},
        {{{LENGTH, NOTIFICATION, WHOLE}, {LENGTH, PING, 9}}, DROP_CONNECTION_OTHER},
        /* The middle of a message, of which the library has read a part. */
        {{{15, 7, WHOLE}}, DROP_CONNECTION_OTHER},
        {{{-1, 7, WHOLE}}, DROP_CONNECTION_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        connect_ends(state);
        for (size_t j = 0; j < 3; j++)
            arrive(cases[i].arriving[j].length, cases[i].arriving[j].xid,
                   cases[i].arriving[j].bytes);
        if (drop_connection_peek(ends[0]) != cases[i].seen)
            fail_msg("case %zu", i);
        close_ends(state);
    }
}

/* Else the library would fail to send, and reconnect, before its handle is closed. */
TEST_BETWEEN(test_a_library_left_with_an_idle_connection_may_send, connect_ends, close_ends)
{
    char byte = 1;
    int other_end;
    assert_true(drop_connection_off(ends[0], NULL, 0, &other_end));
    assert_int_equal(recv(ends[1], &byte, 1, 0), 0);
    assert_int_equal(recv(ends[0], &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    while (send(ends[0], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        ;
    assert_int_equal(errno, EAGAIN);
    drop_connection_end(other_end);
    assert_int_equal(send(ends[0], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT), -1);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(poll(&(struct pollfd){.fd = ends[0], .events = POLLOUT}, 1, 0), 1);
    close(other_end);
}

TEST_BETWEEN(test_a_library_may_find_its_connection_ended, connect_ends, close_ends)
{
    char byte = 1;
    assert_true(drop_connection_off(ends[0], NULL, 0, NULL));
    assert_int_equal(recv(ends[1], &byte, 1, 0), 0);
    assert_int_equal(recv(ends[0], &byte, 1, 0), 0);
    assert_int_equal(send(ends[0], &byte, 1, MSG_NOSIGNAL), -1);
}

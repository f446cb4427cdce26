// SPDX-License-Identifier: Apache-2.0
/* What a client and a server say to each other, out of the bytes of their connection, however they
 * are cut; what cannot be read; and what the paths of many znodes have in common. */
#include "relay/pattern.h"
#include "relay/traffic.h"

#include "tests/support/messages.h"
#include "tests/support/test.h"

/* ------------------------------------------------------------------ what is told of them */

static struct traffic traffic;
static struct conversation conversation;

FIXTURE(set_up)
{
    traffic_init(&traffic);
    conversation_init(&conversation, &traffic_listener, &traffic);
    messages_count = 0;
    return 0;
}

FIXTURE(tear_down)
{
    conversation_deinit(&conversation);
    traffic_deinit(&traffic);
    return 0;
}

/* Bytes in memory that ends with them: AddressSanitizer notices who reads on. */
static void feed(enum conversation_side from, const unsigned char *bytes, size_t count)
{
    static uint64_t now_ns = 0;
    unsigned char *copy = malloc(count + (count == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    conversation_feed(&conversation, from, copy, count, now_ns += 1000);
    free(copy);
}

static void feed_all(void)
{
    for (size_t i = 0; i < messages_count; i++)
        feed(messages[i].from, messages[i].bytes, messages[i].count);
}

static uint64_t requests_of(enum opcode opcode)
{
    return traffic.operations[opcode].requests;
}

/* All that hold_a_conversation says. */
static void assert_told(void)
{
    uint64_t requests = 0, replies = 0, failed = 0, sent = 0, received = 0;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        const struct traffic_figures *operation = &traffic.operations[opcode];
        assert_int_equal(operation->requests, operation->replies);
        assert_int_equal(histogram_recorded(&operation->latency), operation->replies);
        requests += operation->requests;
        replies += operation->replies;
        failed += operation->failed;
        sent += operation->bytes_sent;
        received += operation->bytes_received;
    }
    assert_null(conversation.unreadable);
    assert_int_equal(conversation.session, 77);
    assert_int_equal(requests, 23);
    assert_int_equal(replies, 23);
    assert_int_equal(failed, 2);
    assert_int_equal(requests_of(OPCODE_MULTI), 2);
    assert_int_equal(requests_of(OPCODE_OTHER), 1);
    assert_int_equal(requests_of(OPCODE_PING), 1);
    assert_int_equal(traffic_requests(&traffic), 21);
    assert_int_equal(traffic.operations[OPCODE_GET_CHILDREN2].watches, 1);
    assert_int_equal(traffic.operations[OPCODE_EXISTS].watches, 1);
    assert_int_equal(traffic.operations[OPCODE_GET_DATA].watches, 0);
    assert_int_equal(traffic.operations[OPCODE_SET_WATCHES2].watches, 3);
    assert_int_equal(traffic.operations[OPCODE_ADD_WATCH].watches, 1);
    assert_int_equal(traffic.error_count, 2);
    assert_int_equal(traffic.errors[0].opcode, OPCODE_CREATE2);
    assert_int_equal(traffic.errors[0].error, -110);
    assert_int_equal(traffic.notifications[MESSAGE_EVENT_CHANGED], 1);
    assert_int_equal(traffic.notifications[MESSAGE_EVENT_DELETED], 1);
    assert_int_equal(traffic_notifications(&traffic), 2);
    /* By path: all but whoAmI, auth, setWatches2, ping, closeSession, multis and what is unknown.
     */
    uint64_t at_places = 0;
    for (size_t i = 0; i < traffic.places.count; i++)
        at_places += ((struct traffic_place *)traffic.places.list[i])->figures.replies;
    assert_int_equal(at_places, 23 - 8);
    assert_int_equal(traffic.places.list[0]->number, OPCODE_CREATE);
    assert_string_equal(traffic.places.list[0]->text, "/l/q-");
    /* Every byte. */
    for (size_t event = 0; event < TRAFFIC_EVENTS; event++)
        received += traffic.notification_bytes[event];
    assert_int_equal(conversation_unread(&conversation, CLIENT), 0);
    assert_int_equal(conversation_unread(&conversation, SERVER), 0);
    assert_int_equal(sent + traffic.opening_bytes[CLIENT], conversation.fed_bytes[CLIENT]);
    assert_int_equal(received + traffic.opening_bytes[SERVER], conversation.fed_bytes[SERVER]);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.connections, 1);
    assert_int_equal(traffic.sessions, 1);
    assert_int_equal(traffic.resumed, 0);
    assert_int_equal(traffic.unanswered, 0);
    assert_int_equal(traffic.unread_bytes, 0);
}

/* However they are cut: into bytes, or into longer pieces up to whole messages. */
TEST(every_message_is_told)
{
    for (size_t most = 1; most <= BYTES_MOST; most++) {
        set_up(NULL);
        messages_hold();
        for (size_t i = 0; i < messages_count; i++)
            for (size_t at = 0, left; (left = messages[i].count - at) > 0;) {
                size_t piece = left < most ? left : most;
                feed(messages[i].from, messages[i].bytes + at, piece);
                at += piece;
            }
        assert_told();
        tear_down(NULL);
    }
}

/* ------------------------------------------------------------------ what cannot be read */

/* From the message that cannot be read on, nothing is told, and its bytes are unread. */
static void assert_unreadable(const char *why, uint64_t unread)
{
    assert_non_null(conversation.unreadable);
    assert_string_equal(conversation.unreadable, why);
    assert_int_equal(conversation_unread(&conversation, CLIENT) +
                         conversation_unread(&conversation, SERVER),
                     unread);
    uint64_t requests = traffic_requests(&traffic);
    messages_say(CLIENT, "iisf", 90, 4, "/l/b", 0);
    feed(CLIENT, messages[messages_count - 1].bytes, messages[messages_count - 1].count);
    assert_int_equal(traffic_requests(&traffic), requests);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.unreadable, 1);
    assert_string_equal(traffic.why_unreadable, why);
}

TEST(messages_that_cannot_be_read)
{
    static const char *const cases[][3] = {
        /* of the client, of the server, why */
        {"i1 i4 s/l/b f0 f0", NULL, "a request cannot be read"}, /* a byte too many */
        {"i1 i4 s/l/b", NULL, "a request cannot be read"},       /* a byte too few */
        {"i1 i4 i-2 f0", NULL, "a request cannot be read"},      /* a path of a wrong length */
        {"i1 i4 i-2147483648 f0", NULL, "a request cannot be read"},
        {"i1 i4 i100 f0", NULL, "a request cannot be read"},
        {"i1 i4 i2147483647 f0", NULL, "a request cannot be read"},
        {"i1 i4 s/l/b f0", "i1 l9 i0 sno-stat", "a reply cannot be read"},
        {NULL, "i1 l9 i0", "a reply answers no request"},
        /* a vector that is longer than its message */
        {"i1 i8 s/l f0", "i1 l9 i0 i2147483647", "a reply cannot be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(NULL);
        messages_open(77);
        for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
            if (cases[i][side] != NULL)
                messages_say_words(side, cases[i][side]);
        feed_all();
        assert_unreadable(cases[i][2], messages[messages_count - 1].count);
        tear_down(NULL);
    }
}

/* Other protocols begin with what is a length of 16 MB or more. */
TEST(garbage_opens_no_session)
{
    static const unsigned char garbage[][8] = {{0, 0, 0, 2, 1, 2, 3, 4}, "GET / H"};
    for (size_t i = 0; i < 2; i++) {
        set_up(NULL);
        feed(CLIENT, garbage[i], sizeof garbage[i]);
        assert_unreadable("the client's first message does not open a session", 8);
        tear_down(NULL);
    }
}

TEST_BETWEEN(a_server_that_speaks_first, set_up, tear_down)
{
    messages_say(SERVER, "iilsf", 0, 30000, 77, "0123456789abcdef", 0);
    feed_all();
    assert_unreadable("the server spoke first", messages[0].count);
}

/* A length of 2 GB is waited for, and takes no memory. */
TEST_BETWEEN(a_length_without_its_message, set_up, tear_down)
{
    static const unsigned char length[] = {0x7f, 0xff, 0xff, 0xff}, below[] = {0xff, 0, 0, 0};
    messages_open(77);
    feed_all();
    feed(CLIENT, length, sizeof length);
    assert_null(conversation.unreadable);
    assert_int_equal(conversation.splitters[CLIENT].room, 0);
    feed(SERVER, below, sizeof below);
    assert_unreadable("a message has a length below 0", sizeof length + sizeof below);
}

/* A longer one than is kept counts, without its record. */
TEST_BETWEEN(a_message_longer_than_is_kept, set_up, tear_down)
{
    static unsigned char piece[1 << 20];
    const unsigned char head[] = {0, 0x60, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5}; /* 6 MiB: setData */
    messages_open(77);
    feed_all();
    feed(CLIENT, head, sizeof head);
    for (size_t left = ((size_t)6 << 20) - 8, next; left > 0; left -= next) {
        next = left < sizeof piece ? left : sizeof piece;
        feed(CLIENT, piece, next);
    }
    assert_null(conversation.unreadable);
    assert_int_equal(requests_of(OPCODE_SET_DATA), 1);
    assert_int_equal(traffic.operations[OPCODE_SET_DATA].bytes_sent, ((size_t)6 << 20) + 4);
    assert_int_equal(conversation.splitters[CLIENT].room, SPLITTER_KEPT_MAX);
    assert_int_equal(conversation_unread(&conversation, CLIENT), 0);
}

/* ------------------------------------------------------------------ what else is spoken */

/* Another connection, which is counted with those before. */
static void begin_another(void)
{
    conversation_deinit(&conversation);
    conversation_init(&conversation, &traffic_listener, &traffic);
    messages_count = 0;
}

TEST_BETWEEN(a_four_letter_word, set_up, tear_down)
{
    feed(CLIENT, (const unsigned char *)"ru", 2);
    assert_int_equal(conversation.kind, CONVERSATION_SILENT);
    feed(CLIENT, (const unsigned char *)"ok", 2);
    feed(SERVER, (const unsigned char *)"imok", 4);
    assert_int_equal(conversation.kind, CONVERSATION_WORD);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.words, 1);
    assert_int_equal(traffic.unsure, 0);
    begin_another(); /* which no server answers */
    feed(CLIENT, (const unsigned char *)"abcd", 4);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.words, 2);
    assert_int_equal(traffic.unsure, 1);
    assert_int_equal(traffic.unreadable, 0);
    assert_int_equal(traffic.unread_bytes, 0);
}

TEST_BETWEEN(tls_is_told_and_not_read, set_up, tear_down)
{
    static const unsigned char hello[] = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00};
    feed(CLIENT, hello, sizeof hello);
    feed(SERVER, hello, sizeof hello);
    assert_int_equal(conversation.kind, CONVERSATION_TLS);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.encrypted, 1);
    assert_int_equal(traffic.unreadable, 0);
}

/* A server that does not know the session may give the client another one. */
TEST_BETWEEN(a_session_that_is_resumed_and_one_that_is_refused, set_up, tear_down)
{
    static const struct {
        const char *asked, *answered;
        uint64_t sessions, resumed, refused;
    } openings[] = {
        {"i0 l5 i30000 l77 spassword", "i0 i30000 l77 spassword", 1, 1, 0}, /* before 3.4 */
        {"i0 l5 i30000 l78 spassword f0", "i0 i0 l0 spassword f0", 1, 1, 1},
        {"i0 l5 i30000 l78 spassword f0", "i0 i30000 l79 spassword f0", 2, 1, 1},
    };
    for (size_t i = 0; i < 3; i++) {
        begin_another();
        messages_say_words(CLIENT, openings[i].asked);
        messages_say_words(SERVER, openings[i].answered);
        feed_all();
        assert_int_equal(traffic.sessions, openings[i].sessions);
        assert_int_equal(traffic.resumed, openings[i].resumed);
        assert_int_equal(traffic.refused, openings[i].refused);
    }
}

/* They are of the session; without one they count in the end. */
TEST_BETWEEN(requests_that_do_not_wait_for_the_opening, set_up, tear_down)
{
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 0, "0123456789abcdef", 0);
    messages_say(CLIENT, "iisf", 1, 3, "/a", 0);
    messages_say(SERVER, "iilsf", 0, 30000, 77, "0123456789abcdef", 0);
    messages_say(SERVER, "iliS", 1, 9, 0);
    feed_all();
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.each_count, 1);
    assert_int_equal(traffic.each[0]->id, 77);
    assert_int_equal(traffic.each[0]->sums.requests, 1);
    assert_int_equal(traffic.unopened + traffic.unsure, 0);
    begin_another();
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 0, "0123456789abcdef", 0);
    messages_say(CLIENT, "iisf", 1, 3, "/a", 0);
    feed_all();
    traffic_end(&traffic, &conversation);
    assert_int_equal(requests_of(OPCODE_EXISTS), 2);
    assert_int_equal(traffic.unopened, 1);
    assert_int_equal(traffic.unsure, 1);
}

/* Requests that a connection takes with it. */
TEST_BETWEEN(requests_without_a_reply, set_up, tear_down)
{
    messages_open(77);
    for (int xid = 1; xid <= 20; xid++)
        messages_say(CLIENT, "iisf", xid, 4, "/l/b", 0);
    messages_say(SERVER, "ilisS", 3, 11, 0, "x"); /* out of turn, which no server does */
    feed_all();
    assert_null(conversation.unreadable);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.unanswered, 19);
}

/* ------------------------------------------------------------------ patterns */

static void assert_pattern(const char *path, const char *expected)
{
    char pattern[PATTERN_SIZE], again[PATTERN_SIZE];
    assert_int_equal(pattern_fold(path, strlen(path), pattern), strlen(expected));
    assert_string_equal(pattern, expected);
    pattern_fold(pattern, strlen(pattern), again);
    assert_string_equal(again, pattern);
}

TEST(names_of_the_libraries)
{
    /* Curator, kazoo, zoo_lock, WriteLock, zkherd's own recipes. */
    assert_pattern("/l/_c_0f9a2b3c-0000-4111-8222-0123456789ab-lock-0000000017",
                   "/l/_c_<guid>-lock-<n>");
    assert_pattern("/l/0f9a2b3c000041118222012345678abc__lock__0000000003", "/l/<guid>__lock__<n>");
    assert_pattern("/l/x-0100a5b2c3d40001-0000000002", "/l/x-<session>-<n>");
    assert_pattern("/l/x-72057594037927936-0000000002", "/l/x-<session>-<n>");
    assert_pattern("/l/lock-0000000000", "/l/lock-<n>");
    assert_pattern("/l/c0000000000", "/l/c<n>");
    assert_pattern("/l/n-12345678901/data", "/l/n-<n>/data");
}

TEST(other_names_stay)
{
    assert_pattern("/", "/");
    assert_pattern("", "");
    assert_pattern("/zkherd-20261122T080910Z-0001234/t0012",
                   "/zkherd-20261122T080910Z-0001234/t0012");
    assert_pattern("/brokers/ids/123456789", "/brokers/ids/123456789");
    assert_pattern("/a/facade", "/a/facade");
    assert_pattern("/a/deadbeefdeadbeef", "/a/deadbeefdeadbeef"); /* 16 alone: may be any name */
    assert_pattern("/a/0f9a2b3c-0000-4111-8222-0123456789a",
                   "/a/0f9a2b3c-0000-4111-8222-0123456789a");
}

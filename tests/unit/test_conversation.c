// SPDX-License-Identifier: Apache-2.0
/* What a client and a server say to each other, out of the bytes of their connection, however they
 * are cut; and what cannot be read. */
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
    assert_int_equal(traffic.notifications[TRAFFIC_CHANGED], 1);
    assert_int_equal(traffic.notifications[TRAFFIC_DELETED], 1);
    assert_int_equal(traffic_notifications(&traffic), 2);
    /* By path: all but whoAmI, auth, setWatches2, ping, closeSession, multis and what is unknown.
     */
    uint64_t at_places = 0;
    for (size_t i = 0; i < traffic.places.count; i++)
        at_places += traffic.of_places[i]->replies;
    assert_int_equal(at_places, 23 - 8);
    assert_int_equal(traffic.places.list[0].number, OPCODE_CREATE);
    assert_string_equal(traffic.places.list[0].text, "/l/q-");
    /* Every byte. */
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++)
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

TEST_BETWEEN(every_message_is_told, set_up, tear_down)
{
    messages_hold();
    feed_all();
    assert_told();
}

TEST_BETWEEN(a_message_may_be_cut_at_every_byte, set_up, tear_down)
{
    messages_hold();
    size_t longest = 0;
    for (size_t i = 0; i < messages_count; i++)
        longest = messages[i].count > longest ? messages[i].count : longest;
    for (size_t cut = 1; cut < longest; cut++) {
        for (size_t i = 0; i < messages_count; i++) {
            size_t first = cut < messages[i].count ? cut : messages[i].count;
            feed(messages[i].from, messages[i].bytes, first);
            feed(messages[i].from, messages[i].bytes + first, messages[i].count - first);
        }
        assert_told();
        tear_down(NULL);
        traffic_init(&traffic);
        conversation_init(&conversation, &traffic_listener, &traffic);
    }
}

TEST_BETWEEN(a_byte_at_a_time, set_up, tear_down)
{
    messages_hold();
    for (size_t i = 0; i < messages_count; i++)
        for (size_t byte = 0; byte < messages[i].count; byte++)
            feed(messages[i].from, messages[i].bytes + byte, 1);
    assert_told();
}

TEST_BETWEEN(all_messages_in_one_piece, set_up, tear_down)
{
    static unsigned char all[MESSAGES_MOST * BYTES_MOST];
    messages_hold();
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++) {
        size_t count = 0;
        for (size_t i = 0; i < messages_count; i++)
            if (messages[i].from == side) {
                memcpy(all + count, messages[i].bytes, messages[i].count);
                count += messages[i].count;
            }
        feed(side, all, count);
    }
    assert_told();
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

TEST_BETWEEN(a_request_with_a_byte_too_many, set_up, tear_down)
{
    messages_open(77);
    messages_say(CLIENT, "iisff", 1, 4, "/l/b", 0, 0);
    feed_all();
    assert_unreadable("a request cannot be read", messages[2].count);
}

TEST_BETWEEN(a_request_with_a_byte_too_few, set_up, tear_down)
{
    messages_open(77);
    messages_say(CLIENT, "iis", 1, 4, "/l/b");
    feed_all();
    assert_unreadable("a request cannot be read", messages[2].count);
}

TEST_BETWEEN(a_path_of_a_wrong_length, set_up, tear_down)
{
    static const int lengths[] = {-2, INT32_MIN, 100, INT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        messages_open(77);
        messages_say(CLIENT, "iiif", 1, 4, lengths[i], 0);
        feed_all();
        assert_unreadable("a request cannot be read", messages[2].count);
        tear_down(NULL);
        set_up(NULL);
    }
}

TEST_BETWEEN(a_reply_that_cannot_be_read, set_up, tear_down)
{
    messages_open(77);
    messages_say(CLIENT, "iisf", 1, 4, "/l/b", 0);
    messages_say(SERVER, "ilis", 1, 9, 0, "no stat");
    feed_all();
    assert_unreadable("a reply cannot be read", messages[3].count);
}

TEST_BETWEEN(a_reply_to_nothing, set_up, tear_down)
{
    messages_open(77);
    messages_say(SERVER, "ili", 1, 9, 0);
    feed_all();
    assert_unreadable("a reply answers no request", messages[2].count);
}

TEST_BETWEEN(a_vector_longer_than_its_message, set_up, tear_down)
{
    messages_open(77);
    messages_say(CLIENT, "iisf", 1, 8, "/l", 0);
    messages_say(SERVER, "ilii", 1, 9, 0, INT32_MAX);
    feed_all();
    assert_unreadable("a reply cannot be read", messages[3].count);
}

TEST_BETWEEN(a_length_below_zero, set_up, tear_down)
{
    static const unsigned char below[] = {0xff, 0xff, 0xff, 0xfe};
    messages_open(77);
    feed_all();
    feed(CLIENT, below, sizeof below);
    assert_unreadable("a message has a length below 0", sizeof below);
}

TEST_BETWEEN(garbage_opens_no_session, set_up, tear_down)
{
    static const unsigned char garbage[] = {0, 0, 0, 2, 1, 2, 3, 4};
    feed(CLIENT, garbage, sizeof garbage);
    assert_unreadable("the client's first message does not open a session", sizeof garbage);
}

TEST_BETWEEN(a_server_that_speaks_first, set_up, tear_down)
{
    messages_say(SERVER, "iilsf", 0, 30000, 77, "0123456789abcdef", 0);
    feed_all();
    assert_unreadable("the server spoke first", messages[0].count);
}

/* A length of 2 GB is waited for, and takes no memory. */
TEST_BETWEEN(a_message_that_never_ends, set_up, tear_down)
{
    static const unsigned char length[] = {0x7f, 0xff, 0xff, 0xff};
    feed(CLIENT, length, sizeof length);
    assert_null(conversation.unreadable);
    assert_int_equal(conversation.splitters[CLIENT].room, 0);
    assert_int_equal(conversation_unread(&conversation, CLIENT), sizeof length);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.unread_bytes, sizeof length);
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

TEST_BETWEEN(a_four_letter_word, set_up, tear_down)
{
    feed(CLIENT, (const unsigned char *)"ru", 2);
    assert_int_equal(conversation.kind, CONVERSATION_SILENT);
    feed(CLIENT, (const unsigned char *)"ok", 2);
    feed(SERVER, (const unsigned char *)"imok", 4);
    assert_int_equal(conversation.kind, CONVERSATION_WORD);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.words, 1);
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

/* Another connection, which is counted with those before. */
static void begin_another(void)
{
    conversation_deinit(&conversation);
    conversation_init(&conversation, &traffic_listener, &traffic);
    messages_count = 0;
}

TEST_BETWEEN(a_session_that_is_resumed_and_one_that_is_refused, set_up, tear_down)
{
    messages_say(CLIENT, "ilils", 0, 5, 30000, 77, "0123456789abcdef"); /* as before 3.4 */
    messages_say(SERVER, "iils", 0, 30000, 77, "0123456789abcdef");
    feed_all();
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.sessions, 1);
    assert_int_equal(traffic.resumed, 1);
    begin_another();
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 78, "0123456789abcdef", 0);
    messages_say(SERVER, "iilsf", 0, 0, 0, "0123456789abcdef", 0);
    feed_all();
    assert_int_equal(traffic.refused, 1);
    assert_int_equal(traffic.sessions, 1);
    /* A server that does not know the session may give the client another one. */
    begin_another();
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 78, "0123456789abcdef", 0);
    messages_say(SERVER, "iilsf", 0, 30000, 79, "0123456789abcdef", 0);
    feed_all();
    assert_int_equal(traffic.sessions, 2);
    assert_int_equal(traffic.resumed, 1);
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
    assert_int_equal(conversation_unanswered(&conversation), 19);
    traffic_end(&traffic, &conversation);
    assert_int_equal(traffic.unanswered, 19);
}

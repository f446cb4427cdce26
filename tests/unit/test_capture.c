// SPDX-License-Identifier: Apache-2.0
/* Conversations out of captured packets: the counts of any capture that has every segment, in any
 * order, are those of the conversation; what a capture lacks is told. */
#include "base/random.h"
#include "relay/capture.h"
#include "relay/traffic.h"

#include "tests/support/messages.h"
#include "tests/support/test.h"

#include <pcap/dlt.h>

#define SERVER_PORT 2181
#define CLIENT_PORT 40001

/* ------------------------------------------------------------------ what is said */

/* The bytes of both sides, and the messages in their order. */
static unsigned char said[CONVERSATION_SIDES][1024];
static size_t said_count[CONVERSATION_SIDES];

#define SEGMENTS_MOST 1024
static struct segment {
    enum conversation_side from;
    size_t first, count; /* of the bytes of its side */
    size_t heard;        /* bytes of the other side that were received before */
    bool is_end;
} segments[SEGMENTS_MOST];
static size_t segment_count;

static void add_segment(enum conversation_side from, size_t count)
{
    segments[segment_count++] =
        (struct segment){from, said_count[from], count, said_count[!from], false};
    said_count[from] += count;
}

/* The ends of both sides. */
static void hang_up(void)
{
    add_segment(CLIENT, 0);
    segments[segment_count - 1].is_end = true;
    add_segment(SERVER, 0);
    segments[segment_count - 1].is_end = true;
}

/* Where the conversation begins that a capture from the middle has: behind the first delete. */
#define MIDDLE 3

static void hold_a_conversation(void)
{
    segment_count = messages_count = 0;
    memset(said_count, 0, sizeof said_count);
    messages_open(77);
    messages_say(CLIENT, "iis", 1, 104, "/l/gone");   /* getAllChildrenNumber */
    messages_say(CLIENT, "iisf", 2, 3, "/l/lock", 1); /* exists */
    messages_say(SERVER, "ilii", 1, 9, 0, 3);
    messages_say(SERVER, "ili", 2, 9, -101);
    messages_say(CLIENT, "ii", -2, 11); /* ping */
    messages_say(SERVER, "iliiis", -1, -1, 0, 1, 3, "/l/lock");
    messages_say(SERVER, "ili", -2, 9, 0);
    messages_say(CLIENT, "ii", 3, -11); /* closeSession */
    messages_say(SERVER, "ili", 3, 10, 0);
    for (size_t i = 0; i < messages_count; i++) {
        const struct message *message = &messages[i];
        memcpy(said[message->from] + said_count[message->from], message->bytes, message->count);
        add_segment(message->from, message->count);
    }
    hang_up();
}

/* ------------------------------------------------------------------ captures of it */

static struct traffic traffic;
static struct capture *capture;
static uint32_t number[CONVERSATION_SIDES]; /* of the SYN */
static uint16_t client_port;
static uint64_t now_ns;

static const uint64_t ports[] = {9999, SERVER_PORT};

static void begin(void)
{
    const struct capture_options options = {ports, 2, &traffic_listener, traffic_end, &traffic};
    traffic_init(&traffic);
    capture = capture_new(&options);
    client_port = CLIENT_PORT;
    now_ns = 1000;
}

static void end(void)
{
    capture_free(capture);
    traffic_deinit(&traffic);
}

FIXTURE(set_up)
{
    number[CLIENT] = 1000;
    number[SERVER] = 2000;
    hold_a_conversation();
    begin();
    return 0;
}

FIXTURE(tear_down)
{
    end();
    return 0;
}

static unsigned char *put(unsigned char *at, uint32_t value, unsigned width)
{
    while (width-- > 0)
        *at++ = (unsigned char)(value >> 8 * width);
    return at;
}

#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define ACK 0x10

/* A segment of TCP in a packet of IPv4 or IPv6, without checksums; returns its end. */
static unsigned char *put_packet(unsigned char *at, int version, enum conversation_side from,
                                 uint32_t sequence, uint32_t acknowledged, unsigned flags,
                                 const unsigned char *bytes, size_t count)
{
    static const unsigned char extensions[] = {60, 0, 0, 0, 0, 0, 0, 0, 44, 1, 0, 0, 0, 0, 0, 0,
                                               0,  0, 0, 0, 0, 0, 0, 0, 6,  0, 0, 0, 0, 0, 0, 9};
    uint16_t source = from == CLIENT ? client_port : SERVER_PORT,
             target = from == CLIENT ? SERVER_PORT : client_port;
    if (version == 4) {
        at = put(at, 0x45000000 | (uint32_t)(20 + 24 + count), 4);
        at = put(at, 0x00004000, 4); /* not to be divided */
        at = put(at, 64 << 24 | 6 << 16, 4);
        at = put(at, 0x7f000000 | (unsigned)from, 4);
        at = put(at, 0x7f000000 | (unsigned)!from, 4);
    } else {
        at = put(at, 0x60000000, 4);
        at = put(at, (uint32_t)(sizeof extensions + 24 + count), 2);
        at =
            put(at, 0, 2); /* hop by hop, then for the destination, then a fragment that is whole */
        memset(at, 0, 32);
        at[15] = (unsigned char)from;
        at[31] = (unsigned char)!from;
        memcpy(at + 32, extensions, sizeof extensions);
        at += 32 + sizeof extensions;
    }
    at = put(at, (uint32_t)source << 16 | target, 4);
    at = put(at, sequence, 4);
    at = put(at, (flags & ACK) != 0 ? acknowledged : 0, 4);
    at = put(at, 0x6000 | flags, 2); /* 24 bytes: an option */
    at = put(at, 0xffff, 2);
    at = put(at, 0, 4);
    at = put(at, 0x01010100, 4);
    if (count > 0)
        memcpy(at, bytes, count);
    return at + count;
}

/* Takes a packet in memory that ends with it: AddressSanitizer notices who reads on. */
static void take(const unsigned char *packet, size_t captured, size_t length)
{
    unsigned char *copy = malloc(captured + (captured == 0));
    assert_non_null(copy);
    memcpy(copy, packet, captured);
    capture_read_packet(capture, DLT_RAW, copy, captured, length, now_ns += 1000);
    free(copy);
}

static void take_tcp(enum conversation_side from, uint32_t sequence, uint32_t acknowledged,
                     unsigned flags, const unsigned char *bytes, size_t count)
{
    unsigned char packet[2048];
    size_t length =
        (size_t)(put_packet(packet, 4, from, sequence, acknowledged, flags, bytes, count) - packet);
    take(packet, length, length);
}

static void open_connection(void)
{
    take_tcp(CLIENT, number[CLIENT], 0, SYN, NULL, 0);
    take_tcp(SERVER, number[SERVER], number[CLIENT] + 1, SYN | ACK, NULL, 0);
    take_tcp(CLIENT, number[CLIENT] + 1, number[SERVER] + 1, ACK, NULL, 0);
}

static uint32_t sequence_of(const struct segment *segment)
{
    return number[segment->from] + 1 + (uint32_t)segment->first;
}

static uint32_t acknowledged_of(const struct segment *segment)
{
    /* The end of the client is heard by the server's end. */
    return number[!segment->from] + 1 + (uint32_t)segment->heard +
           (segment->is_end && segment->from == SERVER);
}

static void take_segment(const struct segment *segment)
{
    take_tcp(segment->from, sequence_of(segment), acknowledged_of(segment),
             ACK | (segment->is_end ? FIN : 0), said[segment->from] + segment->first,
             segment->count);
}

static void take_all(void)
{
    for (size_t i = 0; i < segment_count; i++)
        take_segment(&segments[i]);
}

/* ------------------------------------------------------------------ what is told of it */

static void assert_told(uint64_t connections)
{
    capture_end(capture);
    assert_null(traffic.why_unreadable);
    assert_int_equal(traffic.connections, connections);
    assert_int_equal(traffic.sessions, connections);
    assert_int_equal(traffic.unread_bytes, 0);
    assert_int_equal(traffic.unanswered, 0);
    assert_int_equal(traffic_requests(&traffic), 2 * connections);
    assert_int_equal(traffic_notifications(&traffic), connections);
    uint64_t bytes = traffic.opening_bytes[CLIENT] + traffic.opening_bytes[SERVER] +
                     traffic.notification_bytes[MESSAGE_EVENT_DELETED] +
                     traffic.notification_bytes[MESSAGE_EVENT_CREATED];
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        const struct traffic_figures *figures = &traffic.operations[opcode];
        assert_int_equal(figures->requests, figures->replies);
        bytes += figures->bytes_sent + figures->bytes_received;
        /* No reply came before its request. */
        assert_true(figures->latency.max_ns <= now_ns);
    }
    assert_int_equal(bytes, connections * (said_count[CLIENT] + said_count[SERVER]));
    assert_int_equal(traffic.operations[OPCODE_EXISTS].failed, connections);
    assert_int_equal(traffic.operations[OPCODE_EXISTS].watches, connections);
    assert_int_equal(capture_counts(capture)->missing_bytes, 0);
    assert_int_equal(capture_counts(capture)->joined, 0);
}

/* Cuts what is said into pieces of so many bytes at most, which are still heard as before. */
static void cut_into(size_t most)
{
    static struct segment pieces[SEGMENTS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < segment_count; i++) {
        struct segment piece = segments[i];
        do {
            piece.count = segments[i].first + segments[i].count - piece.first;
            piece.count = piece.count < most ? piece.count : most;
            pieces[count++] = piece;
            piece.first += piece.count;
        } while (piece.first < segments[i].first + segments[i].count);
    }
    memcpy(segments, pieces, count * sizeof *pieces);
    segment_count = count;
}

/* ------------------------------------------------------------------ orders, again, overlapping */

TEST(any_order_of_pieces_of_any_size_gives_the_same_counts)
{
    struct random random;
    random_init(&random, 21);
    for (size_t most = 1; most <= 64; most++)
        for (size_t i = 0; i < 20; i++) {
            number[CLIENT] = (i % 2 == 0 ? UINT32_MAX : UINT32_MAX / 2) - 40;
            number[SERVER] = (i % 2 == 0 ? UINT32_MAX / 2 : UINT32_MAX) - 90;
            hold_a_conversation();
            cut_into(most);
            random_shuffle(&random, segments, segment_count, sizeof *segments);
            begin();
            open_connection();
            take_all();
            assert_told(1);
            end();
        }
}

/* Each is sent with bytes before it, and every other one before that without them. */
TEST_BETWEEN(segments_that_come_again_and_overlap, set_up, tear_down)
{
    uint64_t again = 0;
    cut_into(7);
    open_connection();
    open_connection();
    for (size_t i = 0; i < segment_count; i++) {
        struct segment wide = segments[i];
        size_t before = wide.first < 5 ? wide.first : 5;
        wide.first -= before;
        wide.count += before;
        if (i % 2 == 0) {
            take_segment(&segments[i]);
            again += segments[i].count;
        }
        take_segment(&wide);
        take_segment(&segments[i / 2]);
        again += before + segments[i / 2].count;
    }
    take_segment(&segments[0]); /* late */
    again += segments[0].count;
    assert_told(1);
    assert_int_equal(capture_counts(capture)->repeated_bytes, again);
}

/* ------------------------------------------------------------------ what a capture lacks */

TEST(a_segment_that_is_lost_is_missed_wherever_it_was)
{
    hold_a_conversation();
    for (size_t lost = 0; lost < segment_count; lost++) {
        begin();
        open_connection();
        for (size_t i = 0; i < segment_count; i++)
            if (i != lost)
                take_segment(&segments[i]);
        bool had_bytes = segments[lost].count > 0;
        capture_end(capture);
        assert_int_equal(traffic.connections, 1);
        assert_int_equal(traffic.unreadable, had_bytes);
        assert_int_equal(capture_counts(capture)->missing_bytes, segments[lost].count);
        if (had_bytes)
            assert_string_equal(traffic.why_unreadable, "the capture lacks a segment");
        /* Nothing is counted that was said after it. */
        assert_true(traffic_requests(&traffic) <= (lost <= 2 ? 0u : lost == 3 ? 1u : 2u));
        assert_int_equal(traffic.operations[OPCODE_CLOSE].replies, lost > 10);
        assert_int_equal(traffic.unread_bytes > 0, had_bytes && lost < segment_count - 3);
        end();
    }
}

/* The last segments of both sides are told by what the other side says that it has received. */
TEST_BETWEEN(a_last_segment_that_is_lost, set_up, tear_down)
{
    open_connection();
    for (size_t i = 0; i < segment_count - 3; i++)
        take_segment(&segments[i]);
    take_tcp(CLIENT, number[CLIENT] + 1 + (uint32_t)said_count[CLIENT],
             number[SERVER] + 1 + (uint32_t)said_count[SERVER], ACK, NULL, 0);
    capture_end(capture);
    assert_string_equal(traffic.why_unreadable, "the capture lacks a segment");
    assert_int_equal(capture_counts(capture)->missing_bytes, 20);
    assert_int_equal(traffic.unanswered, 1);
}

/* The client says that it has received what the server has sent. */
TEST(a_direction_that_was_not_captured)
{
    for (size_t joined = 0; joined < 2; joined++) {
        set_up(NULL);
        if (joined == 0)
            take_tcp(CLIENT, number[CLIENT], 0, SYN, NULL, 0);
        for (size_t i = joined * MIDDLE; i < segment_count; i++)
            if (segments[i].from == CLIENT)
                take_segment(&segments[i]);
        capture_end(capture);
        assert_string_equal(traffic.why_unreadable, "the capture lacks a segment");
        assert_in_range(capture_counts(capture)->missing_bytes, 1, said_count[SERVER]);
        tear_down(NULL);
    }
}

/* No more than CAPTURE_WAITING_MOST bytes are kept; more than that may pass. */
TEST_BETWEEN(a_gap_that_is_never_filled, set_up, tear_down)
{
    static unsigned char bytes[1400] = {0, 0x60}; /* 6 MiB */
    uint64_t unread = 0, passed = 0;
    uint32_t sequence = number[CLIENT] + 1;
    open_connection();
    for (; passed < CAPTURE_WAITING_MOST; passed += sizeof bytes, sequence += sizeof bytes)
        take_tcp(CLIENT, sequence, number[SERVER] + 1, ACK, bytes, sizeof bytes);
    assert_int_equal(capture_counts(capture)->missing_bytes, 0);
    sequence += 50;
    while (capture_counts(capture)->missing_bytes == 0) {
        assert_true(unread <= CAPTURE_WAITING_MOST);
        take_tcp(CLIENT, sequence, number[SERVER] + 1, ACK, bytes, sizeof bytes);
        sequence += sizeof bytes;
        unread += sizeof bytes;
    }
    assert_true(unread > CAPTURE_WAITING_MOST / 2);
    assert_int_equal(capture_counts(capture)->missing_bytes, 50);
    take_tcp(CLIENT, sequence, number[SERVER] + 1, RST, NULL, 0);
    assert_int_equal(traffic.unreadable, 1);
    assert_string_equal(traffic.why_unreadable, "the capture lacks a segment");
    assert_int_equal(traffic.unread_bytes, passed + unread);
}

TEST_BETWEEN(packets_of_which_only_a_part_was_captured, set_up, tear_down)
{
    unsigned char packet[2048];
    const struct segment *opening = &segments[0];
    open_connection();
    size_t length =
        (size_t)(put_packet(packet, 4, CLIENT, sequence_of(opening), acknowledged_of(opening), ACK,
                            said[CLIENT], opening->count) -
                 packet);
    take(packet, length - 9, length);
    for (size_t i = 1; i < segment_count; i++)
        take_segment(&segments[i]);
    capture_end(capture);
    assert_string_equal(traffic.why_unreadable, "the capture has only a part of a packet");
    assert_int_equal(capture_counts(capture)->cut, 1);
    assert_int_equal(capture_counts(capture)->missing_bytes, 9);
    assert_int_equal(traffic.unread_bytes, said_count[CLIENT] + said_count[SERVER] - 9);
}

/* ------------------------------------------------------------------ beginnings and ends */

/* The ends of the connections before were captured, or not. */
TEST_BETWEEN(a_port_that_is_used_again, set_up, tear_down)
{
    for (size_t i = 0; i < 4; i++) {
        open_connection();
        take_all();
        segment_count -= i == 1 ? 2 : 0;
        number[CLIENT] += 100000;
        number[SERVER] -= 100000;
    }
    assert_told(4);
}

TEST_BETWEEN(both_ports_may_be_those_of_servers, set_up, tear_down)
{
    client_port = 9999;
    open_connection();
    take_all();
    assert_told(1);
}

TEST_BETWEEN(a_reset_ends_a_connection, set_up, tear_down)
{
    open_connection();
    for (size_t i = 0; i < segment_count - 2; i++)
        take_segment(&segments[i]);
    take_tcp(SERVER, number[SERVER] + 1 + (uint32_t)said_count[SERVER], 0, RST, NULL, 0);
    assert_int_equal(traffic.connections, 1);
    take_segment(&segments[4]); /* late */
    open_connection();
    assert_told(1);
    assert_int_equal(capture_counts(capture)->repeated_bytes, segments[4].count);
}

/* ------------------------------------------------------------------ from the middle on */

/* All from the second request on is counted; the reply to the first, which is not in the capture,
 * is not. */
static void assert_joined(void)
{
    capture_end(capture);
    assert_null(traffic.why_unreadable);
    assert_int_equal(capture_counts(capture)->joined, 1);
    assert_int_equal(traffic.sessions, 0);
    assert_int_equal(traffic.operations[OPCODE_EXISTS].replies, 1);
    assert_int_equal(traffic.operations[OPCODE_PING].replies, 1);
    assert_int_equal(traffic.operations[OPCODE_CLOSE].replies, 1);
    assert_int_equal(traffic_requests(&traffic), 1);
    assert_int_equal(traffic_notifications(&traffic), 1);
    assert_int_equal(traffic.unanswered, 0);
    assert_int_equal(traffic.unread_bytes, segments[4].count);
}

TEST_BETWEEN(a_connection_from_its_middle_on, set_up, tear_down)
{
    for (size_t i = MIDDLE; i < segment_count; i++)
        take_segment(&segments[i]);
    assert_joined();
}

/* The C client sends the length of a request in a segment of its own. */
TEST_BETWEEN(a_request_behind_its_length, set_up, tear_down)
{
    struct segment length = segments[MIDDLE];
    length.count = 4;
    take_segment(&length);
    segments[MIDDLE].first += 4;
    segments[MIDDLE].count -= 4;
    for (size_t i = MIDDLE; i < segment_count; i++)
        take_segment(&segments[i]);
    assert_joined();
}

/* The end of the first reply was passed over before its beginning came: it is not there. */
TEST_BETWEEN(a_first_reply_in_another_order, set_up, tear_down)
{
    struct segment rest = segments[5];
    rest.first += 10;
    rest.count -= 10;
    segments[5].count = 10;
    take_segment(&segments[MIDDLE]);
    take_segment(&rest);
    for (size_t i = 5; i < segment_count; i++)
        take_segment(&segments[i]);
    capture_end(capture);
    assert_string_equal(traffic.why_unreadable, "the capture lacks a segment");
    assert_int_equal(capture_counts(capture)->missing_bytes, rest.count);
}

TEST_BETWEEN(a_connection_without_a_whole_request, set_up, tear_down)
{
    struct segment half = segments[MIDDLE];
    half.count -= 3;
    take_segment(&half);
    take_segment(&segments[4]);
    capture_end(capture);
    assert_int_equal(traffic.connections, 1);
    assert_int_equal(traffic.unreadable, 0);
    assert_int_equal(traffic_requests(&traffic), 0);
    assert_int_equal(traffic.unread_bytes, half.count + segments[4].count);
}

/* ------------------------------------------------------------------ packets */

/* Whether a packet of TCP with 5 bytes is read of a frame, however much of its end is missing. */
static void assert_read(int link, const unsigned char *frame, size_t headers, size_t length)
{
    for (size_t captured = 0; captured <= length; captured++) {
        const struct capture_counts before = *capture_counts(capture);
        unsigned char *copy = malloc(captured + (captured == 0));
        assert_non_null(copy);
        memcpy(copy, frame, captured);
        capture_read_packet(capture, link, copy, captured, length, now_ns);
        free(copy);
        const struct capture_counts *counts = capture_counts(capture);
        assert_int_equal(counts->segments - before.segments, captured >= headers);
        assert_int_equal(counts->cut - before.cut, captured >= headers && captured < headers + 5);
        assert_int_equal(counts->payload[CLIENT] - before.payload[CLIENT],
                         captured >= headers ? 5 : 0);
    }
}

/* Of a length that the network card was to fill in. */
static unsigned char *put_vxlan(unsigned char *at)
{
    static const uint32_t words[] = {0x45000000, 0,          0x40110000, 0x01020304, 0x05060708,
                                     0xc35012b5, 0x00000000, 0x08000000, 0x00002a00};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        at = put(at, words[i], 4);
    return at;
}

TEST_BETWEEN(every_link_is_read, set_up, tear_down)
{
    static const struct {
        int link;
        const char *header; /* 'x': any byte, T: a tag of a VLAN, P: the protocol,
                                I: IPv4, V: its header, those of UDP and of VXLAN */
    } links[] = {
        {DLT_EN10MB, "xxxxxxxxxxxxP"},
        {DLT_EN10MB, "xxxxxxxxxxxxTP"},
        {DLT_EN10MB, "xxxxxxxxxxxxTTP"},
        {DLT_LINUX_SLL, "xxxxxxxxxxxxxxP"},
        {DLT_LINUX_SLL, "xxxxxxxxxxxxxxTP"},
        {DLT_LINUX_SLL2, "Pxxxxxxxxxxxxxxxxxx"},
        {DLT_NULL, "xxxx"},
        {DLT_LOOP, "xxxx"},
        {DLT_RAW, ""},
        {DLT_EN10MB, "xxxxxxxxxxxxIVxxxxxxxxxxxxP"},
        {DLT_RAW, "VxxxxxxxxxxxxTP"},
    };
    unsigned char frame[512];
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        for (int version = 4; version <= 6; version += 2) {
            unsigned char *at = frame;
            for (const char *each = links[i].header; *each != '\0'; each++)
                at = *each == 'P'   ? put(at, version == 4 ? 0x0800 : 0x86dd, 2)
                     : *each == 'T' ? put(at, 0x81000005, 4)
                     : *each == 'I' ? put(at, 0x0800, 2)
                     : *each == 'V' ? put_vxlan(at)
                                    : put(at, 2, 1);
            at = put_packet(at, version, CLIENT, 7, 9, ACK, (const unsigned char *)"12345", 5);
            size_t length = (size_t)(at - frame);
            memset(at, 0, 8); /* padding */
            assert_read(links[i].link, frame, length - 5, length + 8);
        }
}

TEST_BETWEEN(packets_of_something_else_are_passed_over, set_up, tear_down)
{
    unsigned char packet[256], other[256];
    size_t length = (size_t)(put_packet(packet, 4, CLIENT, 7, 9, ACK, NULL, 0) - packet);
    static const struct {
        size_t at;
        unsigned char value;
    } others[] = {
        {0, 0x55},
        {0, 0x44} /* a header too short */,
        {0, 0x4f} /* too long */,
        {9, 17} /* UDP */,
        {6, 0x20} /* a fragment */,
        {7, 1} /* a later fragment */,
        {32, 0x40} /* TCP too short */,
        {3, 30} /* no room for TCP */,
        {23, 7} /* another port */,
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        memcpy(other, packet, length);
        other[others[i].at] = others[i].value;
        take(other, length, length);
    }
    unsigned char *at = put_vxlan(other);
    at = put(put(put(put(at, 1, 4), 2, 4), 3, 4), 0x0800, 2);
    at = put_packet(at, 4, CLIENT, 7, 9, ACK, NULL, 0);
    other[23]++; /* another port than that of VXLAN */
    take(other, (size_t)(at - other), (size_t)(at - other));
    assert_int_equal(capture_counts(capture)->packets, sizeof others / sizeof others[0] + 1);
    assert_int_equal(capture_counts(capture)->segments, 0);
}

// SPDX-License-Identifier: Apache-2.0
#include "relay/capture.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define ADDRESS_BYTES  16
#define IPV4_HEADER    20
#define IPV4_FRAGMENT  0x3fff /* more fragments follow, or an offset */
#define IPV6_HEADER    40
#define IPV6_FRAGMENT  0xfff9
#define IPV6_EXTENSION 8 /* the unit of its length, and its least length */
#define TCP_HEADER     20
#define UDP_HEADER     8
#define VXLAN_HEADER   8 /* RFC 7348 */
#define VXLAN_PORT     4789
#define VLAN_TAG       4

struct packet_end {
    unsigned char address[16]; /* of IPv4 in its last four, behind ::ffff */
    uint16_t port;
};

struct packet {
    struct packet_end from, to;
    uint32_t sequence;     /* the number of the first byte */
    uint32_t acknowledged; /* the number of the byte that the sender waits for, if is_ack */
    bool is_syn, is_ack, is_fin, is_reset;
    const unsigned char *bytes; /* of the connection, in the packet */
    size_t captured;            /* how many of them there are */
    size_t length;              /* how many were sent: more where the capture cuts packets */
};

/* ------------------------------------------------------------------ the link */

/* The header of a link, and how far before its end it has the protocol of what follows, where a
 * VLAN tag may be one; 0: it has none. */
static const struct link {
    int number;
    size_t header, protocol;
} links[] = {
    {DLT_EN10MB, 14, 2}, {DLT_LINUX_SLL, 16, 2}, {DLT_LINUX_SLL2, 20, 20}, {DLT_NULL, 4, 0},
    {DLT_LOOP, 4, 0},    {DLT_RAW, 0, 0},        {DLT_IPV4, 0, 0},         {DLT_IPV6, 0, 0},
};

static const struct link *find_link(int number)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (links[i].number == number)
            return &links[i];
    return NULL;
}

/* ------------------------------------------------------------------ headers */

/* What is left of a packet: of `length` bytes the first `captured` are there. */
struct rest {
    const unsigned char *bytes;
    size_t captured, length;
};

/* False: the header is not there as a whole. */
static bool skip(struct rest *rest, size_t count)
{
    if (count > rest->captured)
        return false;
    rest->bytes += count;
    rest->captured -= count;
    rest->length -= count;
    return true;
}

/* Cuts what lies behind the end of a packet of IP, as the padding of Ethernet. A length of 0 is of
 * a packet that the network card was to divide: it is as long as it was captured. */
static void cut(struct rest *rest, size_t length)
{
    if (length == 0 || length >= rest->length)
        return;
    rest->length = length;
    rest->captured = MIN(rest->captured, length);
}

static uint16_t get16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t get32(const unsigned char *bytes)
{
    return (uint32_t)get16(bytes) << 16 | get16(bytes + 2);
}

static bool is_vlan(const unsigned char *protocol)
{
    uint16_t number = get16(protocol);
    return number == 0x8100 || number == 0x88a8 || number == 0x9100;
}

static bool skip_link(const struct link *link, struct rest *rest)
{
    if (!skip(rest, link->header))
        return false;
    bool tagged = link->protocol > 0 && is_vlan(rest->bytes - link->protocol);
    while (tagged && skip(rest, VLAN_TAG))
        tagged = is_vlan(rest->bytes - 2);
    return !tagged;
}

static bool read_ipv4(struct rest *rest, struct packet *packet, unsigned *protocol)
{
    const unsigned char *header = rest->bytes;
    static const unsigned char mapped[] = {[10] = 0xff, [11] = 0xff};
    size_t length = (size_t)(header[0] & 0x0f) * 4;
    if (rest->captured < IPV4_HEADER || length < IPV4_HEADER ||
        (get16(header + 6) & IPV4_FRAGMENT) != 0)
        return false;
    *protocol = header[9];
    cut(rest, get16(header + 2));
    memcpy(packet->from.address, mapped, sizeof mapped);
    memcpy(packet->from.address + sizeof mapped, header + 12, 4);
    memcpy(packet->to.address, mapped, sizeof mapped);
    memcpy(packet->to.address + sizeof mapped, header + 16, 4);
    return skip(rest, length);
}

static bool read_ipv6(struct rest *rest, struct packet *packet, unsigned *protocol)
{
    const unsigned char *header = rest->bytes;
    if (!skip(rest, IPV6_HEADER))
        return false;
    unsigned next = header[6];
    cut(rest, get16(header + 4));
    memcpy(packet->from.address, header + 8, ADDRESS_BYTES);
    memcpy(packet->to.address, header + 24, ADDRESS_BYTES);
    while (next != IPPROTO_TCP && next != IPPROTO_UDP) {
        const unsigned char *extension = rest->bytes;
        bool is_fragment = next == IPPROTO_FRAGMENT;
        if ((!is_fragment && next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING &&
             next != IPPROTO_DSTOPTS) ||
            !skip(rest, IPV6_EXTENSION) ||
            (is_fragment ? (get16(extension + 2) & IPV6_FRAGMENT) != 0
                         : !skip(rest, (size_t)extension[1] * IPV6_EXTENSION)))
            return false;
        next = extension[0];
    }
    *protocol = next;
    return true;
}

static bool read_ip(struct rest *rest, struct packet *packet, unsigned *protocol)
{
    unsigned version = rest->captured > 0 ? rest->bytes[0] >> 4 : 0;
    return version == 4 ? read_ipv4(rest, packet, protocol)
                        : version == 6 && read_ipv6(rest, packet, protocol);
}

static bool read_tcp(struct rest *rest, struct packet *packet)
{
    const unsigned char *header = rest->bytes;
    size_t length = rest->captured < TCP_HEADER ? 0 : (size_t)(header[12] >> 4) * 4;
    if (length < TCP_HEADER || !skip(rest, length))
        return false;
    packet->from.port = get16(header);
    packet->to.port = get16(header + 2);
    packet->sequence = get32(header + 4);
    packet->acknowledged = get32(header + 8);
    packet->is_fin = (header[13] & 0x01) != 0;
    packet->is_syn = (header[13] & 0x02) != 0;
    packet->is_reset = (header[13] & 0x04) != 0;
    packet->is_ack = (header[13] & 0x10) != 0;
    packet->bytes = rest->bytes;
    packet->captured = rest->captured;
    packet->length = rest->length;
    return true;
}

/* Reads a packet on the link. False: its headers are not those of TCP, or not all there, or it is a
 * fragment of an IP packet. In a packet of UDP one of Ethernet may be mirrored (VXLAN). */
static bool read_packet(int link, struct rest rest, struct packet *packet)
{
    unsigned protocol;
    *packet = (struct packet){0};
    bool is_read = skip_link(find_link(link), &rest) && read_ip(&rest, packet, &protocol);
    while (is_read && protocol == IPPROTO_UDP)
        is_read = rest.captured >= UDP_HEADER && get16(rest.bytes + 2) == VXLAN_PORT &&
                  skip(&rest, UDP_HEADER + VXLAN_HEADER) &&
                  skip_link(find_link(DLT_EN10MB), &rest) && read_ip(&rest, packet, &protocol);
    return is_read && protocol == IPPROTO_TCP && read_tcp(&rest, packet);
}

/* ------------------------------------------------------------------ what one end sends */

/* A segment that waits for others. */
struct waiting {
    struct waiting *next;
    struct packet packet;
    unsigned char bytes[];
};

/* The bytes that one end sends. */
struct stream {
    bool known;            /* the numbers are */
    bool finished;         /* everything was fed, and its end */
    uint32_t next;         /* the number of the first byte that was not fed */
    uint32_t acknowledged; /* of the first byte that the other end has not received */
    struct waiting *first; /* of those that wait, by the numbers of their first bytes */
};

enum stage { STAGE_NEW, STAGE_OPEN, STAGE_ENDED };

struct connection {
    struct packet_end ends[CONVERSATION_SIDES]; /* the key */
    enum stage stage;
    struct stream streams[CONVERSATION_SIDES];
    uint32_t opened_at;  /* the number of the client's SYN */
    bool is_joined;      /* there was none */
    bool is_established; /* more than that has come from the client */
    size_t waiting_bytes;
    struct conversation conversation; /* while it is open */
};

struct capture {
    struct capture_options options;
    struct capture_counts counts;
    void *connections; /* a tree of tsearch */
};

/* From one number to another: they wrap around. */
static int32_t distance(uint32_t from, uint32_t to)
{
    return (int32_t)(to - from);
}

static void know(struct stream *stream, uint32_t next)
{
    if (!stream->known)
        stream->next = stream->acknowledged = next;
    stream->known = true;
}

/* Feeds what is new of a segment, if it is due, to the conversation. */
static void feed(struct capture *capture, struct connection *connection,
                 enum conversation_side side, const struct packet *packet)
{
    struct stream *stream = &connection->streams[side];
    struct conversation *conversation = &connection->conversation;
    bool follows = stream->known && conversation_reads(conversation, side);
    int64_t again = follows ? distance(packet->sequence, stream->next) : 0;
    size_t length = packet->length, old = again > 0 ? MIN((size_t)again, length) : 0;
    size_t captured = packet->captured > old ? packet->captured - old : 0;
    capture->counts.repeated_bytes += old;
    capture->counts.missing_bytes += (again < 0 ? (uint64_t)-again : 0) + length - old - captured;
    if (captured > 0)
        conversation_feed(conversation, side, packet->bytes + old, captured,
                          capture->counts.last_ns);
    if (old + captured < length)
        conversation_give_up(conversation, "the capture has only a part of a packet");
    know(stream, packet->sequence);
    const uint32_t end = packet->sequence + (uint32_t)length;
    if (old < length || again < 0)
        stream->next = end;
    if (packet->is_fin && end == stream->next) {
        stream->next++;
        stream->finished = true;
    }
}

/* Whether everything before a segment was fed, or nothing can be read anyway. */
static bool is_due(const struct connection *connection, enum conversation_side side,
                   const struct packet *packet)
{
    const struct conversation *conversation = &connection->conversation;
    const struct stream *stream = &connection->streams[side], *other = &connection->streams[!side];
    if (conversation->unreadable != NULL || !conversation_reads(conversation, side))
        return true;
    if (stream->known && distance(stream->next, packet->sequence) > 0)
        return false;
    return packet->length == 0 || !packet->is_ack || !other->known ||
           !conversation_reads(conversation, !side) ||
           distance(other->next, packet->acknowledged) <= 0;
}

static void keep_waiting(struct connection *connection, enum conversation_side side,
                         const struct packet *packet)
{
    struct waiting **place = &connection->streams[side].first;
    struct waiting *waiting = memory_new(1, sizeof *waiting + packet->captured);
    *waiting = (struct waiting){.packet = *packet};
    waiting->packet.bytes = memcpy(waiting->bytes, packet->bytes, packet->captured);
    while (*place != NULL && distance((*place)->packet.sequence, packet->sequence) >= 0)
        place = &(*place)->next;
    waiting->next = *place;
    *place = waiting;
    connection->waiting_bytes += sizeof *waiting + packet->captured;
}

/* Feeds what is due; one side's may make the other's due. */
static void feed_waiting(struct capture *capture, struct connection *connection)
{
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES;) {
        struct waiting *first = connection->streams[side].first;
        if (first == NULL || !is_due(connection, side, &first->packet)) {
            side++;
            continue;
        }
        connection->streams[side].first = first->next;
        connection->waiting_bytes -= sizeof *first + first->packet.captured;
        feed(capture, connection, side, &first->packet);
        free(first);
        side = 0;
    }
}

static void give_up(struct capture *capture, struct connection *connection)
{
    conversation_give_up(&connection->conversation, "the capture lacks a segment");
    feed_waiting(capture, connection);
}

/* ------------------------------------------------------------------ connections */

static void end(struct capture *capture, struct connection *connection)
{
    if (connection->stage != STAGE_OPEN)
        return;
    if (connection->streams[CONVERSATION_CLIENT].first != NULL ||
        connection->streams[CONVERSATION_SERVER].first != NULL)
        give_up(capture, connection);
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++) {
        const struct stream *stream = &connection->streams[side];
        int32_t behind = stream->known ? distance(stream->next, stream->acknowledged) : 0;
        /* What an end has received and the capture lacks; the end of a stream has a number, too. */
        if (behind > 1 && (conversation_reads(&connection->conversation, side) ||
                           connection->conversation.fed_bytes[side] == 0)) {
            capture->counts.missing_bytes += (uint32_t)behind;
            give_up(capture, connection);
        }
    }
    if (connection->is_established)
        capture->options.ended(capture->options.context, &connection->conversation);
    conversation_deinit(&connection->conversation);
    connection->stage = STAGE_ENDED;
}

static int compare_ends(const void *a, const void *b)
{
    return memcmp(a, b, CONVERSATION_SIDES * sizeof(struct packet_end));
}

/* The connection between two ends. */
static struct connection *find(struct capture *capture,
                               const struct packet_end ends[CONVERSATION_SIDES])
{
    struct connection **found = tfind(ends, &capture->connections, compare_ends);
    if (found != NULL)
        return *found;
    struct connection *connection = memory_new(1, sizeof *connection);
    memcpy(connection->ends, ends, sizeof connection->ends);
    (void)memory_or_end(tsearch(connection, &capture->connections, compare_ends));
    return connection;
}

/* Begins a connection anew. */
static void begin(struct capture *capture, struct connection *connection)
{
    struct connection new = {.stage = STAGE_OPEN};
    memcpy(new.ends, connection->ends, sizeof new.ends);
    end(capture, connection);
    *connection = new;
    conversation_init(&connection->conversation, capture->options.listener,
                      capture->options.context);
}

/* Follows a segment with SYN, of the client or, with the number that it answers, of the server. */
static void follow_opening(struct capture *capture, struct connection *connection,
                           const struct packet *packet)
{
    uint32_t opened_at = packet->is_ack ? packet->acknowledged - 1 : packet->sequence;
    bool is_again = connection->opened_at == opened_at && !connection->is_joined &&
                    connection->stage != STAGE_NEW;
    if (!is_again)
        begin(capture, connection);
    connection->opened_at = opened_at;
    know(&connection->streams[CONVERSATION_CLIENT], opened_at + 1);
    if (packet->is_ack)
        know(&connection->streams[CONVERSATION_SERVER], packet->sequence + 1);
}

/* Follows a segment behind the opening. */
static void follow_segment(struct capture *capture, struct connection *connection,
                           enum conversation_side side, const struct packet *packet)
{
    struct stream *stream = &connection->streams[side], *other = &connection->streams[!side];
    capture->counts.payload[side] += packet->length;
    connection->is_established |= side == CONVERSATION_CLIENT || packet->length > 0;
    if (packet->is_ack)
        know(other, packet->acknowledged);
    if (packet->is_ack && distance(other->acknowledged, packet->acknowledged) > 0)
        other->acknowledged = packet->acknowledged;
    if (packet->length == 0 && !packet->is_fin)
        return;
    keep_waiting(connection, side, packet);
    feed_waiting(capture, connection);
    if (connection->waiting_bytes > CAPTURE_WAITING_MOST)
        give_up(capture, connection);
    if (stream->finished && other->finished)
        end(capture, connection);
}

static bool is_server(const struct capture *capture, uint16_t port)
{
    for (size_t i = 0; i < capture->options.port_count; i++)
        if (capture->options.ports[i] == port)
            return true;
    return false;
}

/* The side that has sent a packet of which both ports are those of servers, as the client's own may
 * be. */
static enum conversation_side find_sender(const struct capture *capture,
                                          const struct packet *packet)
{
    const struct packet_end reply[] = {packet->to, packet->from};
    if (packet->is_syn)
        return packet->is_ack ? CONVERSATION_SERVER : CONVERSATION_CLIENT;
    return tfind(reply, &capture->connections, compare_ends) != NULL ? CONVERSATION_SERVER
                                                                     : CONVERSATION_CLIENT;
}

static void follow_packet(struct capture *capture, const struct packet *packet)
{
    const bool to = is_server(capture, packet->to.port),
               from = is_server(capture, packet->from.port);
    const enum conversation_side side = to && from ? find_sender(capture, packet)
                                        : to       ? CONVERSATION_CLIENT
                                                   : CONVERSATION_SERVER;
    struct packet_end ends[CONVERSATION_SIDES];
    if (!to && !from)
        return;
    ends[side] = packet->from;
    ends[!side] = packet->to;
    struct connection *connection = find(capture, ends);
    capture->counts.segments++;
    capture->counts.cut += packet->captured < packet->length;
    if (packet->is_reset)
        end(capture, connection);
    else if (packet->is_syn)
        follow_opening(capture, connection, packet);
    else if (connection->stage == STAGE_ENDED) /* it is late */
        capture->counts.repeated_bytes += packet->length;
    else {
        if (connection->stage == STAGE_NEW && packet->length > 0) {
            begin(capture, connection);
            connection->is_joined = true;
            conversation_join(&connection->conversation, -(int64_t)++capture->counts.joined);
        }
        if (connection->stage == STAGE_OPEN)
            follow_segment(capture, connection, side, packet);
    }
}

/* ------------------------------------------------------------------ a capture */

struct capture *capture_new(const struct capture_options *options)
{
    struct capture *capture = memory_new(1, sizeof *capture);
    capture->options = *options;
    return capture;
}

void capture_read_packet(struct capture *capture, int link, const void *bytes, size_t captured,
                         size_t length, uint64_t at_ns)
{
    struct capture_counts *counts = &capture->counts;
    struct packet packet;
    if (counts->packets++ == 0)
        counts->first_ns = at_ns;
    counts->last_ns = at_ns > counts->last_ns ? at_ns : counts->last_ns;
    if (read_packet(link, (struct rest){bytes, MIN(captured, length), length}, &packet))
        follow_packet(capture, &packet);
}

void capture_end(struct capture *capture)
{
    while (capture->connections != NULL) {
        struct connection *connection = *(struct connection **)capture->connections;
        end(capture, connection);
        tdelete(connection, &capture->connections, compare_ends);
        free(connection);
    }
}

const struct capture_counts *capture_counts(const struct capture *capture)
{
    return &capture->counts;
}

void capture_free(struct capture *capture)
{
    capture_end(capture);
    free(capture);
}

/* ------------------------------------------------------------------ a file */

static enum error_kind open_file(const char *path, pcap_t **pcap, struct error *error)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return error_raise(error, ERROR_NOT_A_CAPTURE, errno, path, "%s", why);
    *pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
    if (*pcap == NULL) {
        fclose(file);
        return error_raise(error, ERROR_NOT_A_CAPTURE, 0, path, "%s", why);
    }
    int link = pcap_datalink(*pcap);
    if (find_link(link) != NULL)
        return ERROR_NONE;
    const char *name = pcap_datalink_val_to_name(link);
    pcap_close(*pcap);
    return error_raise(error, ERROR_NOT_A_CAPTURE, 0, path,
                       "packets of a link of type %d (%s) cannot be read", link,
                       name != NULL ? name : "unknown");
}

enum error_kind capture_read(struct capture *capture, const char *path, char *why, size_t size,
                             struct error *error)
{
    pcap_t *pcap = NULL;
    struct pcap_pkthdr *header;
    const unsigned char *bytes;
    enum error_kind kind = open_file(path, &pcap, error);
    if (kind != ERROR_NONE)
        return kind;
    int state, link = pcap_datalink(pcap);
    while ((state = pcap_next_ex(pcap, &header, &bytes)) == 1)
        capture_read_packet(capture, link, bytes, header->caplen, header->len,
                            (uint64_t)header->ts.tv_sec * NS_PER_S + (uint64_t)header->ts.tv_usec);
    snprintf(why, size, "%s", state == PCAP_ERROR ? pcap_geterr(pcap) : "");
    pcap_close(pcap);
    capture_end(capture);
    return ERROR_NONE;
}

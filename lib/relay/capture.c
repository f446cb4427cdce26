// SPDX-License-Identifier: Apache-2.0
#include "relay/capture.h"

#include "base/clock.h"
#include "base/memory.h"
#include "relay/packet.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 4096 /* of the hash table of connections */

/* A segment that waits for others. */
struct waiting {
    struct waiting *next;
    struct packet packet;
    unsigned char bytes[];
};

/* What one end sends. */
struct stream {
    bool known;            /* the numbers are */
    bool finished;         /* everything was told, and its end */
    uint32_t next;         /* the number of the first byte that was not told */
    uint32_t acknowledged; /* of the first byte that the other end has not received */
    struct waiting *first; /* of those that wait, by the numbers of their first bytes */
};

struct connection {
    struct connection *next; /* in its chain */
    struct packet_end ends[CONVERSATION_SIDES];
    struct stream streams[CONVERSATION_SIDES];
    uint32_t opened_at;  /* the number of the client's SYN */
    bool is_joined;      /* there was none */
    bool has_ended;      /* what comes now is late */
    bool is_established; /* more than that has come from the client */
    size_t waiting_bytes;
    struct conversation *conversation; /* NULL: none has begun, or it has ended */
};

struct capture {
    struct capture_options options;
    struct capture_counts counts;
    int64_t joined; /* connections, each of which has this number below 0 for its session */
    struct connection *chains[CHAINS];
};

/* From one number to another: they wrap around. */
static int32_t distance(uint32_t from, uint32_t to)
{
    return (int32_t)(to - from);
}

/* ------------------------------------------------------------------ what one end sends */

static void know(struct stream *stream, uint32_t next)
{
    if (!stream->known)
        stream->next = stream->acknowledged = next;
    stream->known = true;
}

/* Tells what is new of a segment. Nothing before it is missing, or nothing can be read anyway. */
static void tell(struct capture *capture, struct connection *connection,
                 enum conversation_side side, const struct packet *packet)
{
    struct stream *stream = &connection->streams[side];
    bool follows = stream->known && conversation_hears(connection->conversation, side);
    int64_t again = follows ? distance(packet->sequence, stream->next) : 0;
    size_t old = again > 0 ? (size_t)again : 0, length = packet->length;
    old = old < length ? old : length;
    size_t captured = packet->captured > old ? packet->captured - old : 0;
    capture->counts.repeated_bytes += old;
    capture->counts.missing_bytes += (again < 0 ? (uint64_t)-again : 0) + length - old - captured;
    if (captured > 0)
        conversation_feed(connection->conversation, side, packet->bytes + old, captured,
                          capture->counts.last_ns);
    if (old + captured < length)
        conversation_give_up(connection->conversation, "the capture has only a part of a packet");
    know(stream, packet->sequence);
    if (old < length || again < 0)
        stream->next = packet->sequence + (uint32_t)length;
    if (packet->is_fin && packet->sequence + (uint32_t)length == stream->next) {
        stream->next++;
        stream->finished = true;
    }
}

/* Whether everything before a segment was told, or nothing can be read anyway. */
static bool is_due(const struct connection *connection, enum conversation_side side,
                   const struct packet *packet)
{
    const struct conversation *conversation = connection->conversation;
    const struct stream *stream = &connection->streams[side], *other = &connection->streams[!side];
    if (conversation->unreadable != NULL || !conversation_hears(conversation, side))
        return true;
    if (stream->known && distance(stream->next, packet->sequence) > 0)
        return false;
    return packet->length == 0 || !packet->is_ack || !other->known ||
           !conversation_hears(conversation, !side) ||
           distance(other->next, packet->acknowledged) <= 0;
}

static void keep_waiting(struct connection *connection, enum conversation_side side,
                         const struct packet *packet)
{
    struct waiting **place = &connection->streams[side].first;
    struct waiting *waiting = memory_new(1, sizeof *waiting + packet->captured);
    *waiting = (struct waiting){.packet = *packet};
    memcpy(waiting->bytes, packet->bytes, packet->captured);
    waiting->packet.bytes = waiting->bytes;
    while (*place != NULL && distance((*place)->packet.sequence, packet->sequence) >= 0)
        place = &(*place)->next;
    waiting->next = *place;
    *place = waiting;
    connection->waiting_bytes += sizeof *waiting + packet->captured;
}

/* Tells the first that waits, if its time has come. */
static bool tell_first(struct capture *capture, struct connection *connection,
                       enum conversation_side side)
{
    struct waiting *first = connection->streams[side].first;
    if (first == NULL || !is_due(connection, side, &first->packet))
        return false;
    connection->streams[side].first = first->next;
    connection->waiting_bytes -= sizeof *first + first->packet.captured;
    tell(capture, connection, side, &first->packet);
    free(first);
    return true;
}

static void tell_waiting(struct capture *capture, struct connection *connection)
{
    while (tell_first(capture, connection, CONVERSATION_CLIENT) ||
           tell_first(capture, connection, CONVERSATION_SERVER))
        continue;
}

static void give_up(struct capture *capture, struct connection *connection)
{
    conversation_give_up(connection->conversation, "the capture lacks a segment");
    tell_waiting(capture, connection);
}

/* ------------------------------------------------------------------ connections */

/* Counts what an end has received and the capture lacks; the end of a stream has a number, too. */
static void look_behind(struct capture *capture, struct connection *connection,
                        enum conversation_side side)
{
    const struct stream *stream = &connection->streams[side];
    int32_t behind = stream->known ? distance(stream->next, stream->acknowledged) : 0;
    if (behind <= 1 || !conversation_hears(connection->conversation, side))
        return;
    capture->counts.missing_bytes += (uint32_t)behind;
    give_up(capture, connection);
}

static void end(struct capture *capture, struct connection *connection)
{
    struct conversation *conversation = connection->conversation;
    if (conversation == NULL)
        return;
    if (connection->streams[CONVERSATION_CLIENT].first != NULL ||
        connection->streams[CONVERSATION_SERVER].first != NULL)
        give_up(capture, connection);
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        look_behind(capture, connection, side);
    capture->counts.joined += connection->is_joined;
    if (connection->is_established)
        capture->options.ended(capture->options.context, conversation);
    conversation_deinit(conversation);
    free(conversation);
    connection->conversation = NULL;
    connection->has_ended = true;
}

/* The connection between two ends, of which nothing is known if it is new. */
static struct connection *find(struct capture *capture,
                               const struct packet_end ends[CONVERSATION_SIDES])
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < CONVERSATION_SIDES * sizeof *ends; i++)
        hash = (hash ^ ((const unsigned char *)ends)[i]) * 16777619u;
    struct connection **chain = &capture->chains[hash % CHAINS], *connection = *chain;
    while (connection != NULL && memcmp(connection->ends, ends, sizeof connection->ends) != 0)
        connection = connection->next;
    if (connection == NULL) {
        connection = memory_new(1, sizeof *connection);
        memcpy(connection->ends, ends, sizeof connection->ends);
        connection->next = *chain;
        *chain = connection;
    }
    return connection;
}

/* Begins a connection anew. */
static void begin(struct capture *capture, struct connection *connection)
{
    struct connection new = {.next = connection->next};
    memcpy(new.ends, connection->ends, sizeof new.ends);
    end(capture, connection);
    *connection = new;
    connection->conversation = memory_new(1, sizeof *connection->conversation);
    conversation_init(connection->conversation, capture->options.listener,
                      capture->options.context);
}

/* A segment with SYN, of the client or, with the number that it answers, of the server. */
static void take_opening(struct capture *capture, struct connection *connection,
                         const struct packet *packet)
{
    uint32_t opened_at = packet->is_ack ? packet->acknowledged - 1 : packet->sequence;
    bool is_again = connection->opened_at == opened_at && !connection->is_joined &&
                    (connection->conversation != NULL || connection->has_ended);
    if (!is_again)
        begin(capture, connection);
    connection->opened_at = opened_at;
    know(&connection->streams[CONVERSATION_CLIENT], opened_at + 1);
    if (packet->is_ack)
        know(&connection->streams[CONVERSATION_SERVER], packet->sequence + 1);
}

static void join(struct capture *capture, struct connection *connection)
{
    begin(capture, connection);
    connection->is_joined = true;
    conversation_join(connection->conversation, -++capture->joined);
}

/* A segment behind the opening. */
static void take_segment(struct capture *capture, struct connection *connection,
                         enum conversation_side side, const struct packet *packet)
{
    struct stream *stream = &connection->streams[side], *other = &connection->streams[!side];
    capture->counts.payload[side] += packet->length;
    connection->is_established |= side == CONVERSATION_CLIENT || packet->length > 0;
    if (packet->is_ack && other->known && distance(other->acknowledged, packet->acknowledged) > 0)
        other->acknowledged = packet->acknowledged;
    if (packet->length == 0 && !packet->is_fin)
        return;
    if (stream->first == NULL && is_due(connection, side, packet))
        tell(capture, connection, side, packet);
    else
        keep_waiting(connection, side, packet);
    tell_waiting(capture, connection);
    if (connection->waiting_bytes > CAPTURE_WAITING_MOST)
        give_up(capture, connection);
    if (stream->finished && other->finished)
        end(capture, connection);
}

static void take_packet(struct capture *capture, const struct packet *packet)
{
    const uint64_t *ports = capture->options.ports;
    bool from = false, to = false;
    for (size_t i = 0; i < capture->options.port_count; i++) {
        from |= packet->from.port == ports[i];
        to |= packet->to.port == ports[i];
    }
    if (!from && !to)
        return;
    enum conversation_side side = to ? CONVERSATION_CLIENT : CONVERSATION_SERVER;
    struct packet_end ends[CONVERSATION_SIDES];
    ends[side] = packet->from;
    ends[!side] = packet->to;
    struct connection *connection = find(capture, ends);
    capture->counts.segments++;
    capture->counts.cut += packet->captured < packet->length;
    if (packet->is_reset)
        end(capture, connection);
    else if (packet->is_syn)
        take_opening(capture, connection, packet);
    else if (connection->has_ended)
        capture->counts.repeated_bytes += packet->length;
    else {
        if (connection->conversation == NULL && packet->length > 0)
            join(capture, connection);
        if (connection->conversation != NULL)
            take_segment(capture, connection, side, packet);
    }
}

/* ------------------------------------------------------------------ a capture */

struct capture *capture_new(const struct capture_options *options)
{
    struct capture *capture = memory_new(1, sizeof *capture);
    capture->options = *options;
    return capture;
}

void capture_take(struct capture *capture, int link, const void *bytes, size_t captured,
                  size_t length, uint64_t at_ns)
{
    struct capture_counts *counts = &capture->counts;
    struct packet packet;
    if (counts->packets++ == 0)
        counts->first_ns = at_ns;
    counts->last_ns = at_ns > counts->last_ns ? at_ns : counts->last_ns;
    if (packet_read(link, bytes, captured, length, &packet))
        take_packet(capture, &packet);
}

void capture_end(struct capture *capture)
{
    for (size_t i = 0; i < CHAINS; i++)
        while (capture->chains[i] != NULL) {
            struct connection *connection = capture->chains[i];
            capture->chains[i] = connection->next;
            end(capture, connection);
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
    if (packet_knows_link(link))
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
        capture_take(capture, link, bytes, header->caplen, header->len,
                     (uint64_t)header->ts.tv_sec * NS_PER_S + (uint64_t)header->ts.tv_usec);
    snprintf(why, size, "%s", state == PCAP_ERROR ? pcap_geterr(pcap) : "");
    pcap_close(pcap);
    capture_end(capture);
    return ERROR_NONE;
}

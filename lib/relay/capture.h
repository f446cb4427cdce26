// SPDX-License-Identifier: Apache-2.0
/*
 * capture: conversations out of captured packets, as a relay has them. Layer: relay.
 *
 * Links: Ethernet, with VLAN tags, Linux "cooked" (SLL, SLL2), loopback of BSD, and IP alone (the
 * numbers and headers of https://www.tcpdump.org/linktypes.html). IPv4 (RFC 791), IPv6 (RFC 8200)
 * behind the extension headers that hosts send, TCP (RFC 9293); all of these in VXLAN (RFC 7348).
 *
 * Connections are put together again however their segments were captured: out of order, twice,
 * overlapping, sent again. A segment is fed to its conversation (relay/conversation.h) when
 * everything that its sender had sent and received before was fed, so that no reply comes before
 * its request. If a segment is missing, its connection cannot be read from there on: that is
 * certain when the connection or the capture ends, or when more than CAPTURE_WAITING_MOST bytes
 * wait.
 *
 * The time of a message is that of the packet with which it could be fed, or of an earlier one
 * with a later time: times never go back.
 *
 * The servers are known by their ports. A connection whose opening is not in the capture is read
 * from its first whole request on (conversation_join); what was said before that is not known.
 *
 * Invariant: only the given bytes are read, whatever they contain. Every captured byte of a
 * connection is in a message, or is one of its conversation's unread ones, or was captured before;
 * what was sent and not captured is counted in missing_bytes.
 */
#ifndef RELAY_CAPTURE_H
#define RELAY_CAPTURE_H

#include "base/error.h"
#include "relay/conversation.h"

#include <stddef.h>
#include <stdint.h>

struct capture;

#define CAPTURE_WAITING_MOST ((size_t)4 << 20) /* bytes of a connection that wait for others */

struct capture_options {
    const uint64_t *ports; /* of the servers */
    size_t port_count;
    const struct conversation_listener *listener;
    void (*ended)(void *context, const struct conversation *conversation); /* as a relay's */
    void *context;                                                         /* of both */
};

/* X(name, meaning) */
#define CAPTURE_COUNTS(X)                                                                          \
    X(packets, "packets in the capture")                                                           \
    X(segments, "of them segments of TCP from or to the ports of the servers")                     \
    X(cut, "of the segments those of which the capture has only a part")                           \
    X(joined, "connections whose beginning is not in the capture")                                 \
    X(repeated_bytes, "bytes that were captured again")                                            \
    X(missing_bytes, "bytes of connections that the capture lacks")

struct capture_counts {
#define X(name, meaning) uint64_t name;
    CAPTURE_COUNTS(X)
#undef X
    uint64_t payload[CONVERSATION_SIDES]; /* bytes that each side sent, however often */
    uint64_t first_ns, last_ns;           /* the times of the first packet and of the latest */
};

/* The caller's to capture_free. */
struct capture *capture_new(const struct capture_options *options);
void capture_free(struct capture *capture);

/* Takes a packet of a link (DLT_... of libpcap), of whose `length` bytes `captured` are there. */
void capture_read_packet(struct capture *capture, int link, const void *bytes, size_t captured,
                         size_t length, uint64_t at_ns);

/* No packet follows: ends all connections. */
void capture_end(struct capture *capture);

/* Takes the packets of a file of libpcap, and ends all connections. why: what a damaged file has in
 * the place of a packet; else "". ERROR_NOT_A_CAPTURE, before the first packet. */
MUST_CHECK enum error_kind capture_read(struct capture *capture, const char *path, char *why,
                                        size_t size, struct error *error);

const struct capture_counts *capture_counts(const struct capture *capture);

#endif

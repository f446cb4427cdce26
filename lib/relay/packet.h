// SPDX-License-Identifier: Apache-2.0
/*
 * packet: what a captured packet has of a TCP connection. Layer: relay.
 *
 * Links: Ethernet, with VLAN tags, Linux "cooked" (SLL, SLL2), loopback of BSD, and IP alone (the
 * numbers and headers of https://www.tcpdump.org/linktypes.html). IPv4 (RFC 791), IPv6 (RFC 8200)
 * behind the extension headers that hosts send, TCP (RFC 9293); all of these in VXLAN (RFC 7348).
 *
 * Invariant: only the given bytes are read, whatever they contain.
 */
#ifndef RELAY_PACKET_H
#define RELAY_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Whether packets of such a link (DLT_... of libpcap) can be read. */
bool packet_knows_link(int link);

/* Reads a packet of `length` bytes on the link, of which the first `captured` are given. False: its
 * headers are not those of TCP, or not all there, or it is a fragment of an IP packet. */
bool packet_read(int link, const void *bytes, size_t captured, size_t length,
                 struct packet *packet);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "relay/packet.h"

#include <netinet/in.h>
#include <pcap/dlt.h>
#include <string.h>

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

bool packet_knows_link(int link)
{
    return find_link(link) != NULL;
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
    rest->captured = rest->captured < length ? rest->captured : length;
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

/* Goes on with the packet of Ethernet that is mirrored in one of UDP. */
static bool skip_vxlan(struct rest *rest)
{
    return rest->captured >= UDP_HEADER && get16(rest->bytes + 2) == VXLAN_PORT &&
           skip(rest, UDP_HEADER + VXLAN_HEADER) && skip_link(find_link(DLT_EN10MB), rest);
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

bool packet_read(int link, const void *bytes, size_t captured, size_t length, struct packet *packet)
{
    struct rest rest = {bytes, captured < length ? captured : length, length};
    unsigned protocol;
    *packet = (struct packet){0};
    bool is_read = skip_link(find_link(link), &rest) && read_ip(&rest, packet, &protocol);
    while (is_read && protocol == IPPROTO_UDP)
        is_read = skip_vxlan(&rest) && read_ip(&rest, packet, &protocol);
    return is_read && protocol == IPPROTO_TCP && read_tcp(&rest, packet);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * connect: where servers are, as a person types it: host[:port][,host[:port]…][/chroot]. Layer: zk.
 *
 * The port is 2181 unless given; an IPv6 address stands in brackets, [::1]:2181.
 * Invariant: a struct connect_string that connect_parse filled has at least one endpoint, no port
 * zero, hosts without brackets, and a chroot that is "" or a path that ZooKeeper takes ("/a/b").
 */
#ifndef ZK_CONNECT_H
#define ZK_CONNECT_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONNECT_PORT_DEFAULT  2181
#define CONNECT_ENDPOINTS_MAX 16
/* Enough for connect_format (with room for every host and the chroot) and for endpoint_format. */
#define CONNECT_TEXT_SIZE  (CONNECT_ENDPOINTS_MAX * 264 + 256)
#define ENDPOINT_TEXT_SIZE 264

struct endpoint {
    char host[256]; /* a name or an address; IPv6 without brackets */
    uint16_t port;
};

struct connect_string {
    struct endpoint endpoints[CONNECT_ENDPOINTS_MAX];
    size_t count;
    char chroot[256]; /* "" or "/a/b" */
};

/*
 * Takes a connect string apart. Returns FAULT_NONE or FAULT_USAGE; the detail says what is wrong
 * with it. On a fault *connect is unchanged. Nothing is resolved: a name that nobody knows is fine
 * here.
 */
MUST_CHECK enum fault_kind connect_parse(const char *text, struct connect_string *connect,
                                         struct fault *fault);

/*
 * Writes the connect string as the Apache C client reads it: always with ports, IPv6 without
 * brackets (it splits at the last colon). The list begins with the endpoint of index `first` (below
 * count) and goes round, so that sessions can be spread by hand; the client keeps this order only
 * after zoo_deterministic_conn_order(1). size >= CONNECT_TEXT_SIZE. Returns text.
 */
const char *connect_format(const struct connect_string *connect, size_t first, bool with_chroot,
                           char *text, size_t size);

/* Writes an endpoint for people: "host:2181", "[::1]:2181"; size >= ENDPOINT_TEXT_SIZE. Returns
 * text. */
const char *endpoint_format(const struct endpoint *endpoint, char *text, size_t size);

#endif

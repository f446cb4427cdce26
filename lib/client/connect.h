// SPDX-License-Identifier: Apache-2.0
/*
 * connect: connect strings, host[:port][,host[:port]…][/chroot]. Layer: client.
 *
 * The default port is 2181. An IPv6 address is in brackets, [::1]:2181.
 * Invariant: a struct connect_string that connect_parse filled has at least one endpoint, no port
 * zero, hosts without brackets, and a chroot that is "" or a path that ZooKeeper takes ("/a/b").
 */
#ifndef CLIENT_CONNECT_H
#define CLIENT_CONNECT_H

#include "base/error.h"
#include "client/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONNECT_PORT_DEFAULT  2181
#define CONNECT_ENDPOINTS_MAX 16
#define CONNECT_PATH_MAX      1000
/* Room for connect_format and connect_typed (any hosts and chroot); for one endpoint. */
#define CONNECT_TEXT_SIZE  (CONNECT_ENDPOINTS_MAX * 264 + 256)
#define ENDPOINT_TEXT_SIZE (264 + 256)

struct endpoint {
    char host[256]; /* a name or an address; IPv6 without brackets */
    uint16_t port;
    char name[256];     /* the host before it was resolved (tcp_resolve); else "" */
    unsigned addresses; /* of that name and the host's family, this one among them */
};

struct connect_string {
    struct endpoint endpoints[CONNECT_ENDPOINTS_MAX];
    size_t count;
    char chroot[256]; /* "" or "/a/b" */
    /* The credentials of the sessions with these servers; NULL: none. Not owned. */
    struct identity *identity;
};

/* Parses a connect string: without resolving names, or an identity. ERROR_USAGE: *connect stays. */
MUST_CHECK enum error_kind connect_parse(const char *text, struct connect_string *connect,
                                         struct error *error);

/* ERROR_USAGE unless ZooKeeper takes the path, of at most CONNECT_PATH_MAX characters. */
MUST_CHECK enum error_kind connect_check_path(const char *path, struct error *error);

/* These write to CONNECT_TEXT_SIZE bytes, always with ports, and return text.
 *
 * As the Apache C client reads it: IPv6 without brackets (it splits at the last colon). The client
 * keeps the order only after zoo_deterministic_conn_order(1). */
const char *connect_format(const struct connect_string *connect, bool with_chroot, char *text,
                           size_t size);

/* The same, with chroot, for session 0, 1, …: begins with server `session` modulo their number. The
 * others follow in an order that spreads the sessions of a lost server evenly over them. */
const char *connect_spread(const struct connect_string *connect, uint32_t session, char *text,
                           size_t size);

/* As a person typed it: names rather than addresses. */
const char *connect_typed(const struct connect_string *connect, char *text, size_t size);

/* Write an endpoint, size >= ENDPOINT_TEXT_SIZE, and return text. For people: "127.0.0.1:2181",
 * "[::1]:2181", and "zk1:2181 (10.0.0.7)" when its name has been resolved. As it was typed:
 * "zk1:2181". As it is connected to: "10.0.0.7:2181". */
const char *endpoint_format(const struct endpoint *endpoint, char *text, size_t size);
const char *endpoint_typed(const struct endpoint *endpoint, char *text, size_t size);
const char *endpoint_address(const struct endpoint *endpoint, char *text, size_t size);

#endif

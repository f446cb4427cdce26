// SPDX-License-Identifier: Apache-2.0
/*
 * server_limits: what a server tells about its own limits, in four-letter words. Layer: servers.
 *
 * Invariant: what a server does not tell is FOUR_LETTER_UNTOLD, never zero.
 */
#ifndef SERVERS_SERVER_LIMITS_H
#define SERVERS_SERVER_LIMITS_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/four_letter.h"

#include <stdint.h>

struct server_limits {
    uint64_t connections; /* from one host (conf: maxClientCnxns); 0: no limit */
    uint64_t descriptors; /* of its process, that are not in use (mntr) */
    uint64_t heap_bytes;  /* the largest (envi) */
};

/* Reads the answers to these words; "" is that to a word that is refused. */
void server_limits_read(const char *conf, const char *mntr, const char *envi,
                        struct server_limits *limits);

/* Asks conf, mntr and envi, timeout_ns each. A word that the whitelist refuses is no error, nor is
 * an answer without the setting. Errors of servers/four_letter.h. */
MUST_CHECK enum error_kind server_limits_ask(const struct endpoint *endpoint, uint64_t timeout_ns,
                                             struct server_limits *limits, struct error *error);

/* Asks conf alone, for the connections from one host; FOUR_LETTER_UNTOLD without an answer. */
uint64_t server_limits_connections(const struct endpoint *endpoint, uint64_t timeout_ns);

/* Takes the lower of each limit; no limit is higher than every number, and what one server does not
 * tell is untold. */
void server_limits_heed(struct server_limits *limits, const struct server_limits *other);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * server_limits: what a server tells about its own limits, in four-letter words. Layer: servers.
 *
 * Invariant: what a server does not tell is FOUR_LETTER_UNTOLD, never zero.
 */
#ifndef SERVERS_SERVER_LIMITS_H
#define SERVERS_SERVER_LIMITS_H

#include "client/connect.h"
#include "servers/four_letter.h"

#include <stdint.h>

/* Asks conf, for the connections from one host (maxClientCnxns); 0: no limit; FOUR_LETTER_UNTOLD
 * without an answer. */
uint64_t server_limits_connections(const struct endpoint *endpoint, uint64_t timeout_ns);

#endif

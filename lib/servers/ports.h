// SPDX-License-Identifier: Apache-2.0
/*
 * ports: ports of 127.0.0.1 for private servers. Layer: servers, below ensemble.
 *
 * Invariant: no two of those that are found together are the same.
 */
#ifndef SERVERS_PORTS_H
#define SERVERS_PORTS_H

#include "base/error.h"
#include "servers/server.h"

#include <stdint.h>

#define PORTS_SERVERS_MAX 7

/* Whether so many servers can have a port each for their clients, from `first` on: ERROR_USAGE. */
MUST_CHECK enum error_kind ports_check(uint16_t first, unsigned servers, struct error *error);

/* Finds ports that are free now, for at most PORTS_SERVERS_MAX servers: for clients from `first`
 * on, or any if that is 0, and any for the rest. ERROR_PORT_TAKEN, or the operating system's. */
MUST_CHECK enum error_kind ports_find(uint16_t first, unsigned servers, struct server_ports *ports,
                                      struct error *error);

#endif

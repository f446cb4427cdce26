// SPDX-License-Identifier: Apache-2.0
/*
 * ports: ports of 127.0.0.1 for private servers. Layer: servers, below ensemble.
 *
 * Invariant: the ports of one call are all different.
 */
#ifndef SERVERS_PORTS_H
#define SERVERS_PORTS_H

#include "base/error.h"
#include "servers/server.h"

#include <stdint.h>

#define PORTS_SERVERS_MAX 7

/* ERROR_USAGE if the ports for clients, one for each server from `first` on, exceed 65535. */
MUST_CHECK enum error_kind ports_check(uint16_t first, unsigned servers, struct error *error);

/* Finds ports that are free now, for at most PORTS_SERVERS_MAX servers. The ports for clients are
 * consecutive from `first` on; if `first` is 0, and for peers, any ports. ERROR_PORT_TAKEN, or the
 * operating system's. */
MUST_CHECK enum error_kind ports_find(uint16_t first, unsigned servers, struct server_ports *ports,
                                      struct error *error);

#endif

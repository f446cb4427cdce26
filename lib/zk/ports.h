// SPDX-License-Identifier: Apache-2.0
/*
 * ports: ports of 127.0.0.1 for private servers. Layer: zk, below ensemble.
 *
 * Invariant: no two of those that are found together are the same.
 */
#ifndef ZK_PORTS_H
#define ZK_PORTS_H

#include "base/fault.h"
#include "zk/server.h"

#include <stdint.h>

#define PORTS_SERVERS_MAX 7

/* Whether so many servers can have a port each for their clients, from `first` on: FAULT_USAGE. */
MUST_CHECK enum fault_kind ports_check(uint16_t first, unsigned servers, struct fault *fault);

/* Finds ports that are free now, for at most PORTS_SERVERS_MAX servers: for clients from `first`
 * on, or any if that is 0, and any for the rest. FAULT_PORT_TAKEN, or the operating system's. */
MUST_CHECK enum fault_kind ports_find(uint16_t first, unsigned servers, struct server_ports *ports,
                                      struct fault *fault);

#endif

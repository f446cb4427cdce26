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

#include <stddef.h>
#include <stdint.h>

#define PORTS_SERVERS_MAX 7

/* ERROR_USAGE if the ports for clients, one for each server from `first` on, exceed 65535. */
MUST_CHECK enum error_kind ports_check(uint16_t first, unsigned servers, struct error *error);

/* Sockets that hold ports. */
struct ports_reservation {
    int sockets[3 * PORTS_SERVERS_MAX]; /* of each server, at most: client, peer, election */
    size_t count;
};

/*
 * Finds ports that are free, for at most PORTS_SERVERS_MAX servers, and holds them. The ports for
 * clients are consecutive from `first` on; if `first` is 0, and for peers, any ports. While they
 * are held, the system gives them to nobody who asks for any port, such as another ensemble, whose
 * server would be taken for one of these; whoever binds one with SO_REUSEADDR, as Java does, can
 * listen there, and until then connections are refused. *reservation is the caller's to
 * ports_let_go, on success. ERROR_PORT_TAKEN, or the operating system's.
 */
MUST_CHECK enum error_kind ports_reserve(uint16_t first, unsigned servers,
                                         struct server_ports *ports,
                                         struct ports_reservation *reservation,
                                         struct error *error);

/* When the servers listen. */
void ports_let_go(const struct ports_reservation *reservation);

#endif

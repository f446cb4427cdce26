// SPDX-License-Identifier: Apache-2.0
/*
 * tcp: a TCP connection to a server, and the address behind its name. Layer: servers.
 *
 * A name with several addresses: they are tried in the resolver's order, each with its share of the
 * time that is left, and the first that accepts a connection is taken.
 *
 * Both ways in end at their deadline; only the resolving of a name (DNS) is not bounded by it.
 * ERROR_UNRESOLVED, ERROR_REFUSED (nobody listens there), ERROR_CLOSED, ERROR_NO_ANSWER (not in
 * time), or an error of the operating system.
 */
#ifndef SERVERS_TCP_H
#define SERVERS_TCP_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stdint.h>

/* Connects: *fd is the caller's to close, and does not block. deadline_ns is of clock_now_ns. */
MUST_CHECK enum error_kind tcp_connect(const struct endpoint *endpoint, uint64_t deadline_ns,
                                       int *fd, struct error *error);

/*
 * Makes the endpoint's host an address, and keeps what stood there as its name. A name is resolved
 * by connecting to it, within timeout_ns; of an address nothing is asked. Afterwards nothing that
 * connects to the endpoint, the client library included, waits for DNS.
 */
MUST_CHECK enum error_kind tcp_resolve(struct endpoint *endpoint, uint64_t timeout_ns,
                                       struct error *error);

/* Waits until the descriptor is ready for one of poll's events; false when the deadline comes
 * first. */
bool tcp_await(int fd, short events, uint64_t deadline_ns);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * tcp: a TCP connection to a server, and the address of its name. Layer: servers.
 *
 * The addresses of a name are tried in the resolver's order, each for an equal share of the time
 * that is left, until one accepts a connection.
 *
 * Invariant: a call ends at its deadline, except while a name is resolved (DNS). Errors:
 * ERROR_UNRESOLVED, ERROR_REFUSED (nobody listens), ERROR_CLOSED (after it was accepted),
 * ERROR_NO_ANSWER (not in time), or the operating system's (ERROR_NO_DESCRIPTORS …).
 */
#ifndef SERVERS_TCP_H
#define SERVERS_TCP_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stdint.h>

/* Connects. *fd is the caller's to close, and non-blocking. deadline_ns is of clock_now_ns. */
MUST_CHECK enum error_kind tcp_connect(const struct endpoint *endpoint, uint64_t deadline_ns,
                                       int *fd, struct error *error);

/* Begins to connect to an endpoint whose host is an address (tcp_resolve), and waits for nothing.
 * *fd is the caller's to close, non-blocking, and writable when tcp_end may be called. */
MUST_CHECK enum error_kind tcp_begin(const struct endpoint *endpoint, int *fd, struct error *error);

/* Whether that has succeeded; the descriptor stays open. */
MUST_CHECK enum error_kind tcp_end(const struct endpoint *endpoint, int fd, struct error *error);

/* Replaces the endpoint's host by its address, and keeps the host as its name, so that no later
 * connection waits for DNS. A name is resolved by connecting to it, within timeout_ns; a host that
 * is an address already is only normalised. */
MUST_CHECK enum error_kind tcp_resolve(struct endpoint *endpoint, uint64_t timeout_ns,
                                       struct error *error);

/* Waits until the descriptor is ready for one of these events of poll; false at the deadline. */
bool tcp_await(int fd, short events, uint64_t deadline_ns);

#endif

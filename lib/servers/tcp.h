// SPDX-License-Identifier: Apache-2.0
/*
 * tcp: a TCP connection to a server, the address of its name, and the process that listens there.
 * Layer: servers.
 *
 * Invariant: a call ends at its deadline, except while a name is resolved (DNS). Errors:
 * ERROR_UNRESOLVED, ERROR_REFUSED (no program listens), ERROR_CLOSED (after it was accepted),
 * ERROR_NO_ANSWER (not in time), or the operating system's (ERROR_NO_DESCRIPTORS …).
 */
#ifndef SERVERS_TCP_H
#define SERVERS_TCP_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Begins to connect to an endpoint whose host is an address (tcp_resolve), and waits for nothing.
 * *fd is the caller's to close, non-blocking, and writable when tcp_end may be called, which says
 * whether that has succeeded. */
MUST_CHECK enum error_kind tcp_begin(const struct endpoint *endpoint, int *fd, struct error *error);
MUST_CHECK enum error_kind tcp_end(const struct endpoint *endpoint, int fd, struct error *error);

/* Replaces the endpoint's host by its address, and keeps the host as its name, so that no later
 * connection waits for DNS. The address is the first of the name's, in the resolver's order, that
 * accepts a connection, within timeout_ns; a host that is an address already is only normalised.
 * The addresses of its family are counted: one of the other family may be the same server. */
MUST_CHECK enum error_kind tcp_resolve(struct endpoint *endpoint, uint64_t timeout_ns,
                                       struct error *error);

/* Waits until the descriptor is ready for one of these events of poll; false at the deadline. */
bool tcp_await(int fd, short events, uint64_t deadline_ns);

/* ------------------------------------------------------------------ who listens
 *
 * A process is named only if it holds the listening socket: /proc/net/tcp has the socket's inode,
 * and the descriptors of the process have it, too. Only root sees into processes of other users. */

enum listener_place {
    LISTENER_ELSEWHERE, /* on another host */
    LISTENER_HERE,      /* the process is known */
    LISTENER_UNKNOWN,   /* on this host, or in a container on it */
};

/* Finds the process that listens at an endpoint whose host is an address (tcp_resolve); *pid is
 * unchanged unless it is LISTENER_HERE. In a container (a PID namespace of its own) other
 * containers of the host look like other hosts, so there it is never LISTENER_ELSEWHERE. A proxy of
 * Docker, behind which the server is another process, is LISTENER_UNKNOWN. */
enum listener_place listener_find(const struct endpoint *endpoint, pid_t *pid);

/* The inode of the socket that listens at a port, from a text of /proc/net/tcp or tcp6; 0: none. */
unsigned long listener_parse_inode(const char *text, unsigned port);

#endif

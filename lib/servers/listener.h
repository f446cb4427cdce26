// SPDX-License-Identifier: Apache-2.0
/*
 * listener: which process of this host listens at an endpoint. Layer: servers.
 *
 * Invariant: a process is named only if it holds the listening socket: /proc/net/tcp tells the
 * socket's inode, and the descriptors of the process the inode. Processes of other users cannot be
 * looked into, except by root.
 */
#ifndef SERVERS_LISTENER_H
#define SERVERS_LISTENER_H

#include "client/connect.h"

#include <sys/types.h>

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

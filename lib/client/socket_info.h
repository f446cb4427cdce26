// SPDX-License-Identifier: Apache-2.0
/*
 * socket_info: what the kernel knows of a session's TCP connection. Layer: client, below the
 * drivers.
 *
 * The client library owns its sockets, and closes and reopens them when it likes, often under the
 * same descriptor number. So a socket is known here by the kernel's cookie, a number that no other
 * socket ever has.
 */
#ifndef CLIENT_SOCKET_INFO_H
#define CLIENT_SOCKET_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of payload sent and received so far, without retransmissions; false, with the outputs
 * unchanged, if the descriptor is no TCP socket. */
bool socket_info_bytes(int descriptor, uint64_t *sent_bytes, uint64_t *received_bytes);

/* Bytes that have arrived and are unread; 0 if the descriptor is no TCP socket. */
size_t socket_info_unread(int descriptor);

/* The kernel's number of the TCP socket under this descriptor; 0 if there is none. */
uint64_t socket_info_cookie(int descriptor);

/*
 * To find a socket that other code opens: socket_info_look notes which of the descriptors from the
 * lowest free one on are sockets; socket_info_find returns the first that has become a socket
 * since, or -1. In between no other thread of the process may open sockets.
 */
struct socket_info_search {
    int first;       /* the lowest free descriptor */
    uint64_t before; /* a bit for each descriptor from there on: it is a TCP socket */
};

void socket_info_look(struct socket_info_search *search);
int socket_info_find(const struct socket_info_search *search);

#endif

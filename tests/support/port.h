// SPDX-License-Identifier: Apache-2.0
/*
 * port: a port of 127.0.0.1 that nobody else can bind while its socket is open. Connections are
 * refused until it listens.
 */
#ifndef TESTS_PORT_H
#define TESTS_PORT_H

#include "tests/support/test.h"

#include <sys/socket.h>

/* The socket, for the caller to close. */
int port_take(uint16_t *port);

/* The same, and it listens. */
int port_listen(uint16_t *port);

#endif

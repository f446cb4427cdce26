// SPDX-License-Identifier: Apache-2.0
/*
 * read_server: the least that a server of reads can cost. Layer: bench.
 *
 * A bare epoll loop in a process of its own, which speaks enough of ZooKeeper's protocol for the
 * sessions of a load of reads: every znode exists and has the same value, every other request
 * succeeds, and the four-letter words are not answered. All requests that have arrived on a
 * connection are answered at once. So the clients, not the server, decide how many are answered.
 */
#ifndef BENCH_COST_READ_SERVER_H
#define BENCH_COST_READ_SERVER_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

#define READ_SERVER_VALUE_BYTES 1024

/* Starts it on a free port of the loopback interface. On success read_server_stop is due. Errors of
 * errno. */
MUST_CHECK enum error_kind read_server_start(uint16_t *port, pid_t *server, struct error *error);
void read_server_stop(pid_t server);

#endif

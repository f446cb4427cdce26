// SPDX-License-Identifier: Apache-2.0
/*
 * connection_limit: how many connections a server accepts from this host at a time. Layer: servers.
 *
 * A ZooKeeper server closes a connection at once when the client's host already has maxClientCnxns
 * connections (60 by default). Only a server whose whitelist allows `conf` tells its limit, so the
 * limit is measured: silent connections are opened until the server closes one. A busy server
 * counts late, and accepts more than its limit. So, even if it closes none, one is ended, and the
 * server must accept another one in its place. The word `conf`, allowed or not, tells how far the
 * server has come.
 *
 * Invariant: no session is made, nothing else is written to the server, and no connection is left
 * open.
 */
#ifndef SERVERS_CONNECTION_LIMIT_H
#define SERVERS_CONNECTION_LIMIT_H

#include "base/error.h"
#include "client/connect.h"

#include <stdint.h>

/* The most connections that are tried. */
#define CONNECTION_LIMIT_TRIED_MAX 2000

/* The value of *room when the limit is not below the number wanted. */
#define CONNECTION_LIMIT_ENOUGH UINT64_MAX

/*
 * Tries whether the server accepts `wanted` more connections from this host. *room becomes
 * CONNECTION_LIMIT_ENOUGH if it does, or if it tells that it has no limit; else the number that it
 * accepts. After an error *room means nothing. Takes 2 ms and a round trip for each connection,
 * and half a second; connecting, and each answer, may take timeout_ns each. If this process runs
 * out of file descriptors, the server is taken to accept the rest. Errors of tcp_connect,
 * ERROR_NO_ANSWER if the limit could not be found, and ERROR_NO_MEMORY.
 */
MUST_CHECK enum error_kind connection_limit_try(const struct endpoint *endpoint, uint64_t wanted,
                                                uint64_t timeout_ns, uint64_t *room,
                                                struct error *error);

#endif

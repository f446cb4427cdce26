// SPDX-License-Identifier: Apache-2.0
/*
 * connection_limit: how many connections a server takes from this host at a time. Layer: servers.
 *
 * A ZooKeeper closes a connection as soon as it has accepted it when its host has maxClientCnxns of
 * them: 60 unless its settings say otherwise, and only those whose whitelist allows `conf` tell. So
 * it is tried: connections are opened, which say nothing, until one is closed, and all are closed
 * again.
 *
 * Invariant: no session is made, nothing is written to the server, and no connection is left.
 */
#ifndef SERVERS_CONNECTION_LIMIT_H
#define SERVERS_CONNECTION_LIMIT_H

#include "base/error.h"
#include "client/connect.h"

#include <stdint.h>

/* More connections than this are not tried: a server that takes so many has its limit elsewhere. */
#define CONNECTION_LIMIT_TRIED_MAX 2000

/* As many as anybody wants. */
#define CONNECTION_LIMIT_ENOUGH UINT64_MAX

/*
 * Tries whether the server takes so many connections more from this host. *room becomes
 * CONNECTION_LIMIT_ENOUGH if it does, or if it says that it has no limit; else how many it takes, 0
 * only if it keeps none; after an error it means nothing. Takes about two milliseconds and a
 * packet's way there and back a connection, each of which may take timeout_ns. The file descriptors
 * are to be had; where they run out, the server is taken to allow the rest. Errors of tcp_connect,
 * ERROR_NO_ANSWER where the limit could not be found, and ERROR_NO_MEMORY.
 */
MUST_CHECK enum error_kind connection_limit_try(const struct endpoint *endpoint, uint64_t wanted,
                                                uint64_t timeout_ns, uint64_t *room,
                                                struct error *error);

#endif

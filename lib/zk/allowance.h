// SPDX-License-Identifier: Apache-2.0
/*
 * allowance: how many connections a server takes from this host at a time. Layer: zk.
 *
 * A ZooKeeper closes a connection as soon as it has accepted it when its host has maxClientCnxns of
 * them: 60 unless its settings say otherwise, and only those whose whitelist allows `conf` tell. So
 * it is tried: connections are opened, which say nothing, until one is closed, and all are closed
 * again.
 *
 * Invariant: no session is made, nothing is written to the server, and no connection is left.
 */
#ifndef ZK_ALLOWANCE_H
#define ZK_ALLOWANCE_H

#include "base/fault.h"
#include "zk/connect.h"

#include <stdint.h>

/* More connections than this are not tried: a server that takes so many has its limit elsewhere. */
#define ALLOWANCE_TRIED_MAX 2000

/* As many as anybody wants. */
#define ALLOWANCE_ENOUGH UINT64_MAX

/*
 * Tries whether the server takes so many connections more from this host. *room becomes
 * ALLOWANCE_ENOUGH if it does, or if it says that it has no limit; else how many it takes, 0 only
 * if it keeps none; after a fault it means nothing. Takes about two milliseconds and a packet's way
 * there and back a connection, each of which may take timeout_ns. The file descriptors are to be
 * had; where they run out, the server is taken to allow the rest. Faults of dial_connect,
 * FAULT_NO_ANSWER where the limit could not be found, and FAULT_NO_MEMORY.
 */
MUST_CHECK enum fault_kind allowance_try(const struct endpoint *endpoint, uint64_t wanted,
                                         uint64_t timeout_ns, uint64_t *room, struct fault *fault);

#endif

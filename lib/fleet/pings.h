// SPDX-License-Identifier: Apache-2.0
/*
 * pings: how many pings a session can have sent. Layer: fleet.
 *
 * Pings are seen only by the client library, which sends them, and by the servers, which count them
 * among the reads that they answered. But the library follows a rule (zookeeper_interest in its
 * zookeeper.c): it sends a ping when it has sent nothing for a third of the session's timeout, and
 * no request waits for its reply. So a session that is silent for less sends none, and one that is
 * silent for longer no more than one for each third.
 *
 * Invariant: the number is never too small.
 */
#ifndef FLEET_PINGS_H
#define FLEET_PINGS_H

#include <stdint.h>

/* The most pings in a silence of this length, of a session with this timeout. */
uint64_t pings_most(uint64_t silence_ns, uint32_t timeout_ms);

#endif

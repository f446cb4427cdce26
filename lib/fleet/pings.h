// SPDX-License-Identifier: Apache-2.0
/*
 * pings: how many pings a session can have sent. Layer: fleet.
 *
 * The client library sends pings without telling, and the servers count them as reads. But the
 * library follows a rule (zookeeper_interest in its zookeeper.c): it sends a ping when it has sent
 * nothing for a third of the session's timeout and no request waits for its reply. So a silent
 * session sends at most one ping for each third of its timeout.
 *
 * Invariant: the number is never too small.
 */
#ifndef FLEET_PINGS_H
#define FLEET_PINGS_H

#include <stdint.h>

/* The most pings of a session in a time without requests. */
uint64_t pings_most(uint64_t silence_ns, uint32_t timeout_ms);

#endif

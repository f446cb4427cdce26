// SPDX-License-Identifier: Apache-2.0
/*
 * probe: what a relay adds to the latency of a request. Layer: relay.
 *
 * A process of its own opens two sessions with the first server, one through a relay that is made
 * for it and one without, and sends the same request on both in turn: exists of the root. Each
 * waits for its reply, so both are measured at the same time and on the same machine.
 *
 * Invariant: when probe_run returns, the sessions are closed, and the process has ended.
 */
#ifndef RELAY_PROBE_H
#define RELAY_PROBE_H

#include "base/error.h"
#include "client/connect.h"
#include "measure/histogram.h"

enum probe_way { PROBE_DIRECT, PROBE_RELAYED, PROBE_WAYS };

/* Measures PROBE_REQUESTS requests on each way, for 5 s at most, into *latency, in shared memory
 * that probe_free frees. Empty histograms: the server did not open the sessions, or did not answer
 * in time. Errors of relay_new and of errno. */
#define PROBE_REQUESTS 500
struct probe {
    struct histogram latency[PROBE_WAYS];
};
MUST_CHECK enum error_kind probe_run(const struct connect_string *servers, const char *address,
                                     struct probe **probe, struct error *error);
void probe_free(struct probe *probe);

#endif

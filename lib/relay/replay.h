// SPDX-License-Identifier: Apache-2.0
/*
 * replay: sends the requests of a recording again, at their own times, from as many sessions.
 * Layer: relay.
 *
 * Each recorded connection is a connection again, on one loop, with openings, pings and closes as
 * they were. A request is due at its recorded time, and is held back until its connection has got
 * as many replies and notifications as the client had, the sequential znodes that it names are
 * made, and earlier requests about the same znodes are sent or answered (relay/order.h). A
 * notification is given up when everything else before was answered for REPLAY_PATIENCE_NS. Paths
 * are renamed below a root (relay/rename.h), ACLs give everybody all permissions, and the time-outs
 * of sessions are divided by the speed as all times are. Requests that overlapped may be carried
 * out in another order than in the recording.
 *
 * Left out are auth, sasl and reconfig, operations of later releases and messages of more than
 * 4 MiB: their bytes are not in a recording, or not for another ensemble.
 *
 * Invariant: nothing outside the root is asked for or changed.
 */
#ifndef RELAY_REPLAY_H
#define RELAY_REPLAY_H

#include "base/error.h"
#include "client/connect.h"
#include "measure/histogram.h"
#include "relay/exchange.h"
#include "relay/prior.h"
#include "relay/traffic.h"

#include <stdbool.h>
#include <stdint.h>

#define REPLAY_PATIENCE_NS UINT64_C(1000000000)
#define REPLAY_SPEED_LEAST 10 /* percent */
#define REPLAY_SPEED_MOST  100000

/* All but `compared`: X(name, meaning). */
#define REPLAY_COUNTS(X)                                                                           \
    X(left_out, "requests that were left out: auth, sasl, reconfig, and what is not in the file")  \
    X(unsent, "requests that were not sent, because their connection had ended")                   \
    X(unanswered, "requests that were sent and got no reply, other than in the recording")         \
    X(held, "requests that were held back until what was done before them was done")               \
    X(given_up, "requests that were sent although a recorded notification had not come")           \
    X(lost, "connections that the servers ended, and not in the recording")                        \
    X(unconnected, "connections that could not be made")

struct replay_result {
    struct traffic traffic; /* of the replay */
    struct exchange_comparison compared;
    struct histogram late;     /* requests that were not held back: from when they were due */
    struct histogram held_for; /* those that were: likewise */
#define X(name, meaning) uint64_t name;
    REPLAY_COUNTS(X)
#undef X
    uint64_t begun_ns; /* of the monotonic clock */
    double seconds;
};

struct replay_options {
    const char *path;
    struct prior *prior; /* of the same recording; its names are used up */
    const struct connect_string *servers;
    const char *root;       /* with the servers' chroot; prior->znodes are made below it */
    uint64_t speed_percent; /* REPLAY_SPEED_LEAST to REPLAY_SPEED_MOST; 100: as it was */
    int interrupts;         /* a descriptor: when it is readable, the replay ends */
    /* Called twice a second. Errors end the replay. */
    enum error_kind (*look)(void *context, const struct replay_result *result, uint64_t done_ns,
                            struct error *error);
    void *context;
};

/* Replays; afterwards all its sessions are closed, except those that a recorded client has left to
 * expire. *result ends with replay_deinit, whatever is returned. ERROR_INTERRUPTED, errors of
 * recording_next, of `look`, and of errno. */
MUST_CHECK enum error_kind replay_run(const struct replay_options *options,
                                      struct replay_result *result, struct error *error);
void replay_deinit(struct replay_result *result);

#endif

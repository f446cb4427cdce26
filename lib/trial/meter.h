// SPDX-License-Identifier: Apache-2.0
/*
 * meter: counts and times what a session sends and receives, and attributes it. Layer: trial.
 *
 * A message is counted in the present row of its lock's ledger and in the total of its worker. The
 * two must agree in the end.
 *
 * Latencies are kept by the role of a session's server: of the granted session for a handoff, of
 * the notified session for a notification.
 *
 * In a steady trial latencies are recorded only in the steady part: from as many grants as the lock
 * has clients until no more arrivals are let in. Everything is counted at all times.
 *
 * Of the handoffs that the plan traces, each message is kept as well (trace.h).
 *
 * Nothing here allocates, formats or logs: it is the measured path.
 */
#ifndef TRIAL_METER_H
#define TRIAL_METER_H

#include "client/client.h"
#include "fleet/actor.h"
#include "trial/trial_memory.h"

/* Where a session's messages are counted. */
struct meter {
    struct trial_memory *memory;
    struct lock_worker *worker;
    const struct actor *actor; /* the session's */
    uint32_t lock;
    struct client_bytes bytes; /* at the last reading */
};

void meter_sent(const struct meter *meter, enum operation operation);
void meter_replied(const struct meter *meter, const struct client_reply *reply);

/* A notification. spurious: it did not wake its session. since_release_ns: of
 * handoff_notification_ns. */
void meter_notified(const struct meter *meter, enum client_event event, bool spurious,
                    uint64_t since_release_ns);

/* A grant, `acquire_ns` after its session arrived. handoff_ns: of handoff_grant_ns; not recorded if
 * the holder died. */
void meter_granted(const struct meter *meter, uint64_t now_ns, uint64_t acquire_ns,
                   uint64_t handoff_ns);

/* A hold of `held_ns`, from the grant to the release, which is about to be sent. */
void meter_held(const struct meter *meter, uint64_t held_ns);

/* A release is about to be sent; its handoff has begun. */
void meter_release_begun(const struct meter *meter, uint64_t now_ns);

/* A release has ended, `release_ns` after it was sent. */
void meter_released(const struct meter *meter, uint64_t release_ns);

/* Reads the kernel's byte counters of the connection and attributes the difference to meter->bytes,
 * the reading before. A new connection counts from zero. */
void meter_read_bytes(struct meter *meter, const struct client *client);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * meter: counts and times what a session sends and receives, and attributes it. Layer: trial.
 *
 * A message goes into the ledger's present row of its lock, and into its worker's own total: two
 * counts kept apart, which must agree in the end.
 *
 * Latencies are kept by the role of the server of the session that has them: that of the session
 * granted for a handoff, that of the session notified for a notification.
 *
 * Latencies of a steady trial are those of its steady part: from when each client of the lock could
 * have been granted once, until no more arrivals are let in. Counts are never left out.
 *
 * Nothing here allocates, formats or logs: it is the measured path.
 */
#ifndef TRIAL_METER_H
#define TRIAL_METER_H

#include "client/client.h"
#include "fleet/actor.h"
#include "trial/lock_board.h"

/* Where a session's messages are counted. */
struct meter {
    struct lock_board *board;
    struct lock_worker *worker;
    const struct actor *actor; /* whose messages these are */
    uint32_t lock;
    struct client_bytes bytes; /* at the last reading */
};

void meter_sent(const struct meter *meter, enum operation operation);
void meter_replied(const struct meter *meter, const struct client_reply *reply);

/* A notification, whether it failed to wake its session up, and how long after the release it came
 * (handoff_notification_ns). */
void meter_notified(const struct meter *meter, bool spurious, uint64_t since_release_ns);

/* A grant, `acquire_ns` after its session arrived, and so long after the release
 * (handoff_grant_ns): that is no latency if the holder died. */
void meter_granted(const struct meter *meter, uint64_t acquire_ns, uint64_t handoff_ns);

/* A release has come to its end, `release_ns` after it was sent. */
void meter_released(const struct meter *meter, uint64_t release_ns);

/* Reads the connection's byte counters (the kernel's) and attributes what has come since the last
 * reading; the first reading after the connection was made only takes the marks. */
void meter_mark_bytes(struct meter *meter, const struct client *client);
void meter_read_bytes(struct meter *meter, const struct client *client);

#endif

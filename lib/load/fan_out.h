// SPDX-License-Identifier: Apache-2.0
/*
 * fan_out: which write fired which notification, and how long each was under way. Layer: load.
 *
 * A watch left by a read of version v fires once, at the write that makes version v+1: so a session
 * remembers the version that it watches, and names the write when it is notified. The library's
 * synchronous calls (DRIVER_THREADS) hand over a reply with the new version before the notification
 * at times: then the session expects that notification. A writer learns its version from the reply,
 * and publishes the write in the znode's ring of recent writes. What is notified before that, and
 * what is expected, waits in a list of the session.
 *
 * A notification is untimed when its write never was published (the reply was lost, or a multi's,
 * which has no version), when the ring has lost the write, when the list has no room, or when the
 * session does not know which version it watches, as after a loss of its connection.
 *
 * Invariant: each notification is timed once, untimed once, or waits in its session's list; the
 * fan-outs of all writes sum to the notifications that were timed. All sessions may call everything
 * at once but fan_out_close, each for itself.
 */
#ifndef LOAD_FAN_OUT_H
#define LOAD_FAN_OUT_H

#include "fleet/shared.h"
#include "load/load_plan.h"
#include "measure/histogram.h"

/* What the sessions of a worker have found in a load that leaves watches. The histograms, the
 * writes and the largest fan-out are of measured writes alone, `timed` and `untimed` of all. */
struct fan_out_counts {
    _Alignas(SHARED_CACHE_LINE) _Atomic uint64_t timed; /* notifications */
    _Atomic uint64_t untimed;                           /* notifications */
    _Atomic uint64_t writes;                            /* that fired a notification at least */
    _Atomic uint64_t most;                              /* notifications of one write */
    struct histogram notification; /* from the sending of the write to the notification */
    struct histogram first;        /* from there to the first notification of the write */
    struct histogram last;         /* from there to the last one */
};

/* Notifications of a session that wait for their writes, or are expected, at most. */
#define FAN_OUT_WAITING_MAX 64

/* A recent write. Whoever changes the rest has put FAN_OUT_TAKEN in the version's place. */
struct fan_out_write {
    _Atomic int32_t version; /* that the write has made, from 1; 0: no write yet */
    uint32_t fan_out;        /* notifications so far */
    bool measured;
    uint64_t sent_ns;
    uint64_t first_ns; /* when the first notification came; UINT64_MAX: none has */
    uint64_t last_ns;  /* the last */
};

#define FAN_OUT_TAKEN INT32_MIN

struct fan_out_notification {
    uint32_t znode;
    int32_t version;  /* of the write that has fired it */
    uint64_t come_ns; /* 0: it is expected */
};

struct fan_out_session {
    struct fan_out_counts *counts; /* of its worker */
    int32_t *watched;              /* of each znode: the version that fires the watch; 0: unknown */
    bool lost_track;               /* of what it watches, for good */
    uint32_t waiting;
    struct fan_out_notification list[FAN_OUT_WAITING_MAX]; /* oldest first */
};

struct fan_out {
    uint32_t znodes;
    uint32_t watchable; /* znodes of a session: its own alone, or all */
    uint32_t ring;      /* recent writes of each znode: a power of two */
    struct fan_out_session *sessions;
    struct fan_out_write *writes; /* the ring of znode 0, that of znode 1, … */
    _Atomic bool *written;        /* of each znode: a write of it was published */
};

/* counts: one for each worker of the plan. */
struct fan_out *fan_out_lay_out(const struct load_plan *plan, struct fan_out_counts *counts,
                                struct shared_layout *layout);

/* A read that leaves a watch was answered: it has read this version. */
void fan_out_watch(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version);

/* A write was answered, and made this version. Nothing if the ring has a later one in its place. */
void fan_out_publish(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version,
                     uint64_t sent_ns, bool measured);

/* The session was notified of a change of the znode's data, at a time that is not 0; or of
 * something that no write of the load has caused. */
void fan_out_notify(struct fan_out *fan_out, uint32_t session, uint32_t znode, uint64_t come_ns);
void fan_out_notify_other(struct fan_out *fan_out, uint32_t session);

/* Looks for the writes of what waits in the session's list. */
void fan_out_retry(struct fan_out *fan_out, uint32_t session);

/* The session has lost its connection: it does not know what its watches are of. */
void fan_out_forget(struct fan_out *fan_out, uint32_t session);

/* The session is notified no more, and all writes were published: empties its list. */
void fan_out_end(struct fan_out *fan_out, uint32_t session);

/* Once, when all sessions have ended: counts the writes that the rings still hold. */
void fan_out_close(struct fan_out *fan_out, struct fan_out_counts *counts);

#endif

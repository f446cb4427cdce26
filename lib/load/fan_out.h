// SPDX-License-Identifier: Apache-2.0
/*
 * fan out: which write fired which notification, and how long each was under way. Layer: load,
 * below load_shared.
 *
 * A watch on a znode's data that is left by a read of version v fires at the write that makes
 * version v+1: a server keeps one watch for each session and path, and a watch fires once. So a
 * session remembers the version that it watches, and names the write when it is notified. A server
 * sends the notification before any reply that shows the new version, but the library's
 * synchronous calls (DRIVER_THREADS) hand over that reply first at times: then the session expects
 * the notification of the version before, and the next of this znode is that one. A writer learns
 * the version that it has made from the reply: it publishes its write then, in the znode's ring of
 * recent writes. What is notified before that waits in a list of the session, as does what is
 * expected.
 *
 * A notification is timed when its write is found. It is untimed when the write never was published
 * (its reply was lost, or was a multi's, which has no version), when the ring has lost the write,
 * when the list has no room, or when the session does not know which version it watches: after a
 * loss of its connection, or with nothing in its list but what is expected.
 *
 * Invariant: each notification is timed once, untimed once, or waits in its session's list, from
 * which fan_out_settle takes it; the fan-outs of all writes sum to the number of notifications that
 * were timed.
 *
 * The memory is laid out before the workers are forked, all zero, and is at the same address in all
 * of them; what is never touched costs nothing. Sessions on several threads and in several
 * processes may call everything at once but fan_out_close, each for itself.
 */
#ifndef LOAD_FAN_OUT_H
#define LOAD_FAN_OUT_H

#include "fleet/shared.h"
#include "measure/histogram.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Notifications of a session that wait for their writes, or are expected, at most. */
#define FAN_OUT_WAITING_MAX 64

/* The most watched versions that a load may have to remember: one for each session and each znode
 * that the session may watch. */
#define FAN_OUT_WATCHED_MAX (UINT64_C(1) << 28)

/* How large a fan-out is. Session i is counted for worker i mod workers. */
struct fan_out_shape {
    uint32_t sessions;
    uint32_t workers;
    uint32_t znodes;
    bool own; /* session i watches znode i alone, and there are as many znodes as sessions */
};

/* What the sessions of a worker have found. The histograms, the writes and the largest fan-out are
 * of measured writes alone, `timed` and `untimed` of all. */
struct fan_out_counts {
    _Alignas(SHARED_CACHE_LINE) _Atomic uint64_t timed; /* notifications */
    _Atomic uint64_t untimed;                           /* notifications */
    _Atomic uint64_t writes;                            /* that fired a notification at least */
    _Atomic uint64_t most;                              /* notifications of one write */
    struct histogram notification; /* from the sending of the write to the notification */
    struct histogram first;        /* from there to the first notification of the write */
    struct histogram last;         /* from there to the last one */
};

/* A recent write of a znode. Whoever changes the rest has put FAN_OUT_TAKEN in the version's place.
 */
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
    struct fan_out_shape shape;
    uint32_t ring; /* recent writes of each znode: a power of two */
    struct fan_out_counts *counts;
    struct fan_out_session *sessions;
    struct fan_out_write *writes; /* the ring of znode 0, that of znode 1, … */
    _Atomic bool *written;        /* of each znode: a write of it was published */
};

/* The memory that a fan-out of this shape takes, in bytes. */
size_t fan_out_size_bytes(const struct fan_out_shape *shape);

/* Lays a fan-out into memory of that size, all zero and at the start of a cache line, and returns
 * it: it owns nothing else. */
struct fan_out *fan_out_lay_out(const struct fan_out_shape *shape, void *memory);

/* A read that leaves a watch was answered: it has read this version. */
void fan_out_watch(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version);

/* A write was answered: it has made this version. Nothing happens if the ring holds a later write
 * in its place. */
void fan_out_publish(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version,
                     uint64_t sent_ns, bool measured);

/* The session was notified of a change of the znode's data, at a time that is not 0. */
void fan_out_notify(struct fan_out *fan_out, uint32_t session, uint32_t znode, uint64_t come_ns);

/* The session was notified of something that no write of the load has caused. */
void fan_out_notify_other(struct fan_out *fan_out, uint32_t session);

/* Looks for the writes of what waits in the session's list. */
void fan_out_retry(struct fan_out *fan_out, uint32_t session);

/* The session has lost its connection: from here on it does not know what its watches are of. */
void fan_out_forget(struct fan_out *fan_out, uint32_t session);

/* The session is notified no more, and all writes were published: empties its list. */
void fan_out_settle(struct fan_out *fan_out, uint32_t session);

/* All sessions are settled: the writes that the rings still hold are counted. To be called once. */
void fan_out_close(struct fan_out *fan_out);

#endif

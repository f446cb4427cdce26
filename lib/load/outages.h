// SPDX-License-Identifier: Apache-2.0
/*
 * outages: what the sessions of a load find out about faults of the servers: how soon after a fault
 * an operation is completed, how long none is, and how many are in each tenth of a second. Layer:
 * load, below load_shared.
 *
 * A time is of the measured time, from its beginning. An operation is completed when it is answered
 * as the load foresees. Silences are known to the millisecond: a millisecond in which no operation
 * was completed is silent.
 *
 * Invariant: recording neither allocates nor locks, and any number of sessions, threads and
 * processes may record at once; the memory is laid out before the workers are forked, all zero, and
 * is at the same address in all of them.
 */
#ifndef LOAD_OUTAGES_H
#define LOAD_OUTAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sample: so many of them are a second. */
#define OUTAGES_SAMPLES_PER_S 10

struct outages_shape {
    uint32_t workers;
    uint32_t seconds; /* of the measured time */
    uint32_t faults;
};

/* Which operations. */
enum outages_kind {
    OUTAGES_READS,
    OUTAGES_WRITES,
    OUTAGES_KINDS,
    OUTAGES_ALL = OUTAGES_KINDS /* both together */
};

/* In the coordinator's hands. */
struct outages_fault {
    uint64_t began_ns; /* what is timed begins here */
    uint64_t ended_ns; /* what was sent from here on was sent after the fault */
};

struct outages {
    struct outages_shape shape;
    _Atomic uint32_t begun; /* faults that the sessions know of */
    struct outages_fault *faults;
    /* For each worker, one behind the other: */
    _Atomic uint64_t (*first_ns)[OUTAGES_KINDS]; /* of each fault: +1; 0: none yet */
    _Atomic uint64_t (*loud)[OUTAGES_KINDS];     /* a bit for each millisecond */
    _Atomic uint64_t (*samples)[OUTAGES_KINDS];
};

size_t outages_size_bytes(const struct outages_shape *shape);

/* memory: of that size, all zero; the caller's. */
struct outages *outages_lay_out(const struct outages_shape *shape, void *memory);

/* The next fault has happened. For the coordinator; at most as often as the shape has faults. */
void outages_begin(struct outages *outages, uint64_t began_ns, uint64_t ended_ns);

/* An operation was completed by a session of this worker. */
void outages_record(struct outages *outages, uint32_t worker, bool reads, uint64_t sent_ns,
                    uint64_t now_ns);

/* From the beginning of a fault to the first completion of an operation that was sent after the
 * fault, and before the next one; UINT64_MAX: there was none. */
uint64_t outages_first_ns(const struct outages *outages, uint32_t fault, enum outages_kind kind);

/* The longest time between these two in which no operation was completed, in whole milliseconds. */
uint64_t outages_silence_ns(const struct outages *outages, uint64_t from_ns, uint64_t until_ns,
                            enum outages_kind kind);

/* The operations that were completed in a sample, from 0. */
uint64_t outages_sample(const struct outages *outages, uint32_t sample, enum outages_kind kind);

#endif

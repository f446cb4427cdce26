// SPDX-License-Identifier: Apache-2.0
/*
 * tally: the number of messages of each kind, and of bytes. Layer: measure.
 *
 * The kinds are the columns of trials.csv and handoffs.csv. A request is counted when it is sent,
 * whatever the answer:
 *
 *   CREATE, EXISTS, GET, GET_CHILDREN, SET, DELETE, SYNC   requests of this operation
 *   MULTI                    transactions of several requests, which are not counted themselves
 *   CREATE_FAILED, DELETE_FAILED  those of CREATE and DELETE that are answered with an error
 *   NOTIFICATION             watch events that a session receives
 *   NOTIFICATION_SPURIOUS    those of them that do not wake it
 *   NAMES_LISTED             names in replies to GET_CHILDREN
 *   BYTES_SENT, BYTES_RECEIVED  of TCP payload, by and to the sessions
 *
 * Invariant: tally_rpcs is the sum of CREATE, EXISTS, GET, GET_CHILDREN, SET, DELETE,
 * MULTI and SYNC.
 */
#ifndef MEASURE_TALLY_H
#define MEASURE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, column): the order is that of the columns. */
#define TALLY_LIST(X)                                                                              \
    X(CREATE, creates)                                                                             \
    X(CREATE_FAILED, creates_failed)                                                               \
    X(EXISTS, exists)                                                                              \
    X(GET, gets)                                                                                   \
    X(GET_CHILDREN, get_children)                                                                  \
    X(SET, sets)                                                                                   \
    X(DELETE, deletes)                                                                             \
    X(DELETE_FAILED, deletes_failed)                                                               \
    X(MULTI, multis)                                                                               \
    X(SYNC, syncs)                                                                                 \
    X(NOTIFICATION, notifications)                                                                 \
    X(NOTIFICATION_SPURIOUS, notifications_spurious)                                               \
    X(NAMES_LISTED, names_listed)                                                                  \
    X(BYTES_SENT, bytes_sent)                                                                      \
    X(BYTES_RECEIVED, bytes_received)

enum tally_kind {
#define X(name, column) TALLY_##name,
    TALLY_LIST(X)
#undef X
        TALLY_KINDS
};

struct tally {
    uint64_t of[TALLY_KINDS];
};

static inline void tally_add(struct tally *tally, enum tally_kind kind, uint64_t count)
{
    tally->of[kind] += count;
}

/* The same for a tally that several threads or processes write at once. Whoever reads the count by
 * tally_read_shared also sees everything that its writer wrote before. */
static inline void tally_add_shared(struct tally *tally, enum tally_kind kind, uint64_t count)
{
    /* Lockstep concludes from a notification's count that the session it woke is busy, and from the
     * sum of a worker that the rows of the ledger are written. */
    __atomic_fetch_add(&tally->of[kind], count, __ATOMIC_RELEASE);
}

/* Reads one kind while other threads or processes may write it. */
static inline uint64_t tally_read_shared(const struct tally *tally, enum tally_kind kind)
{
    return __atomic_load_n(&tally->of[kind], __ATOMIC_ACQUIRE);
}

/* `from` may be written by others meanwhile. */
void tally_sum(struct tally *into, const struct tally *from);

uint64_t tally_rpcs(const struct tally *tally);
extern const char *const tally_columns[];

/* Whether laws predict this kind: all kinds but the bytes. */
bool tally_has_law(enum tally_kind kind);

#endif

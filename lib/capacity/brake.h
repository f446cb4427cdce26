// SPDX-License-Identifier: Apache-2.0
/*
 * brake: whether a probe does harm to others, from what a bystander counts beside it. Layer:
 * capacity.
 *
 * A bystander is a session that reads at constant distances, BRAKE_READS_PER_S times a second. A
 * read is slow if the bound has passed since it was due: with a late reply, or still without one.
 * The brake is to be applied when BRAKE_SLOW_READS of the last BRAKE_WINDOW_NS were slow, a quarter
 * of them; when a read has failed; or when the bystander has lost its connection.
 *
 * Invariant: a read that the bystander itself has sent too late, because its process was not run,
 * is not held against the servers. The brake knows no clock: the decision depends on the counts and
 * their times, on nothing else.
 */
#ifndef CAPACITY_BRAKE_H
#define CAPACITY_BRAKE_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

#define BRAKE_READS_PER_S 10
#define BRAKE_WINDOW_NS   (2 * NS_PER_S)
#define BRAKE_SLOW_READS  5

/* The bound, if none is given: a multiple of the p99 alone, within these limits. */
#define BRAKE_TIMES_ALONE    10
#define BRAKE_BOUND_LEAST_NS (100 * NS_PER_MS)
#define BRAKE_BOUND_MOST_NS  (2 * NS_PER_S)

/* The time from one check to the next. After a pause the bystander was perhaps not run, either: a
 * silence is judged at the next check. */
#define BRAKE_CHECK_NS (100 * NS_PER_MS)
#define BRAKE_PAUSE_NS (500 * NS_PER_MS)

enum brake_reason {
    BRAKE_NONE,
    BRAKE_SLOW,   /* reads were answered, but late */
    BRAKE_SILENT, /* a read has no reply, and others are due behind it */
    BRAKE_ERRORS, /* a read has failed */
    BRAKE_LOST,   /* a connection was lost */
};

/* What one bystander has measured since it began to read. */
struct brake_counts {
    uint64_t due;    /* reads that were due longer ago than the bound */
    uint64_t done;   /* of all reads: answered or failed */
    uint64_t slow;   /* of those answered */
    uint64_t late;   /* sent later than the bound, by the bystander's own doing; slow as well */
    uint64_t errors; /* reads that have failed */
    uint64_t losses; /* of its connection */
    bool waits;      /* a read was sent and has no reply */
};

/* Samples of the last window, and the one before. */
#define BRAKE_SAMPLES (2 + BRAKE_WINDOW_NS / BRAKE_CHECK_NS)

struct brake_sample {
    uint64_t at_ns;
    uint64_t slow, late;
};

struct brake {
    struct brake_counts at_start;
    uint64_t checked_ns;
    struct brake_sample samples[BRAKE_SAMPLES]; /* a ring */
    uint64_t sample_count;                      /* since the start */
};

/* A probe begins, with what was counted until now: what was slow before is not held against it. It
 * is checked at most every BRAKE_CHECK_NS, with times that do not go back. */
void brake_begin(struct brake *brake, uint64_t now_ns, const struct brake_counts *counts);
enum brake_reason brake_check(struct brake *brake, uint64_t now_ns,
                              const struct brake_counts *counts);

/* The bound that follows from the p99 of reads alone. */
uint64_t brake_bound_ns(uint64_t alone_p99_ns);

#endif

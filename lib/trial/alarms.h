// SPDX-License-Identifier: Apache-2.0
/*
 * alarms: what ends at a known time, holds and pauses, on one timerfd. Layer: trial.
 *
 * epoll waits in milliseconds; a timerfd is as fine as the kernel's clock. Few alarms are set at
 * once (a lock has one holder; only a recipe that polls has all who wait pause), so they lie in an
 * unsorted array.
 */
#ifndef TRIAL_ALARMS_H
#define TRIAL_ALARMS_H

#include "base/fault.h"

#include <stddef.h>
#include <stdint.h>

struct alarm {
    uint64_t due_ns; /* of the monotonic clock */
    void *owner;
};

struct alarms {
    int descriptor; /* readable when an alarm is due: then call alarms_ring */
    size_t count;
    size_t capacity;
    struct alarm *set;
    /* Called for each that is due, late_ns behind its time; may set alarms. */
    void (*ring)(void *owner, uint64_t late_ns);
};

MUST_CHECK enum fault_kind alarms_init(struct alarms *alarms, size_t capacity,
                                       void (*ring)(void *owner, uint64_t late_ns),
                                       struct fault *fault);
void alarms_deinit(struct alarms *alarms);

/* Sets an alarm; there must be room (at most `capacity` at once). */
void alarms_set(struct alarms *alarms, uint64_t due_ns, void *owner);

/* Rings every alarm that is due. */
void alarms_ring(struct alarms *alarms);

#endif

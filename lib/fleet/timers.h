// SPDX-License-Identifier: Apache-2.0
/*
 * timers: what ends at a known time, holds and pauses, on one timerfd. Layer: fleet.
 *
 * epoll waits in milliseconds; a timerfd is as fine as the kernel's clock. Few alarms are set at
 * once (a lock has one holder; only a recipe that polls has all who wait pause), so they lie in an
 * unsorted array.
 */
#ifndef FLEET_TIMERS_H
#define FLEET_TIMERS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct alarm {
    uint64_t due_ns; /* of the monotonic clock */
    void *owner;
};

struct timers {
    int descriptor; /* readable when an alarm is due: then call timers_ring */
    size_t count;
    size_t capacity;
    struct alarm *set;
    /* Called for each that is due, late_ns behind its time; may set alarms. */
    void (*ring)(void *owner, uint64_t late_ns);
};

MUST_CHECK enum error_kind timers_init(struct timers *timers, size_t capacity,
                                       void (*ring)(void *owner, uint64_t late_ns),
                                       struct error *error);
void timers_deinit(struct timers *timers);

/* Sets an alarm; there must be room (at most `capacity` at once). */
void timers_set(struct timers *timers, uint64_t due_ns, void *owner);

/* Rings every alarm that is due. */
void timers_ring(struct timers *timers);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * timers: alarms of many owners, on one timerfd. Layer: fleet.
 *
 * epoll waits in milliseconds; a timerfd is as fine as the kernel's clock. Alarms lie in a binary
 * heap: to set one, and to ring one, takes O(log n).
 *
 * Invariant: alarms ring in the order of their due times, those with equal times in the order in
 * which they were set, and none before its time. The timerfd is armed for the earliest of them, by
 * a system call only when that time changes.
 */
#ifndef FLEET_TIMERS_H
#define FLEET_TIMERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alarm {
    uint64_t due_ns; /* of the monotonic clock */
    uint64_t order;  /* how many were set before */
    void *owner;
};

struct timers {
    int descriptor; /* readable when an alarm is due: then call timers_ring */
    size_t count;   /* alarms in the heap */
    size_t fresh;   /* alarms that were set while others rang; they lie behind the heap */
    size_t capacity;
    struct alarm *heap;
    uint64_t order;
    uint64_t armed_ns; /* what the timerfd is armed for; UINT64_MAX: for nothing */
    bool ringing;      /* in timers_ring */
    void (*ring)(void *owner, uint64_t late_ns);
};

/* For at most `capacity` alarms at once. `ring` is called for each alarm that is due, with the time
 * by which it is late; it may set alarms. To be undone by timers_deinit; on an error nothing is to
 * be undone. */
MUST_CHECK enum error_kind timers_init(struct timers *timers, size_t capacity,
                                       void (*ring)(void *owner, uint64_t late_ns),
                                       struct error *error);

/* Timers that are all zero are fine. */
void timers_deinit(struct timers *timers);

/* Sets an alarm; there must be room for it. A time that has passed is fine. An alarm cannot be
 * taken back: its owner must be able to be called. */
void timers_set(struct timers *timers, uint64_t due_ns, void *owner);

/* Rings every alarm that is due. An alarm that is set meanwhile rings in the next call at the
 * earliest, so that an owner that always sets a time that has passed does not keep the loop. */
void timers_ring(struct timers *timers);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * timers: alarms of many owners, on one timerfd. Layer: fleet, below workers.
 *
 * epoll waits in milliseconds; a timerfd is as fine as the kernel's clock. The alarms are in a
 * binary heap: setting an alarm and ringing one take O(log n).
 *
 * Invariant: in a batch alarms ring in the order of their due times, equal times in the order in
 * which they were set, and no alarm rings before its time. The timerfd is armed for the earliest,
 * by a system call only when that time changes.
 */
#ifndef FLEET_TIMERS_H
#define FLEET_TIMERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alarm {
    uint64_t due_ns; /* of the monotonic clock */
    uint64_t order;  /* the number of alarms that were set before */
    void *owner;
};

struct timers {
    int descriptor; /* readable when an alarm is due */
    size_t count;   /* alarms in the heap */
    size_t capacity;
    struct alarm *heap;
    struct alarm *due; /* those of a batch, behind the heap's places */
    uint64_t order;
    uint64_t armed_ns; /* the time for which the timerfd is armed; UINT64_MAX: none */
    bool ringing;      /* in timers_ring */
    void (*ring)(void *owner, uint64_t late_ns);
};

/* Timers for at most `capacity` alarms at once. `ring` is called for each alarm that is due, and
 * may set alarms. To be undone by timers_deinit, except after an error. */
MUST_CHECK enum error_kind timers_init(struct timers *timers, size_t capacity,
                                       void (*ring)(void *owner, uint64_t late_ns),
                                       struct error *error);

/* Timers that are all zero are fine. */
void timers_deinit(struct timers *timers);

/* Sets an alarm; there must be room for it. A time that has passed is fine. An alarm cannot be
 * taken back, so its owner must live until it rings. */
void timers_set(struct timers *timers, uint64_t due_ns, void *owner);

/* Rings every alarm that is due, of the struct timers: for event_loop_watch. An alarm that is set
 * by one of them rings in the next call at the earliest, so that an owner that always sets a time
 * that has passed does not keep the loop. */
void timers_ring(void *timers);

#endif

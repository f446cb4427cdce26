// SPDX-License-Identifier: Apache-2.0
/*
 * clock: one monotonic clock for every interval, and for the deadlines of condition variables.
 * Layer: base.
 *
 * Invariant: CLOCK_MONOTONIC never jumps, and is the same for all processes of a host, so an
 * interval may begin in one worker and end in another.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t clock_now_ns(void);

/* Nanoseconds since 1970 (CLOCK_REALTIME): for timestamps in files, never for intervals. */
uint64_t clock_utc_ns(void);

/* CPU time of this process, user and system, in nanoseconds. */
uint64_t clock_cpu_ns(void);

/* Writes 20261121T101530Z (compact) or 2026-11-21T10:15:30Z; size >= 24. */
void clock_format_utc(uint64_t utc_ns, int compact, char *text, size_t size);

/* Whole milliseconds until a time of clock_now_ns, rounded up, at most a minute: for poll(2). */
int clock_left_ms(uint64_t until_ns);

/* A condition variable; the caller ends it with pthread_cond_destroy. */
void condition_init(pthread_cond_t *condition);

/* pthread_cond_wait, at most until the time until_ns of clock_now_ns; 0: no limit. */
void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until_ns);

#endif

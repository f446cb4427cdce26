// SPDX-License-Identifier: Apache-2.0
/*
 * clock: one monotonic clock for every interval. Layer: base.
 *
 * Invariant: CLOCK_MONOTONIC never jumps, and is the same for all processes of a host, so an
 * interval may begin in one worker and end in another.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* CLOCK_MONOTONIC; CLOCK_REALTIME, since 1970: for timestamps in files, never for intervals; and
 * the CPU time of this process, user and system. */
uint64_t clock_now_ns(void);
uint64_t clock_utc_ns(void);
uint64_t clock_cpu_ns(void);

/* Writes 20261121T101530Z (compact) or 2026-11-21T10:15:30Z; size >= 24. */
void clock_format_utc(uint64_t utc_ns, int compact, char *text, size_t size);

/* Whole milliseconds until a time of clock_now_ns, rounded up, at most a minute: for poll(2). */
int clock_left_ms(uint64_t until_ns);

#endif

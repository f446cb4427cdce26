// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_utc_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

uint64_t clock_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_format_utc(uint64_t utc_ns, int compact, char *text, size_t size)
{
    time_t seconds = (time_t)(utc_ns / NS_PER_S);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(text, size, compact ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &utc);
}

int clock_left_ms(uint64_t until_ns)
{
    uint64_t now_ns = clock_now_ns();
    uint64_t left_ms = until_ns > now_ns ? (until_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS : 0;
    return left_ms < 60000 ? (int)left_ms : 60000;
}

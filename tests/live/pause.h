// SPDX-License-Identifier: Apache-2.0
/*
 * pause: between two looks at what takes its time.
 */
#ifndef TESTS_PAUSE_H
#define TESTS_PAUSE_H

#include <time.h>

static inline void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

#endif

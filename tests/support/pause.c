// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pause.h"

#include <time.h>

void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "base/condition.h"

#include "base/clock.h"

#include <time.h>

void condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until_ns)
{
    if (until_ns == 0) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                             .tv_nsec = (long)(until_ns % NS_PER_S)};
    pthread_cond_timedwait(condition, mutex, &until);
}

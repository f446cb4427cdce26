// SPDX-License-Identifier: Apache-2.0
/*
 * condition: condition variables with deadlines on the monotonic clock. Layer: base.
 */
#ifndef BASE_CONDITION_H
#define BASE_CONDITION_H

#include <pthread.h>
#include <stdint.h>

/* The caller ends it with pthread_cond_destroy. */
void condition_init(pthread_cond_t *condition);

/* pthread_cond_wait, at most until the time until_ns of clock_now_ns; 0: no limit. */
void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until_ns);

#endif

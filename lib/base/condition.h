// SPDX-License-Identifier: Apache-2.0
/*
 * condition: condition variables whose deadlines are of the monotonic clock. Layer: base.
 */
#ifndef BASE_CONDITION_H
#define BASE_CONDITION_H

#include <pthread.h>
#include <stdint.h>

/* To be ended with pthread_cond_destroy. */
void condition_init(pthread_cond_t *condition);

/* Waits, as pthread_cond_wait does, until `until_ns` of clock_now_ns at most; 0: without end. */
void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until_ns);

#endif

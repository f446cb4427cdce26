// SPDX-License-Identifier: Apache-2.0
/*
 * costs: experiments on what a drain costs in all, as the number of its clients grows. Layer:
 * bench/claims.
 */
#ifndef BENCH_CLAIMS_COSTS_H
#define BENCH_CLAIMS_COSTS_H

#include "bench/claims/claim.h"

/* Of one lock: CREATEs and RPCs of the herd. */
experiment_function costs_of_the_herd;

/* Of one lock: RPCs of the queue, and the one notification and the RPCs of each handoff. */
experiment_function costs_of_the_queue;

/* Of the queue, and of the queue whose lists set a watch: their notifications. */
experiment_function costs_of_a_watched_list;

/* Of the counter: its attempts. */
experiment_function costs_of_the_counter;

/* Of two queues: the one whose bytes grow as the square, and the one whose bytes do not. */
experiment_function costs_in_bytes;

#endif

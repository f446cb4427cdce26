// SPDX-License-Identifier: Apache-2.0
/*
 * contention: experiments on clients that are at a lock at the same time: who gets it, in which
 * order, and what it costs those who wait. Layer: bench/claims.
 */
#ifndef BENCH_CLAIMS_CONTENTION_H
#define BENCH_CLAIMS_CONTENTION_H

#include "bench/claims/claim.h"

/* Of each lock, in free pace: as many CREATEs succeed as grants are made, and nobody holds beside
 * another. */
experiment_function contention_has_one_winner;

/* Of each lock that looks at one znode behind a CREATE that failed, in free pace: all are granted,
 * although the znode goes in between again and again. */
experiment_function contention_loses_no_wakeup;

/* The first lock grants out of the order of arrival, none of the others does. */
experiment_function contention_keeps_order;

/* The first lock polls. Of all others, a drain in which each holds for long takes the same RPCs as
 * one in which each holds for a moment. */
experiment_function contention_waits_for_nothing;

#endif

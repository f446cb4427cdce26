// SPDX-License-Identifier: Apache-2.0
/*
 * browsing: an experiment on what can be seen of a lock from outside, and done to it. Layer:
 * bench/claims.
 */
#ifndef BENCH_CLAIMS_BROWSING_H
#define BENCH_CLAIMS_BROWSING_H

#include "bench/claims/claim.h"

/* Of one lock: while it is held, a session that does not contend lists its znodes, and deletes the
 * first of them. */
experiment_function browsing_shows_and_breaks;

#endif

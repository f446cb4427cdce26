// SPDX-License-Identifier: Apache-2.0
/*
 * barriers: an experiment on the time that double barriers take. Layer: bench/claims.
 *
 * The time is that in which all clients enter and leave all barriers, in free pace, on the servers
 * of the testbed. Of several trials of a level the fastest counts: whatever else uses the machine
 * only adds to a time.
 */
#ifndef BENCH_CLAIMS_BARRIERS_H
#define BENCH_CLAIMS_BARRIERS_H

#include "bench/claims/claim.h"

/* For a larger experiment, of a recipe that is a barrier: the time is linear in the barriers, and
 * in the clients of each. Errors of testbed_run. */
MUST_CHECK enum error_kind barriers_take_linear_time(const struct recipe *recipe,
                                                     struct testbed *testbed,
                                                     struct finding *finding, struct error *error);

#endif

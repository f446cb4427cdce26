// SPDX-License-Identifier: Apache-2.0
/*
 * simulate: runs a plan of the live servers again in a simulation of as many servers, and compares
 * the results.
 */
#ifndef TESTS_SIMULATE_H
#define TESTS_SIMULATE_H

#include "tests/support/live.h"

/* Under the same root; the result is on *same, which is to live as long. */
struct trial_result *simulate_trial(const struct trial_plan *plan, struct trial_plan *same);

/* *counted of the real trial without the bytes of pings that *simulated does not have. A ping is as
 * long as a request to close, and its reply is bare. There are none but in a trial that a machine
 * that stood still has made seconds long; nobody pings in a simulation. */
struct tally simulate_leave_out_pings(const struct trial_result *real, const struct tally *counted,
                                      const struct tally *simulated);

/* What the servers counted, but for pings, each of which is a packet and a read. */
void simulate_assert_same_servers(const struct trial_result *real, const struct trial_result *sim);

#endif

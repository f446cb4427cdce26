// SPDX-License-Identifier: Apache-2.0
/*
 * simulate: runs a plan of the live servers again in a simulation of as many servers, and compares
 * the results.
 */
#ifndef TESTS_SIMULATE_H
#define TESTS_SIMULATE_H

#include "tests/support/live.h"

/* A simulation of as many servers. */
struct trial_host simulate_host(void);

/* Under the same root; the result is on *same, which is to live as long. */
struct trial_result *simulate_trial(const struct trial_plan *plan, struct trial_plan *same);

/* The most pings of a trial's sessions: none but in a trial that a machine that stood still has
 * made seconds long. Nobody pings in a simulation. */
uint64_t simulate_pings_most(const struct trial_result *real);

/* What the servers counted, but for pings, each of which is a packet and a read. */
void simulate_assert_same_servers(const struct trial_result *real, const struct trial_result *sim);

#endif

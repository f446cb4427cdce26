// SPDX-License-Identifier: Apache-2.0
/*
 * simulation: simulated servers, and a trial on them, for tests that need no real server.
 */
#ifndef TESTS_SIMULATION_H
#define TESTS_SIMULATION_H

#include "recipes/registry.h"
#include "tests/support/test.h"
#include "trial/trial.h"

struct simulation {
    struct connect_string servers; /* simulated:1, simulated:2, … */
    struct sim_options options;    /* sim_options_default() of so many servers */
};

void simulation_init(struct simulation *simulation, size_t servers);

/* Points to the simulation. */
struct fleet_host simulation_host(const struct simulation *simulation);

/* A drain of `clients` under lockstep on one lock in one process, with seed 1 and a timeout of ten
 * seconds; points to the servers. */
struct trial_plan simulation_plan(const struct simulation *simulation, const struct recipe *recipe,
                                  uint32_t clients);

/* Runs a trial; fails the test if it cannot be run. The plan must outlive the result. */
struct trial_result *simulation_run(const struct simulation *simulation,
                                    const struct trial_plan *plan);

#endif

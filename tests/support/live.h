// SPDX-License-Identifier: Apache-2.0
/*
 * live: private servers and one set-up session for all tests of a file, trials and loads on them.
 */
#ifndef TESTS_LIVE_H
#define TESTS_LIVE_H

#include "load/load.h"
#include "recipes/registry.h"
#include "tests/support/test.h"
#include "trial/trial.h"

#define ROOT "/zkherd-test"

extern struct ensemble *live_ensemble;
extern struct connect_string live_servers;
extern struct fleet_host live_host;
extern struct trial_watch live_watch; /* of live_trial */

void live_expect(enum error_kind kind, const struct error *error);

int live_start_as(const struct ensemble_options *options);

/* So many servers with this tick; a session timeout is at least two ticks. */
int live_start_with(unsigned servers, unsigned tick_ms);

/* One server with a tick of two seconds. */
int live_start(void **state);

int live_stop(void **state);

/* From here on the servers are taken for somebody else's: of private ones the death of one would be
 * the error of whatever follows. */
void live_disown(void);

/* Kills a server, and waits for its end. */
void live_kill(unsigned index);

/* A drain of `clients` under lockstep on one lock in one process. */
struct trial_plan live_plan(const char *recipe, uint32_t clients);

/* Runs a trial on this host, below a root of its own, which stays the plan's until the next trial.
 */
struct trial_result *live_trial_on(struct trial_plan *plan, const struct fleet_host *host,
                                   const struct trial_watch *watch);

struct trial_result *live_trial(struct trial_plan *plan);

/*
 * The same in free pace, with an injected error: `befall` is called with the trial's progress until
 * it has set the bool that is its context. The trial treats the servers as somebody else's
 * (live_disown). Its timeout is three seconds.
 */
struct trial_result *live_trial_befallen(struct trial_plan *plan,
                                         void (*befall)(void *done,
                                                        const struct trial_progress *progress));

/* Fails the test with the trial's own words if a verdict failed or the trial was cut short. */
void live_assert_good(const struct trial_result *result);

/* Fails the test if there is none. */
const struct violation *live_first_violation(const struct trial_result *result);

/* Runs a load below a root of its own, to its end. progress and simulation may be NULL: nothing
 * looks on; a simulation of as many servers. */
struct load_result *live_load(struct load_plan *plan,
                              void (*progress)(void *context, const struct load_progress *progress),
                              void *context, const struct sim_options *simulation);

/* So many znodes are left below ROOT. */
void live_assert_children(size_t expected);

/* The servers counted what the sessions did. */
void live_assert_counted(const struct load_result *result);

#endif

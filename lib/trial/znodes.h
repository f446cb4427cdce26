// SPDX-License-Identifier: Apache-2.0
/*
 * znodes: creates a trial's znodes before the gate opens, and checks them after the end. Layer:
 * trial.
 *
 * What is wrong with them is recorded as a violation. The set-up session makes all requests; every
 * function returns its errors.
 */
#ifndef TRIAL_ZNODES_H
#define TRIAL_ZNODES_H

#include "base/error.h"
#include "fleet/setup_session.h"
#include "trial/trial_memory.h"

/* Creates the trial's root (in a simulation also its parent), below it a znode for each lock, and
 * below that what the recipe has laid out. */
MUST_CHECK enum error_kind znodes_lay_out(const struct trial_memory *memory,
                                          struct setup_session *setup, struct error *error);

/* After the last release only what was laid out may be left in the locks. Waits until the servers
 * have ended the sessions that died. */
MUST_CHECK enum error_kind znodes_check_leftovers(struct trial_memory *memory,
                                                  struct setup_session *setup, struct error *error);

/* After the last release: a recipe's counter must have counted every grant. */
MUST_CHECK enum error_kind znodes_check_counters(struct trial_memory *memory,
                                                 struct setup_session *setup, struct error *error);

/* At the deadline: a session that waits for the deletion of a znode that does not exist, or for the
 * creation of one that exists, has lost a wake-up. */
MUST_CHECK enum error_kind znodes_check_wakeups(struct trial_memory *memory,
                                                struct setup_session *setup, struct error *error);

#endif

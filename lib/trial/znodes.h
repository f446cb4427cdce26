// SPDX-License-Identifier: Apache-2.0
/*
 * znodes: a trial's znodes: laid out before it, and looked at after its end. Layer: trial.
 *
 * What is wrong with them then is a violation on the board. All of it is the set-up session's to
 * ask, and its errors are those of every function here.
 */
#ifndef TRIAL_ZNODES_H
#define TRIAL_ZNODES_H

#include "base/error.h"
#include "fleet/setup_session.h"
#include "trial/lock_board.h"

/* Creates the trial's root (in a simulation its parent before), a folder for each lock, and in it
 * what the recipe wants there. */
MUST_CHECK enum error_kind znodes_lay_out(const struct lock_board *board,
                                          struct setup_session *setup, struct error *error);

/* After the last release: nothing may be left in the locks but what was laid out. Waits for the
 * servers to end the sessions that died. */
MUST_CHECK enum error_kind znodes_check_leftovers(struct lock_board *board,
                                                  struct setup_session *setup, struct error *error);

/* After the last release: a recipe's counter must have counted every grant. */
MUST_CHECK enum error_kind znodes_check_counters(struct lock_board *board,
                                                 struct setup_session *setup, struct error *error);

/* At the deadline: a session that waits for a znode to go although it has gone, or to come although
 * it is there, has lost a wake-up. */
MUST_CHECK enum error_kind znodes_check_wakeups(struct lock_board *board,
                                                struct setup_session *setup, struct error *error);

#endif

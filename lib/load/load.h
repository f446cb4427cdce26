// SPDX-License-Identifier: Apache-2.0
/*
 * load: a trial of a load: a warm-up, and a measured time of whole seconds; or a load that goes on
 * while something else contends for the servers. Layer: load; the top of the library, beside trial.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "load/load_result.h"

/* Runs a trial; watch: NULL: none. On success (the trial itself may have failed, as the result
 * says) *result is the caller's to load_result_free. The plan must outlive the result. */
MUST_CHECK enum error_kind load_run(const struct load_plan *plan, const struct fleet_host *host,
                                    const struct load_watch *watch, struct load_result **result,
                                    struct error *error);

/* ------------------------------------------------------------------ a load in the background
 *
 * The load is measured twice: alone, for the plan's seconds, and while the servers are contended
 * for. What is between the two, the opening of other sessions, is measured in neither. */

struct load_trial; /* load/load_trial.h */

/* Opens the sessions, warms up, and measures the load alone. Returns whether it goes on: false if
 * it has ended too early, which load_background_end explains; that must be called in any case, and
 * plan and host must outlive it. Real servers only. */
bool load_background_begin(struct load_trial **trial, const struct load_plan *plan,
                           const struct fleet_host *host);

/* Whether the load still goes on: false once it has lost a session or its worker, which
 * load_background_end explains. May be called while another coordinator runs in the process. */
bool load_background_goes_on(const struct load_trial *trial);

/* Begins and ends the contended time, also beside another coordinator. The first calls count; no
 * beginning behind an end. */
void load_background_begin_contention(struct load_trial *trial);
void load_background_end_contention(struct load_trial *trial);

/* Waits for all replies, and clears everything away. Errors of load_run. The servers' counters,
 * which have other uses in them, are not compared. */
MUST_CHECK enum error_kind load_background_end(struct load_trial *trial,
                                               struct load_result **result, struct error *error);

#endif

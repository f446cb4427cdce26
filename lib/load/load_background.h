// SPDX-License-Identifier: Apache-2.0
/*
 * load_background: a load that goes on while something else contends for the servers. Layer: load.
 *
 * The load is measured twice: alone, for the plan's seconds, and while the servers are contended
 * for. What is between the two, the opening of other sessions, is measured in neither.
 *
 *   load_background_begin   opens the sessions, warms up, measures the load alone
 *   load_background_contend the contended time begins   (both may be called while another
 *   load_background_settle  the contended time ends      coordinator leads the process)
 *   load_background_end     waits for all replies, and clears everything away
 */
#ifndef LOAD_LOAD_BACKGROUND_H
#define LOAD_LOAD_BACKGROUND_H

#include "load/load_trial.h"

struct load_background {
    struct load_trial trial;
};

/* Whether the load goes on: false if it has ended too early, which load_background_end explains.
 * load_background_end must be called in any case. Real servers only. plan, host and *background
 * must outlive that, and *background must not be moved. */
bool load_background_begin(struct load_background *background, const struct load_plan *plan,
                           const struct load_host *host);

/* Whether the load still goes on: false once it has lost a session or its worker, which
 * load_background_end explains. May be called while another coordinator leads the process. */
bool load_background_goes_on(const struct load_background *background);

void load_background_contend(struct load_background *background);
void load_background_settle(struct load_background *background);

/* Those of load_trial_end. Nothing is compared with the servers' counters, which count what else
 * has used them. */
MUST_CHECK enum error_kind load_background_end(struct load_background *background,
                                               struct load_result **result, struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * coordinator: leads the workers of one trial from its gate to its end. Layer: trial.
 *
 * Under lockstep it leads every step (lockstep.h). In free pace it opens the gate and waits until
 * all sessions have finished and have received all notifications that the servers have sent.
 */
#ifndef TRIAL_COORDINATOR_H
#define TRIAL_COORDINATOR_H

#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/setup_session.h"
#include "fleet/workers.h"
#include "trial/monitor.h"

#include <stdint.h>

struct coordinator_result {
    enum fleet_end end;                     /* anything but END_ERROR */
    struct tally law;                       /* what the law predicts for all steps; lockstep only */
    uint64_t gate_ns;                       /* when the gate opened */
    struct server_counters_reading at_gate; /* the servers, just before */
    struct stalls stalls;            /* none in a simulation: its servers never stand still */
    uint64_t setup_session_requests; /* that the set-up session had made by then */
};

/*
 * Leads the trial until it is done or cannot go on, and has the workers take their last readings.
 * The workers run already; their sessions are still open afterwards. ERROR_INTERRUPTED,
 * ERROR_WORKER_DIED, ERROR_WORKER_HANGS, ERROR_NO_ANSWER (the sessions could not be established in
 * time), a worker's own error, or one of a server that no longer answers (server_counters_read).
 */
MUST_CHECK enum error_kind coordinator_lead(const struct workers *workers,
                                            struct setup_session *setup,
                                            struct server_counters *counters,
                                            const struct trial_watch *watch,
                                            struct coordinator_result *result, struct error *error);

#endif

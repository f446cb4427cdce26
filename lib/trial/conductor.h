// SPDX-License-Identifier: Apache-2.0
/*
 * conductor: leads the workers of one trial from its gate to its end. Layer: trial.
 *
 * Under lockstep it has every step taken (lockstep.h). In free pace it opens the gate and waits,
 * at last until the sessions have received all notifications that the servers have sent.
 */
#ifndef TRIAL_CONDUCTOR_H
#define TRIAL_CONDUCTOR_H

#include "base/fault.h"
#include "trial/crew.h"
#include "trial/oracle.h"
#include "trial/steward.h"
#include "trial/vigil.h"

#include <stdint.h>

struct conductor_result {
    enum trial_end end;
    struct tally law;              /* what the law foretells for all that was done; lockstep only */
    uint64_t gate_ns;              /* when the gate opened */
    struct oracle_reading at_gate; /* the servers, just before */
    struct stalls stalls;          /* none in a simulation: its servers never stand still */
    uint64_t steward_requests;     /* that the steward had made by then */
};

/*
 * Leads the trial until all is done or cannot go on, and has the workers take their last readings.
 * The workers run already; their sessions are still open afterwards. FAULT_INTERRUPTED,
 * FAULT_WORKER_DIED, FAULT_WORKER_HANGS, FAULT_NO_ANSWER (the sessions could not be established in
 * time), a worker's own fault, or one of a server that no longer answers (oracle_read).
 */
MUST_CHECK enum fault_kind conductor_lead(const struct crew *crew, struct steward *steward,
                                          struct oracle *oracle, const struct trial_watch *watch,
                                          struct conductor_result *result, struct fault *fault);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * trial_utilisation: the figures of a steady trial for capacity/utilisation.h. Layer: trial.
 *
 * Requests and bytes are those of the handoffs of the steady part, by the ledger. Driver and
 * servers share the cores of this machine if the servers are private. Invariant: what the trial has
 * not measured is NaN or 0, as utilisation.h says; a trial that is no steady one in free pace has
 * no steady part.
 */
#ifndef TRIAL_TRIAL_UTILISATION_H
#define TRIAL_TRIAL_UTILISATION_H

#include "capacity/utilisation.h"
#include "trial/trial.h"

/* Of a trial that was led to its end. cores: that zkherd and its private servers may use together
 * (base/cores.h); server_percent: the CPU share of each private server, 0: no limit. */
void trial_utilisation_take(const struct trial_result *result, double cores,
                            unsigned server_percent, struct utilisation_figures *figures);

#endif

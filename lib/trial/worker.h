// SPDX-License-Identifier: Apache-2.0
/*
 * worker: a process that runs a share of a trial's sessions. Layer: trial.
 */
#ifndef TRIAL_WORKER_H
#define TRIAL_WORKER_H

#include "base/fault.h"
#include "trial/board.h"

#include <stdint.h>

/* The worker's life, in a forked process: opens its sessions, waits at the gate, runs its seats,
 * takes its last readings, closes. Returns when the board says so; the process should then end. */
MUST_CHECK enum fault_kind worker_run(struct board *board, uint32_t index, struct fault *fault);

/* How long the workers of a trial may take to close their sessions. What the servers have not
 * confirmed by then ends with its session's timeout. */
uint64_t worker_close_ns(const struct trial_plan *plan);

#endif

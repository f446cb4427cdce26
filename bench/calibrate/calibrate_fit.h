// SPDX-License-Identifier: Apache-2.0
/*
 * calibrate_fit: costs from measured drains. Layer: bench/calibrate.
 *
 * The quantities are the drain time and the median handoff of each cell (bench/model/drain.h), and
 * the model is the simulation (capacity/calibration.h).
 */
#ifndef BENCH_CALIBRATE_CALIBRATE_FIT_H
#define BENCH_CALIBRATE_CALIBRATE_FIT_H

#include "bench/model/costs_file.h"
#include "bench/model/drain_series.h"

/*
 * Estimates the costs from the trials of a series, whose servers may have been stopped, and fills
 * in the members of *costs that say so: fit, shared_cores, trial_sd, cells. The other members are
 * the caller's: holds_for must be set. Shows its progress on the series' line. ERROR_NOT_VALID if a
 * cell has no trial that stands, ERROR_INTERRUPTED, ERROR_NO_MEMORY.
 */
MUST_CHECK enum error_kind calibrate_fit(const struct drain_series *series,
                                         struct costs_file *costs, struct error *error);

#endif

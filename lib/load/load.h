// SPDX-License-Identifier: Apache-2.0
/*
 * load: a trial of a load: a warm-up, and a measured time of whole seconds. Layer: load; the top of
 * the library, beside trial.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "load/load_trial.h"

/*
 * Runs a trial. On success (of the run: the trial itself may not have reached its end, which the
 * result says) *result is the caller's to load_result_free. The plan must outlive the result.
 */
MUST_CHECK enum error_kind load_run(const struct load_plan *plan, const struct load_host *host,
                                    struct load_result **result, struct error *error);

#endif

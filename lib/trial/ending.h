// SPDX-License-Identifier: Apache-2.0
/*
 * ending: puts into words why a trial did not end well. Layer: trial.
 */
#ifndef TRIAL_ENDING_H
#define TRIAL_ENDING_H

#include "fleet/server_counters.h"
#include "trial/monitor.h"
#include "trial/trial_memory.h"

#include <stddef.h>

/*
 * Writes why, which session is unfinished, and what it waits for; "" for a trial that ended well or
 * with a failed verdict. To be called after the last readings. For a trial in which nothing moved
 * the text also names the servers that have not answered requests, and their roles: each is asked
 * for its role, which may take seconds. size >= 512.
 */
void ending_describe(const struct trial_memory *memory, struct server_counters *counters,
                     enum fleet_end end, char *text, size_t size);

#endif

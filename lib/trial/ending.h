// SPDX-License-Identifier: Apache-2.0
/*
 * ending: why a trial did not end well, in words. Layer: trial.
 */
#ifndef TRIAL_ENDING_H
#define TRIAL_ENDING_H

#include "fleet/server_counters.h"
#include "trial/lock_board.h"
#include "trial/monitor.h"

#include <stddef.h>

/*
 * Says why, who is unfinished, and what it waits for, after the last readings; "" when it ended
 * well, or with a failed verdict, which says it all. Of a trial in which nothing moved it also says
 * which servers have requests to answer, and what these say of themselves: they are asked, which
 * may take seconds for each. size >= 512.
 */
void ending_describe(const struct lock_board *board, struct server_counters *counters,
                     enum fleet_end end, char *text, size_t size);

#endif

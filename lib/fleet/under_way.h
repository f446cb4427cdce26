// SPDX-License-Identifier: Apache-2.0
/*
 * under way: waits for what servers that have answered every request have yet to do. Layer: fleet,
 * above watchdog.
 *
 * A server of several may be behind the one that has answered a write, and a notification that was
 * sent may not have arrived. Neither is a request that some session waits for.
 */
#ifndef FLEET_UNDER_WAY_H
#define FLEET_UNDER_WAY_H

#include "fleet/watchdog.h"

#include <stdbool.h>
#include <stdint.h>

/* server_counters_follow, in the middle of the run: the watchdog's kind hears how long the servers
 * took to answer. */
MUST_CHECK enum error_kind under_way_follow(struct watchdog *watchdog, uint64_t *mark,
                                            bool *reached);

/* Waits until every server has carried out what any of them had when it was first asked; returns at
 * once if there is one server alone. Errors are those of watchdog_wait and of
 * server_counters_follow. */
MUST_CHECK enum fleet_end under_way_catch_up(struct watchdog *watchdog);

/*
 * All requests have been answered, and so all notifications sent, once all servers have caught up;
 * but the last of them may be under way. How many there are to be the servers say, if they do, and
 * if nobody else uses them: then waits until as many have been received, as long as any come, and
 * for 2 s after the last. at_start: the servers' counters when the sessions had received none that
 * the watchdog's kind counts as received. Errors as above, and those of server_counters_read.
 */
MUST_CHECK enum fleet_end under_way_receive(struct watchdog *watchdog,
                                            const struct server_counters_reading *at_start);

#endif

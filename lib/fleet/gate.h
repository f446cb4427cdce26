// SPDX-License-Identifier: Apache-2.0
/*
 * gate: leads a fleet up to the opening of its gate, and takes its last readings after the run.
 * Layer: fleet, above watchdog.
 *
 * In this order: gate_await_sessions, gate_note_roles, gate_read_counters; then the caller opens
 * the gate, by shared_enter(PHASE_RUN), and leads the run; then gate_close.
 */
#ifndef FLEET_GATE_H
#define FLEET_GATE_H

#include "base/error.h"
#include "fleet/watchdog.h"

/* Waits until all sessions are established. ERROR_NO_ANSWER if for the plan's timeout none is. */
MUST_CHECK enum fleet_end gate_await_sessions(struct watchdog *watchdog);

/* Asks the plan's servers for their roles, and gives every session that of its server. Nothing may
 * move: the roles then last as long as the connections. Those of server_counters_ask_role. */
MUST_CHECK enum error_kind gate_note_roles(struct watchdog *watchdog);

/* Reads the servers' counters. Connections of others are waited for to go, for 0.2 s, or for 10 s
 * on private servers: see server_counters_is_shared. */
MUST_CHECK enum fleet_end gate_read_counters(struct watchdog *watchdog,
                                             struct server_counters_reading *reading);

/* The run is over: has all workers take their last readings. ERROR_WORKER_HANGS if they do not
 * within 2 s although the servers answer; those of workers_check and of server_counters_read. */
MUST_CHECK enum error_kind gate_close(struct watchdog *watchdog);

#endif

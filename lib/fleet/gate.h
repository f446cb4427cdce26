// SPDX-License-Identifier: Apache-2.0
/*
 * gate: what is to be known before the gate opens, when every session stands. Layer: fleet.
 *
 * The gate itself is the phase: shared_enter(PHASE_RUN) opens it.
 */
#ifndef FLEET_GATE_H
#define FLEET_GATE_H

#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/shared.h"

/* Asks the plan's servers for their roles, and gives every session that of its server. Nothing may
 * move: who is what then stays so while the connections do. Those of server_counters_ask_role. */
MUST_CHECK enum error_kind gate_note_roles(struct shared *shared, struct server_counters *counters,
                                           struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * reconcile: whether the servers counted what the sessions did, and if not, whose doing that may
 * be. Layer: fleet.
 *
 * A difference is a failed verdict only where nothing else explains it: nobody else was connected
 * to the servers, and no session lost what was under way on a connection.
 */
#ifndef FLEET_RECONCILE_H
#define FLEET_RECONCILE_H

#include "fleet/server_counters.h"
#include "measure/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the servers' counts and the sessions' are the same. */
enum reconciled {
    RECONCILED_NA, /* they do not tell, others use them too, or the trial was cut short */
    RECONCILED_YES,
    RECONCILED_NO,
};

/* What is known of a trial that was led to its end. */
struct reconcile_facts {
    struct server_counters_count servers;
    const struct tally *sessions;
    bool are_private;          /* the servers: no other program should use them */
    bool is_shared;            /* other clients were connected when the gate opened */
    bool had_death;            /* a session died, or lost a reply, as planned */
    uint64_t exits;            /* sessions that were closed in order */
    uint64_t reconnects;       /* of sessions */
    uint64_t losses;           /* connections that sessions lost, whether or not they got another */
    bool setup_session_stayed; /* zkherd's own session kept its connection */
    uint64_t setup_session_requests; /* requests of zkherd's own session, all of them reads */
    uint64_t pings_most;             /* of all sessions together, the set-up session's included */
};

struct reconcile_result {
    enum reconciled reconciled;
    bool had_strangers; /* on private servers: others were connected, which nobody is to be */
    char why[160];      /* of RECONCILED_NA; else "" */
    /* Of RECONCILED_NO: the counter that differs, and both counts. */
    enum server_counters_counter counter;
    uint64_t servers;
    uint64_t sessions;
};

struct reconcile_result reconcile(const struct reconcile_facts *facts);

#endif

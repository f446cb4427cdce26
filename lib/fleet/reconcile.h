// SPDX-License-Identifier: Apache-2.0
/*
 * reconcile: whether the servers' counters agree with what the sessions counted. Layer: fleet.
 *
 * A difference fails the verdict only if nothing else explains it: no other client was connected to
 * the servers, and no session lost its connection with messages in transit.
 */
#ifndef FLEET_RECONCILE_H
#define FLEET_RECONCILE_H

#include "fleet/server_counters.h"
#include "measure/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reconciled {
    RECONCILED_NA, /* no counters, other clients, or a trial that was cut short */
    RECONCILED_YES,
    RECONCILED_NO,
};

/* What is known of a trial that reached its end. */
struct reconcile_facts {
    struct server_counters_count servers;
    const struct tally *sessions;
    bool are_private;          /* no other program should use the servers */
    bool is_shared;            /* other clients were connected when the gate opened */
    bool has_companions;       /* another fleet of this program used the servers at the same time */
    bool had_faults;           /* servers were killed on purpose, and their counters with them */
    bool had_death;            /* a session died, or lost a reply, as planned */
    uint64_t exits;            /* sessions that were closed in order */
    uint64_t reconnects;       /* of sessions */
    uint64_t losses;           /* connections that sessions lost, with or without a reconnect */
    bool setup_session_stayed; /* zkherd's own session kept its connection */
    uint64_t setup_session_requests; /* of zkherd's own session, all of them reads */
    uint64_t pings_most;             /* the most pings of all sessions and zkherd's own */
};

struct reconcile_result {
    enum reconciled reconciled;
    bool had_strangers; /* another client was connected to private servers */
    char why[160];      /* the reason for RECONCILED_NA; else "" */
    /* For RECONCILED_NO: the counter that differs, and both counts. */
    enum server_counters_counter counter;
    uint64_t servers;
    uint64_t sessions;
};

/* The word for it in files: a static string. */
const char *reconcile_word(enum reconciled reconciled);

struct reconcile_result reconcile(const struct reconcile_facts *facts);

#endif

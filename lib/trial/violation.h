// SPDX-License-Identifier: Apache-2.0
/*
 * violation: the facts of a failed verdict. Layer: trial.
 *
 * Any process records them in the measured path; they are put into words afterwards.
 */
#ifndef TRIAL_VIOLATION_H
#define TRIAL_VIOLATION_H

#include "fleet/server_counters.h"
#include "measure/tally.h"

#include <stddef.h>
#include <stdint.h>

enum violation_kind {
    VIOLATION_TWO_HOLDERS, /* session was granted while other held, or (0) found shared */
    VIOLATION_NOT_HOLDER,  /* session released while other held (0: nobody) */
    VIOLATION_ORDER,   /* session was granted out of turn: its number is found, after expected */
    VIOLATION_LAW,     /* the count `tally` is found, the law says expected */
    VIOLATION_HOLDERS, /* at rest: expected should hold the lock, found do */
    VIOLATION_ENTERED_EARLY, /* session was granted when found of expected had arrived */
    VIOLATION_LEFT_EARLY,    /* session's release ended when found of expected had begun theirs */
    VIOLATION_COUNTER,       /* after expected increments the counter's number is found */
    VIOLATION_LOST_WAKEUP,   /* session waits for an event that has happened, or found of expected
                                came */
    VIOLATION_LEFTOVER,      /* found znodes are left in the lock */
    VIOLATION_UNDELETED, /* session was granted found ms after other's release, which ended without
                           deleting its znode, at its timeout of expected ms */
    VIOLATION_SERVERS,   /* the servers' count `counter` is found, the sessions' own is expected */
    VIOLATION_LEDGER,    /* the rows' sum of `tally` is found, the sessions' own count expected */
};

struct violation {
    enum violation_kind kind;
    uint32_t lock;
    uint64_t handoff; /* the number of the ledger's row */
    uint32_t session; /* +1; 0: none */
    uint32_t other;   /* +1; 0: none */
    enum tally_kind tally;
    enum server_counters_counter counter;
    int64_t expected;
    int64_t found;
};

/* Writes a sentence about the violation, and returns text. size >= 256. */
const char *violation_describe(const struct violation *violation, char *text, size_t size);

#endif

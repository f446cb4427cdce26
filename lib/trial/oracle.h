// SPDX-License-Identifier: Apache-2.0
/*
 * oracle: what the servers themselves counted. Layer: trial.
 *
 * Watches and their notifications are counted by each server: a reading is the sum over all of
 * them. A server that does not tell (its whitelist, or its version, forbids mntr) makes the reading
 * untold, which is no fault.
 */
#ifndef TRIAL_ORACLE_H
#define TRIAL_ORACLE_H

#include "base/fault.h"
#include "zk/connect.h"
#include "zk/server.h"

#include <stdbool.h>
#include <stdint.h>

struct oracle {
    const struct connect_string *servers;
    const struct server *private_server; /* NULL: they are not ours, and their CPU is not known */
};

struct oracle_reading {
    bool told;
    uint64_t writes;
    uint64_t notifications;
    uint64_t
        packets_received; /* this reading's own words not included, those of earlier ones are */
    uint64_t words;       /* four-letter words that this reading took */
    uint64_t watches;
    uint64_t ephemerals;
    bool cpu_known;
    uint64_t cpu_ns;
};

/* Asks every server. FAULT_SERVER_DIED, FAULT_REFUSED, FAULT_NO_ANSWER …: a server that is gone is
 * a fault. */
MUST_CHECK enum fault_kind oracle_read(const struct oracle *oracle, struct oracle_reading *reading,
                                       struct fault *fault);

/* FAULT_SERVER_DIED when the private server has ended; other servers are not looked at. */
MUST_CHECK enum fault_kind oracle_check(const struct oracle *oracle, struct fault *fault);

#endif

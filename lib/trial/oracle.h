// SPDX-License-Identifier: Apache-2.0
/*
 * oracle: what the servers themselves counted. Layer: trial.
 *
 * The third of the three counts: the sessions', the law's, the servers'. Watches and their
 * notifications are counted by each server: a reading is the sum over all of them (of ephemerals,
 * which every server has, the least). A server that does not tell (its whitelist, or its version,
 * forbids mntr) makes the reading untold, which is no fault.
 *
 * Pings are counted by the servers, among the reads that they answered. What is left of those when
 * the sessions' own reads are taken away are the pings: no more than the client library can have
 * sent (pings.h). The packets received must be the sessions' requests and those pings, no more and
 * no fewer.
 */
#ifndef TRIAL_ORACLE_H
#define TRIAL_ORACLE_H

#include "base/fault.h"
#include "measure/tally.h"
#include "trial/role.h"
#include "zk/connect.h"
#include "zk/ensemble.h"
#include "zk/simulated.h"

#include <stdbool.h>
#include <stdint.h>

struct oracle {
    const struct connect_string *servers;
    const struct ensemble *ensemble; /* NULL: they are not ours, and their CPU is not known */
    struct simulated *simulated;     /* whose servers these are; else NULL */
    uint64_t words;   /* four-letter words that they have been asked so far, and have counted … */
    bool asked_again; /* … and whether one gave no answer at first, as at an election */
};

struct oracle_reading {
    bool told;
    bool asked_again; /* the oracle's, by then */
    uint64_t writes;  /* answered, failed ones included */
    uint64_t reads;   /* answered, pings included */
    uint64_t notifications;
    uint64_t packets_received; /* without the oracle's words */
    uint64_t connections;      /* without this reading's own */
    uint64_t connects;         /* sessions opened, or connected again */
    uint64_t watches;
    uint64_t ephemerals;
    bool cpu_known;
    uint64_t cpu_ns;
};

/* What the servers counted between two readings. */
struct oracle_count {
    bool told;        /* by both readings, and at the first question */
    bool asked_again; /* else: the counters of a server that has had an election begin anew */
    uint64_t writes;
    uint64_t reads;
    uint64_t notifications;
    uint64_t packets_received; /* without the driver's own four-letter words */
    uint64_t connects;
    int64_t watches_leaked;
    int64_t ephemerals_leaked;
    bool cpu_known;
    uint64_t cpu_ns;
};

enum oracle_counter {
    ORACLE_WRITES,
    ORACLE_READS,
    ORACLE_NOTIFICATIONS,
    ORACLE_PACKETS,
    ORACLE_AGREES
};

/* Whether nobody else can use the servers: they are ours, or simulated. */
bool oracle_is_private(const struct oracle *oracle);

/* Whether others than so many clients and the steward are connected, whose requests are among what
 * the servers count; or connections that have just been closed, for a moment. */
bool oracle_is_shared(const struct oracle_reading *reading, uint32_t clients);

/* Asks a server what it is in its ensemble (srvr); ROLE_UNKNOWN if its whitelist refuses. Faults as
 * below. */
MUST_CHECK enum fault_kind oracle_ask_role(struct oracle *oracle, const struct endpoint *endpoint,
                                           enum role *role, struct fault *fault);

/* Asks every server how far it is (srvr), which is no request and disturbs none. A *mark of 0 is
 * set to the last transaction that the furthest of them has carried out, and so all that has been
 * answered anywhere; *reached is whether each has come there, or its whitelist refuses to tell;
 * *longest_ns how long the slowest of them took to answer. Faults as below. */
MUST_CHECK enum fault_kind oracle_follow(struct oracle *oracle, uint64_t *mark, bool *reached,
                                         uint64_t *longest_ns, struct fault *fault);

/* Asks every server, each for 5 s if it must be: at an election a server answers nothing.
 * FAULT_SERVER_DIED, FAULT_REFUSED, FAULT_NO_ANSWER …: a server that is gone is a fault. */
MUST_CHECK enum fault_kind oracle_read(struct oracle *oracle, struct oracle_reading *reading,
                                       struct fault *fault);

struct oracle_count oracle_subtract(const struct oracle_reading *before,
                                    const struct oracle_reading *after);

/* Whether the servers have yet to carry out the closing of a session: of `exits` sessions that were
 * closed in order between the two readings, nobody waited for the reply. */
bool oracle_is_behind(const struct oracle_count *count, const struct tally *tally, uint64_t exits);

/* What the servers counted for sessions that were closed in order between the two readings, for
 * connections that were made anew, and for so many reads of the steward, is no request of any
 * session: takes it out. */
void oracle_discount(struct oracle_count *count, uint64_t exits, uint64_t reconnects,
                     uint64_t steward_reads);

/*
 * Holds what the servers counted against what the sessions counted: the first counter that differs,
 * with both numbers, or ORACLE_AGREES, with *servers and *sessions unchanged. pings_most: that the
 * sessions and the steward can have sent; of reads, the sessions' number is with as many of them as
 * would come nearest. Everything must have been answered, and nobody else may use the servers.
 */
enum oracle_counter oracle_reconcile(const struct oracle_count *count, const struct tally *tally,
                                     uint64_t pings_most, uint64_t *servers, uint64_t *sessions);

/* The word for a counter: a static string. */
const char *oracle_counter_word(enum oracle_counter counter);

/* FAULT_SERVER_DIED when the private server has ended; other servers are not looked at. */
MUST_CHECK enum fault_kind oracle_check(const struct oracle *oracle, struct fault *fault);

#endif

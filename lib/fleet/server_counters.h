// SPDX-License-Identifier: Apache-2.0
/*
 * server counters: what the servers themselves counted. Layer: fleet.
 *
 * The third of the three counts: the sessions', the law's, the servers'. Watches and their
 * notifications are counted by each server: a reading is the sum over all of them (of ephemerals,
 * which every server has, the least). A server that does not tell (its whitelist, or its version,
 * forbids mntr) makes the reading untold, which is no error.
 *
 * Pings are counted by the servers, among the reads that they answered. What is left of those when
 * the sessions' own reads are taken away are the pings: no more than the client library can have
 * sent (pings.h). The packets received must be the sessions' requests and those pings, no more and
 * no fewer.
 */
#ifndef FLEET_SERVER_COUNTERS_H
#define FLEET_SERVER_COUNTERS_H

#include "base/error.h"
#include "client/connect.h"
#include "measure/tally.h"
#include "servers/ensemble.h"
#include "servers/role.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct server_counters {
    const struct connect_string *servers;
    const struct ensemble *ensemble; /* private servers; NULL: their CPU time is not known */
    struct sim *sim;                 /* the simulation that the servers belong to; else NULL */
    uint64_t words;   /* four-letter words that the servers have answered and counted so far */
    bool asked_again; /* a server did not answer at first, as during an election */
};

struct server_counters_reading {
    bool known;
    bool asked_again; /* asked_again of struct server_counters, at that time */
    uint64_t writes;  /* answered, failed ones included */
    uint64_t reads;   /* answered, pings included */
    uint64_t notifications;
    uint64_t packets_received; /* without zkherd's four-letter words */
    uint64_t connections;      /* without this reading's own */
    uint64_t connects;         /* sessions opened, or connected again */
    uint64_t watches;
    uint64_t ephemerals;
    bool cpu_known;
    uint64_t cpu_ns;
};

/* What the servers counted between two readings. */
struct server_counters_count {
    bool known;       /* by both readings, and at the first question */
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

enum server_counters_counter {
    SERVER_COUNTERS_WRITES,
    SERVER_COUNTERS_READS,
    SERVER_COUNTERS_NOTIFICATIONS,
    SERVER_COUNTERS_PACKETS,
    SERVER_COUNTERS_AGREES
};

/* Whether nobody else can use the servers: they are ours, or simulated. */
bool server_counters_is_private(const struct server_counters *counters);

/* Whether others than so many clients and the set-up session are connected, whose requests are
 * among what the servers count; or connections that have just been closed, for a moment. */
bool server_counters_is_shared(const struct server_counters_reading *reading, uint32_t clients);

/* Asks a server what it is in its ensemble (srvr); ROLE_UNKNOWN if its whitelist refuses,
 * or if no session is measured in its role (role.h). Errors as below. */
MUST_CHECK enum error_kind server_counters_ask_role(struct server_counters *counters,
                                                    const struct endpoint *endpoint,
                                                    enum role *role, struct error *error);

/* Asks every server how far it is (srvr), which is no request and disturbs none. A *mark of 0 is
 * set to the last transaction that the furthest of them has carried out, and so all that has been
 * answered anywhere; *reached is whether each has come there, or its whitelist refuses to tell;
 * *longest_ns how long the slowest of them took to answer. Errors as below. */
MUST_CHECK enum error_kind server_counters_follow(struct server_counters *counters, uint64_t *mark,
                                                  bool *reached, uint64_t *longest_ns,
                                                  struct error *error);

/* Asks every server, each for 5 s if it must be: at an election a server answers nothing.
 * ERROR_SERVER_DIED, ERROR_REFUSED, ERROR_NO_ANSWER …: a server that is gone is an error. */
MUST_CHECK enum error_kind server_counters_read(struct server_counters *counters,
                                                struct server_counters_reading *reading,
                                                struct error *error);

struct server_counters_count server_counters_subtract(const struct server_counters_reading *before,
                                                      const struct server_counters_reading *after);

/* Whether the servers have yet to carry out the closing of a session: of `exits` sessions that were
 * closed in order between the two readings, nobody waited for the reply. */
bool server_counters_is_behind(const struct server_counters_count *count, const struct tally *tally,
                               uint64_t exits);

/* What the servers counted for sessions that were closed in order between the two readings, for
 * connections that were made anew, and for so many reads of the set-up session, is no request of
 * any session: takes it out. */
void server_counters_discount(struct server_counters_count *count, uint64_t exits,
                              uint64_t reconnects, uint64_t setup_session_reads);

/*
 * Holds what the servers counted against what the sessions counted: the first counter that differs,
 * with both numbers, or SERVER_COUNTERS_AGREES, with *servers and *sessions unchanged. pings_most:
 * that the sessions and the set-up session can have sent; of reads, the sessions' number is with as
 * many of them as would come nearest. Everything must have been answered, and nobody else may use
 * the servers.
 */
enum server_counters_counter server_counters_reconcile(const struct server_counters_count *count,
                                                       const struct tally *tally,
                                                       uint64_t pings_most, uint64_t *servers,
                                                       uint64_t *sessions);

/* The word for a counter: a static string. */
const char *server_counters_counter_word(enum server_counters_counter counter);

/* ERROR_SERVER_DIED when the private server has ended; other servers are not looked at. */
MUST_CHECK enum error_kind server_counters_check(const struct server_counters *counters,
                                                 struct error *error);

#endif

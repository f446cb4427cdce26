// SPDX-License-Identifier: Apache-2.0
/*
 * server_counters: the counters of the servers themselves. Layer: fleet.
 *
 * A reading is the sum over all servers (of ephemerals, which every server has, the least). If a
 * server does not tell its counters (its whitelist or its version forbids mntr), the reading is not
 * known, which is no error. Nor is it if a server does not answer at all, where the caller allows
 * that (may_lack): the role of such a server is not known either, and nobody waits for it.
 *
 * The servers count pings among the reads. The reads that are left when the sessions' own reads are
 * taken away are the pings, at most as many as the client library can have sent.
 * Invariant: the packets received are the sessions' requests and those pings, no more and no fewer.
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
    const struct ensemble
        *ensemble;       /* private servers; else NULL, and their CPU time is not known */
    struct sim *sim;     /* the simulation of the servers; else NULL */
    uint32_t companions; /* sessions of another fleet of this program: no strangers */
    uint64_t words;      /* four-letter words that the servers have answered and counted so far */
    bool asked_again;    /* a server did not answer the first question, as during an election */
    /* A server that does not answer for 5 s is no error, but `absent`: the first such server, or
     * ERROR_NONE. Questions that follow wait for half a second. */
    bool may_lack;
    struct error absent;
};

struct server_counters_reading {
    bool known;
    bool asked_again; /* of struct server_counters, at that time */
    uint64_t writes;  /* answered, failed ones included */
    uint64_t reads;   /* answered, pings included */
    uint64_t notifications;
    uint64_t packets_received; /* without zkherd's four-letter words */
    uint64_t connections;      /* without those of the reading itself and of companions */
    uint64_t connects;         /* sessions opened, or connected again */
    uint64_t watches;
    uint64_t ephemerals;
    size_t servers;                              /* so many; of each: */
    uint64_t fsync_of_ms[CONNECT_ENDPOINTS_MAX]; /* struct four_letter_counters; may be untold */
    bool cpu_known;
    uint64_t cpu_ns; /* of all servers */
    uint64_t cpu_of_ns[ENSEMBLE_SERVERS_MAX];
    uint64_t at_ns; /* when all had answered, and the CPU time was read */
};

/* What the servers counted between two readings. */
struct server_counters_count {
    bool known;       /* both readings are known, and no server was asked again */
    bool asked_again; /* an election may have reset the counters of a server */
    uint64_t writes;
    uint64_t reads;
    uint64_t notifications;
    uint64_t packets_received;
    uint64_t connects;
    int64_t watches_leaked;
    int64_t ephemerals_leaked;
    size_t servers;                              /* so many; of each: */
    uint64_t fsync_of_ms[CONNECT_ENDPOINTS_MAX]; /* FOUR_LETTER_UNTOLD: not known */
    bool cpu_known;
    uint64_t cpu_ns; /* of all servers */
    uint64_t cpu_of_ns[ENSEMBLE_SERVERS_MAX];
    uint64_t span_ns; /* between the two readings */
};

enum server_counters_counter {
    SERVER_COUNTERS_WRITES,
    SERVER_COUNTERS_READS,
    SERVER_COUNTERS_NOTIFICATIONS,
    SERVER_COUNTERS_PACKETS,
    SERVER_COUNTERS_AGREES
};

/* Whether no other program should use the servers: they are zkherd's own, or simulated. */
bool server_counters_is_private(const struct server_counters *counters);

/* Whether more than the fleet's clients and the set-up session are connected. A connection that was
 * closed counts for a moment longer. */
bool server_counters_is_shared(const struct server_counters_reading *reading, uint32_t clients);

/* Asks a server for its role (srvr); ROLE_UNKNOWN if its whitelist refuses, or if no session is
 * measured in its role (role.h). Errors as below. */
MUST_CHECK enum error_kind server_counters_ask_role(struct server_counters *counters,
                                                    const struct endpoint *endpoint,
                                                    enum role *role, struct error *error);

/* Asks every server for its last transaction (srvr), which is no request. If *mark is 0, *mark
 * becomes the highest, so that everything that was answered anywhere is at or before it. *reached:
 * whether every server has applied *mark, or its whitelist refuses to tell; *longest_ns: the
 * longest time that a server took to answer. Errors as below. */
MUST_CHECK enum error_kind server_counters_follow(struct server_counters *counters, uint64_t *mark,
                                                  bool *reached, uint64_t *longest_ns,
                                                  struct error *error);

/* Asks every server, again for up to 5 s if it does not answer, as during an election, and a few
 * times while requests are under way at it.
 * ERROR_SERVER_DIED, and errors of servers/four_letter.h. */
MUST_CHECK enum error_kind server_counters_read(struct server_counters *counters,
                                                struct server_counters_reading *reading,
                                                struct error *error);

struct server_counters_count server_counters_subtract(const struct server_counters_reading *before,
                                                      const struct server_counters_reading *after);

/* Whether the servers have not yet applied the close of a session: nobody waited for the replies to
 * the `exits` sessions that were closed in order between the two readings. */
bool server_counters_is_behind(const struct server_counters_count *count, const struct tally *tally,
                               uint64_t exits);

/* Whether the servers have received more than they have answered. When every session has all its
 * replies, that is a ping under way, for a server counts what it has read before it hands that on;
 * or nobody's who is known. To be called before server_counters_discount. */
bool server_counters_owes_answers(const struct server_counters_count *count);

/* Whether servers that only so many sessions use, since the reading before, owe answers: it is
 * worth while to read again. */
bool server_counters_await_answers(const struct server_counters *counters,
                                   const struct server_counters_reading *before, uint32_t clients,
                                   const struct server_counters_count *count);

/* Takes out what the servers counted for sessions that were closed in order, for reconnects, and
 * for reads of the set-up session. */
void server_counters_discount(struct server_counters_count *count, uint64_t exits,
                              uint64_t reconnects, uint64_t setup_session_reads);

/*
 * Compares what the servers counted with what the sessions counted. Returns the first counter that
 * differs, with both numbers, or SERVER_COUNTERS_AGREES with *servers and *sessions unchanged.
 * pings_most: of the sessions and the set-up session; as many of them count as reads as brings the
 * two numbers nearest. Every request must have been answered, and no other client may use the
 * servers.
 */
enum server_counters_counter server_counters_reconcile(const struct server_counters_count *count,
                                                       const struct tally *tally,
                                                       uint64_t pings_most, uint64_t *servers,
                                                       uint64_t *sessions);

/* The word for a counter: a static string. */
const char *server_counters_counter_word(enum server_counters_counter counter);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * server_counters: the counters of the servers themselves, asked for and waited for, or asked for
 * while a fleet runs; and whether they agree with what the sessions counted. Layer: fleet.
 *
 * Counts are the sum over all servers (the least of their ephemerals, which every server has). If
 * a server does not report its counters (mntr), or does not answer where the caller allows that
 * (may_lack), they are not known, which is no error.
 *
 * The servers count pings among the reads: what is left without the sessions' own, at most as many
 * as the client library can have sent. Invariant: the packets received are the sessions' requests
 * and those pings, no more and no fewer.
 */
#ifndef FLEET_SERVER_COUNTERS_H
#define FLEET_SERVER_COUNTERS_H

#include "fleet/setup_session.h"
#include "measure/tally.h"
#include "servers/four_letter.h"

struct server_counters {
    const struct connect_string *servers;
    const struct ensemble *ensemble; /* private servers; else NULL: their CPU time is unknown */
    struct sim *sim;                 /* the simulation of the servers; else NULL */
    uint32_t companions;             /* sessions of another fleet of this program: no strangers */
    uint32_t guests; /* sessions of other hosts of this fleet: no strangers, and not counted */
    const struct setup_session *own; /* whose requests are not counted; or NULL */
    uint64_t words;     /* four-letter words that the servers have answered and counted so far */
    uint64_t questions; /* asked so far, answered or not */
    bool asked_again;   /* a server did not answer the first question, as during an election */
    /* A server that does not answer for 5 s is no error, but `absent`: the first such server, or
     * ERROR_NONE. Questions that follow wait for half a second. */
    bool may_lack;
    struct error absent;
    struct error unreported; /* the first server that does not report its counters, or ERROR_NONE */
};

/* What the servers have counted by a time; or between two (server_counters_subtract), with
 * differences of the states, and of the times. */
struct server_counters_count {
    bool known;       /* between two: both are, and no server was asked again */
    bool asked_again; /* of struct server_counters: an election may have reset counters */
    FOUR_LETTER_COUNTED(FOUR_LETTER_MEMBER, , )
    uint64_t connections; /* without those of the questions and of companions */
    int64_t watches;
    int64_t ephemerals;
    struct setup_session_traffic own; /* of zkherd's own session, whose requests are left out … */
    bool has_own; /* … unless it waits for a reply or has lost one: not all may be counted yet */
    size_t servers;
    uint64_t fsync_of_ms[CONNECT_ENDPOINTS_MAX]; /* of each; FOUR_LETTER_UNREPORTED: not known */
    bool cpu_known;
    uint64_t cpu_ns; /* of all servers */
    uint64_t cpu_of_ns[ENSEMBLE_SERVERS_MAX];
    uint64_t at_ns; /* when all had answered, and the CPU time was read */
    uint64_t uptime_of_ms[CONNECT_ENDPOINTS_MAX]; /* FOUR_LETTER_UNREPORTED: not known */
    bool began_anew; /* between two: a server counts from 0, as after a restart or an election */
};

/* Whether no other program should use the servers: they are zkherd's own, or simulated. */
bool server_counters_is_private(const struct server_counters *counters);

/* Whether more than the fleet's clients and the set-up session are connected. A connection that was
 * closed counts for a moment longer. */
bool server_counters_is_shared(const struct server_counters_count *reading, uint32_t clients);

/* Asks a server for its role (srvr); ROLE_UNKNOWN if its whitelist refuses, or if no session is
 * measured in its role (four_letter.h). Errors as below. */
MUST_CHECK enum error_kind server_counters_ask_role(struct server_counters *counters,
                                                    const struct endpoint *endpoint,
                                                    enum role *role, struct error *error);

/* Asks every server for its last transaction (srvr), which is no request. A *mark of 0 becomes the
 * highest: what was answered anywhere is at or before it. *reached: whether every server has
 * applied *mark, or refuses to answer; *longest_ns: the longest time that a server took to answer.
 * Errors as below. */
MUST_CHECK enum error_kind server_counters_follow(struct server_counters *counters, uint64_t *mark,
                                                  bool *reached, uint64_t *longest_ns,
                                                  struct error *error);

/* Asks every server, for up to 5 s if it does not answer, and again a few times while requests are
 * under way at it. ERROR_SERVER_DIED, and errors of servers/four_letter.h. */
MUST_CHECK enum error_kind server_counters_read(struct server_counters *counters,
                                                struct server_counters_count *reading,
                                                struct error *error);

struct server_counters_count server_counters_subtract(const struct server_counters_count *before,
                                                      const struct server_counters_count *after);

/* ------------------------------------------------------------------ asked without waiting
 *
 * server_poll_ask asks every server that does not owe an answer, by mntr, or by srvr if its
 * whitelist refuses that. The answers come while the loop turns; those of a simulation at once.
 *
 * Invariant: every word that a server has counted is in server_counters.words; if that is not
 * known, or a server has begun to count anew, asked_again is set. */

/* How the last question to a server has ended. */
enum server_poll_state {
    SERVER_POLL_OWES,     /* not yet */
    SERVER_POLL_ANSWERED, /* mntr, or srvr alone */
    SERVER_POLL_ABSENT,   /* it refuses connections: no server counts anything */
    SERVER_POLL_UNSERVED, /* it answers that it does not serve: it has no quorum */
    SERVER_POLL_UNKNOWN,  /* otherwise; it is not asked if its whitelist refuses both words */
};

struct server_poll_answer {
    enum server_poll_state state;
    uint64_t asked_ns; /* of the loop's time */
    uint64_t came_ns;  /* when the question ended */
    enum role role;    /* ANSWERED: of the server; ROLE_UNKNOWN: not known */
    bool has_counters; /* ANSWERED: it is mntr's; else *counters is unchanged */
    struct four_letter_counters counters;
};

struct server_poll;

/* A poll of the servers of `counters`, whose hosts must be addresses (tcp_resolve); counters and
 * loop must outlive it. server_poll_free gives up the questions that are open; NULL is fine. Errors
 * of errno and of event_loop_watch. */
MUST_CHECK enum error_kind server_poll_new(struct server_counters *counters,
                                           const struct loop *loop, struct server_poll **poll,
                                           struct error *error);
void server_poll_free(struct server_poll *poll);

void server_poll_ask(struct server_poll *poll);

/* Whether no server owes an answer. */
bool server_poll_is_settled(const struct server_poll *poll);

/* Those of all servers, in their order; they change while the loop turns. */
const struct server_poll_answer *server_poll_answers(const struct server_poll *poll);

/* ------------------------------------------------------------------ compared with the sessions
 *
 * A difference fails the verdict only if nothing else explains it: no other client was connected to
 * the servers, and no session lost its connection with messages in transit. */

/* What servers and sessions are compared by. */
enum server_counters_counter {
#define X(A, B, name, keys, word, meaning) server_counters_##name,
    FOUR_LETTER_COUNTED(X, , )
#undef X
        server_counters_agree
};

extern const char *const server_counters_words[];

/* Whether the servers have yet to apply the close of one of the `exits` sessions that were closed
 * in order between the two readings. */
bool server_counters_is_behind(const struct server_counters_count *count, const struct tally *tally,
                               uint64_t exits);

/* Whether servers that only `clients` sessions use, since the reading before, have received more
 * than they have answered. When every session has all its replies that is a ping under way: it is
 * worth while to read again. */
bool server_counters_await_answers(const struct server_counters *counters,
                                   const struct server_counters_count *before, uint32_t clients,
                                   const struct server_counters_count *count);

enum reconciled {
    RECONCILED_NA, /* no counters, other clients, or a trial that was cut short */
    RECONCILED_YES,
    RECONCILED_NO,
};

/* What is known of a trial that reached its end. */
struct reconcile_facts {
    struct server_counters_count servers;
    const struct tally *sessions;
    const struct error *unreported; /* of struct server_counters; NULL: ERROR_NONE */
    bool are_private;               /* no other program should use the servers */
    bool is_shared;                 /* other clients were connected when the gate opened */
    bool has_companions;       /* another fleet of this program used the servers at the same time */
    bool had_death;            /* a session died, or lost a reply, as planned */
    uint64_t exits;            /* sessions that were closed in order */
    uint64_t reconnects;       /* of sessions */
    bool authenticates;        /* each connection begins with credentials: a packet, no read */
    uint64_t losses;           /* connections that sessions lost, with or without a reconnect */
    bool setup_session_stayed; /* zkherd's own session kept its connection */
    uint64_t pings_most;       /* the most pings of all sessions, zkherd's own included */
};

struct reconcile_result {
    enum reconciled reconciled;
    bool had_strangers; /* another client was connected to private servers */
    char why[160];      /* the reason for RECONCILED_NA; else "" */
    /* Packets that the servers received from others, at least: pings may hide some of them. -1: not
     * known, because counters are, or sessions of zkherd's in another fleet sent requests. */
    int64_t others_packets;
    /* The first counter that differs, with both counts; server_counters_agree if none does, or they
     * were not compared. */
    enum server_counters_counter counter;
    uint64_t servers;
    uint64_t sessions;
};

struct reconcile_result reconcile(const struct reconcile_facts *facts);

extern const char *const reconcile_words[]; /* in files */

#endif

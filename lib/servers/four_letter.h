// SPDX-License-Identifier: Apache-2.0
/*
 * four_letter: four-letter words to one server, over plain TCP, and what the answers say: its role
 * and its counters. Layer: servers.
 *
 * Each question opens a connection of its own, to a host that is an address (tcp_resolve).
 *
 * Invariant: an answer of another form than ZooKeeper's to this word is an error, never data.
 *
 * Errors of tcp_begin, and ERROR_NO_ANSWER (not in time), ERROR_NOT_ZOOKEEPER (something else
 * answers), ERROR_CLOSED (closed without an answer, as at the limit maxClientCnxns, or on a port
 * for TLS), ERROR_NOT_WHITELISTED, ERROR_NOT_SERVING (a ZooKeeper without its quorum),
 * ERROR_ZOOKEEPER (an answer that is longer than its buffer, or lacks something). On an error the
 * outputs mean nothing.
 */
#ifndef SERVERS_FOUR_LETTER_H
#define SERVERS_FOUR_LETTER_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for an answer to mntr: a standalone 3.8 server answers 16 KiB; each namespace and each other
 * server add a line. */
#define FOUR_LETTER_MNTR_SIZE (128 * 1024)

/*
 * The role of a server in its ensemble. X(name, word): the word is ZooKeeper's, where there is one.
 *
 * Latencies are kept by the role of the session's server: a write goes through the leader, so other
 * sessions' writes take one hop more than those of sessions on the leader. The servers are asked at
 * the gate, when every session is connected. A server closes its connections before it changes its
 * role, so the role holds as long as the connection does. After a session has connected again, its
 * server's role is ROLE_RECONNECTED: the new server is not asked.
 */
#define ROLE_LIST(X)                                                                               \
    X(UNKNOWN, "unknown") /* its whitelist refuses srvr, or it was not asked */                    \
    X(STANDALONE, "standalone")                                                                    \
    X(LEADER, "leader")                                                                            \
    X(FOLLOWER, "follower")                                                                        \
    X(OBSERVER, "observer")                                                                        \
    X(RECONNECTED, "reconnected")

enum role {
#define X(name, word) ROLE_##name,
    ROLE_LIST(X)
#undef X
        ROLES
};

extern const char *const role_words[];

/* Whether a server of this role orders the writes. */
bool role_leads(enum role role);

/* A server's answer to srvr. */
struct four_letter_identity {
    char version[64]; /* "3.8.0"; "" without an answer */
    enum role role;
    bool read_only; /* it lacks its quorum, and its role is unknown */
    uint64_t zxid;  /* of the last transaction that the server has applied; 0 without an answer */
    bool talks;     /* false: a ZooKeeper whose whitelist refuses srvr */
};

/* Value of an optional counter that a server does not report. */
#define FOUR_LETTER_UNREPORTED UINT64_MAX

/*
 * The counters of a server. X(A, B, name, keys, word, meaning): the keys of mntr are
 * separated by blanks, and the values of several keys are added up; `word` names the counter in a
 * sentence, `meaning` as a column of a file. A and B are the caller's own. A new counter is a row
 * of the list that says where it is shown: it is then read, summed up over the servers, subtracted
 * from an earlier reading, and in the files and metrics.
 */

/* Counted since the server's start, and shown of a trial and of a load: */
#define FOUR_LETTER_WRITES(X, A, B)                                                                \
    X(A, B, writes, "zk_cnt_updatelatency", "writes",                                              \
      "writes answered, including failed ones (`zk_cnt_updatelatency`)")
#define FOUR_LETTER_MESSAGES(X, A, B)                                                              \
    X(A, B, notifications,                                                                         \
      "zk_sum_node_created_watch_count zk_sum_node_deleted_watch_count "                           \
      "zk_sum_node_children_watch_count zk_sum_node_changed_watch_count",                          \
      "notifications", "notifications sent (the four `zk_sum_node_*_watch_count`)")                \
    X(A, B, packets_received, "zk_packets_received", "packets received",                           \
      "requests and pings (`zk_packets_received`), without zkherd's own four-letter words")
#define FOUR_LETTER_OF_TRIALS(X, A, B) FOUR_LETTER_WRITES(X, A, B) FOUR_LETTER_MESSAGES(X, A, B)

/* and these of a load alone: */
#define FOUR_LETTER_READS(X, A, B)                                                                 \
    X(A, B, reads, "zk_cnt_readlatency", "reads and pings", "reads answered, pings included")
#define FOUR_LETTER_OF_LOADS(X, A, B)                                                              \
    FOUR_LETTER_WRITES(X, A, B) FOUR_LETTER_READS(X, A, B) FOUR_LETTER_MESSAGES(X, A, B)

/* All that is counted; the last are in no file: */
#define FOUR_LETTER_COUNTED(X, A, B)                                                               \
    FOUR_LETTER_OF_LOADS(X, A, B)                                                                  \
    X(A, B, connects, "zk_connection_request_count", "connects", "sessions opened, or reconnected")

/* The state of a server when it answers: X(name, keys). connections includes this question's. */
#define FOUR_LETTER_STATES(X)                                                                      \
    X(watch_count, "zk_watch_count")                                                               \
    X(ephemerals_count, "zk_ephemerals_count")                                                     \
    X(connections, "zk_num_alive_connections")                                                     \
    X(znode_count, "zk_znode_count")

/* A server may lack these: */
#define FOUR_LETTER_OPTIONAL_STATES(X)                                                             \
    X(outstanding, "zk_outstanding_requests") /* at the server; 0 also for a number below 0, which \
                              of a server that answers a request before it counts it in */         \
    X(snapshots, "zk_cnt_snapshottime")       /* written since the process began */                \
    X(fsync_ms, "zk_sum_fsynctime") /* in which transactions waited for the disk, in all; each     \
                              wait without its fraction of a millisecond, so at least */           \
    X(uptime_ms, "zk_uptime")       /* since the server began to serve in its present role */

/* A member of a struct of counters: FOUR_LETTER_COUNTED(FOUR_LETTER_MEMBER, , ) */
#define FOUR_LETTER_MEMBER(A, B, name, keys, word, meaning) uint64_t name;

/* A server's answer to mntr. */
struct four_letter_counters {
    FOUR_LETTER_COUNTED(FOUR_LETTER_MEMBER, , )
#define X(name, keys) uint64_t name;
    FOUR_LETTER_STATES(X)
    FOUR_LETTER_OPTIONAL_STATES(X)
#undef X
    enum role role;
};

/* Sends a word and writes the whole answer, with a NUL, to answer (size bytes). An answer to srvr,
 * mntr, conf or cons must begin as ZooKeeper's does; an answer to another word must not be empty.
 */
MUST_CHECK enum error_kind four_letter_ask(const struct endpoint *endpoint, const char *word,
                                           uint64_t timeout_ns, char *answer, size_t size,
                                           struct error *error);

/* Asks srvr. A whitelist that refuses srvr is no error: then talks is false. */
MUST_CHECK enum error_kind four_letter_identify(const struct endpoint *endpoint,
                                                uint64_t timeout_ns,
                                                struct four_letter_identity *identity,
                                                struct error *error);

/* Asks mntr. A counter that is missing (before 3.6) is ERROR_ZOOKEEPER; the detail names it. */
MUST_CHECK enum error_kind four_letter_counters(const struct endpoint *endpoint,
                                                uint64_t timeout_ns,
                                                struct four_letter_counters *counters,
                                                struct error *error);

/* Asks conf for the connections that a server takes from one host (maxClientCnxns); 0: any number;
 * FOUR_LETTER_UNREPORTED without an answer. */
uint64_t four_letter_connections_limit(const struct endpoint *endpoint, uint64_t timeout_ns);

/* Whether a server that is known to be a ZooKeeper may answer when it is asked again: the error is
 * one that an election causes, in which it closes the connection, does not answer, refuses to
 * connect, or does not serve. */
bool four_letter_may_pass(const struct error *error);

/* ------------------------------------------------------------------ without waiting */

/* A question: four_letter_begin, then four_letter_turn whenever the descriptor is ready, until it
 * is done; or four_letter_abandon at any time. */
struct four_letter_question {
    const struct endpoint *endpoint;
    const char *word;
    int fd;       /* of the question that is open; else -1 */
    bool sent;    /* the word: until then the descriptor is to become writable, then readable */
    char *answer; /* the caller's, `size` bytes of it */
    size_t size, length;
};

/* The answer's place must have been set. After an error no question is open. */
MUST_CHECK enum error_kind four_letter_begin(struct four_letter_question *question,
                                             const struct endpoint *endpoint, const char *word,
                                             struct error *error);

/* Goes on with what is ready. *done: the question is no longer open; on success its answer is then
 * ZooKeeper's to this word. After an error it is done. */
MUST_CHECK enum error_kind four_letter_turn(struct four_letter_question *question, bool *done,
                                            struct error *error);

void four_letter_abandon(struct four_letter_question *question); /* no question open is fine */

/* What an answer says: to srvr, and to mntr. */
void four_letter_read_identity(const char *answer, struct four_letter_identity *identity);
MUST_CHECK enum error_kind four_letter_read_counters(const struct endpoint *endpoint,
                                                     const char *answer,
                                                     struct four_letter_counters *counters,
                                                     struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * four_letter: asking one server by four-letter words, over plain TCP. Layer: servers.
 *
 * Each call opens a connection of its own, to one server: what is to hold for an ensemble is asked
 * of each of its servers and summed (watches and their notifications are counted per server).
 * Every call ends at its deadline, timeout_ns after it began; only the resolving of a host name
 * (DNS) is not bounded by it (servers/tcp.h).
 *
 * Invariant: an answer that is not what this word's answer looks like is an error, never data.
 *
 * Every function may return ERROR_UNRESOLVED, ERROR_REFUSED (nobody listens there), ERROR_NO_ANSWER
 * (not in time), ERROR_NOT_ZOOKEEPER (something answers as no ZooKeeper does), ERROR_CLOSED (the
 * connection, without a word: a ZooKeeper does so at its limit maxClientCnxns, or on a port for
 * TLS), ERROR_NOT_WHITELISTED, ERROR_NOT_SERVING (a ZooKeeper without its quorum), ERROR_ZOOKEEPER
 * (an answer that is longer than its buffer, or lacks something), or an error of the operating
 * system (ERROR_NO_DESCRIPTORS, ERROR_SYSTEM …). On an error the outputs are not to be read.
 */
#ifndef SERVERS_FOUR_LETTER_H
#define SERVERS_FOUR_LETTER_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a server says of itself. */
struct four_letter_identity {
    char version[64]; /* "3.8.0"; "" when it does not talk */
    char mode[24];    /* standalone, leader, follower, observer, read-only, or unknown */
    uint64_t zxid;    /* of the last transaction that it has carried out; 0 when it does not talk */
    bool talks;       /* false: its whitelist refuses srvr; it is a ZooKeeper, but tells nothing */
};

/* One server's counters since its start, and its present state (mntr). */
struct four_letter_counters {
    uint64_t notifications_sent; /* created, deleted, children and changed together */
    uint64_t writes;             /* answered, failed ones included */
    uint64_t reads;              /* answered, pings included */
    uint64_t packets_received;   /* requests, connects, pings, closes, and every four-letter word */
    uint64_t watch_count;
    uint64_t ephemerals_count;
    uint64_t connections; /* this very question's is one of them */
    uint64_t connects;    /* sessions opened, or connected again: no question's */
    uint64_t znode_count;
};

/*
 * Sends a word of four letters and writes the whole answer, with a NUL, to answer (size bytes). For
 * srvr, mntr, conf and cons the answer's beginning is checked to be ZooKeeper's; for another word
 * only that there is one.
 */
MUST_CHECK enum error_kind four_letter_ask(const struct endpoint *endpoint, const char *word,
                                           uint64_t timeout_ns, char *answer, size_t size,
                                           struct error *error);

/* Asks srvr. A server whose whitelist refuses it is no error: talks is false then. */
MUST_CHECK enum error_kind four_letter_identify(const struct endpoint *endpoint,
                                                uint64_t timeout_ns,
                                                struct four_letter_identity *identity,
                                                struct error *error);

/* Asks mntr. A counter that the server does not give (before 3.6) is ERROR_ZOOKEEPER with its name
 * in the detail. */
MUST_CHECK enum error_kind four_letter_counters(const struct endpoint *endpoint,
                                                uint64_t timeout_ns,
                                                struct four_letter_counters *counters,
                                                struct error *error);

/*
 * For a server that is known to be a ZooKeeper: puts a question again and again until it is
 * answered or timeout_ns have passed since the first time. At an election, and while it ends, a
 * server closes a connection without a word, leaves it unanswered, refuses it, or says that it does
 * not serve; a question that fails in another way is not put again. Returns what the last one
 * returned. *times: how often it was put.
 */
MUST_CHECK enum error_kind
four_letter_insist(enum error_kind (*question)(void *context, struct error *error), void *context,
                   uint64_t timeout_ns, unsigned *times, struct error *error);

/* Asks conf: the server's settings, a line key=value each. 4 KiB are enough for standalone. */
MUST_CHECK enum error_kind four_letter_settings(const struct endpoint *endpoint,
                                                uint64_t timeout_ns, char *text, size_t size,
                                                struct error *error);

#endif

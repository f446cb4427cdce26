// SPDX-License-Identifier: Apache-2.0
/*
 * admin: asking one server by four-letter words, over plain TCP. Layer: zk.
 *
 * Each call opens a connection of its own, to one server: what is to hold for an ensemble is asked
 * of each of its servers and summed (watches and their notifications are counted per server).
 * Every call ends at its deadline, timeout_ns after it began; only the resolving of a host name
 * (DNS) is not bounded by it (zk/dial.h).
 *
 * Invariant: an answer that is not what this word's answer looks like is a fault, never data.
 *
 * Every function may return FAULT_UNRESOLVED, FAULT_REFUSED (nobody listens there), FAULT_NO_ANSWER
 * (not in time), FAULT_NOT_ZOOKEEPER (something answers as no ZooKeeper does), FAULT_CLOSED (the
 * connection, without a word: a ZooKeeper does so at its limit maxClientCnxns, or on a port for
 * TLS), FAULT_NOT_WHITELISTED, FAULT_NOT_SERVING (a ZooKeeper without its quorum), FAULT_ZOOKEEPER
 * (an answer that is longer than its buffer, or lacks something), or a fault of the operating
 * system (FAULT_NO_DESCRIPTORS, FAULT_SYSTEM …). On a fault the outputs are not to be read.
 */
#ifndef ZK_ADMIN_H
#define ZK_ADMIN_H

#include "base/fault.h"
#include "zk/connect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a server says of itself. */
struct admin_identity {
    char version[64]; /* "3.8.0"; "" when it does not talk */
    char mode[24];    /* standalone, leader, follower, observer, read-only, or unknown */
    uint64_t zxid;    /* of the last transaction that it has carried out; 0 when it does not talk */
    bool talks;       /* false: its whitelist refuses srvr; it is a ZooKeeper, but tells nothing */
};

/* One server's counters since its start, and its present state (mntr). */
struct admin_counters {
    uint64_t notifications_sent; /* created, deleted, children and changed together */
    uint64_t writes;             /* answered, failed ones included */
    uint64_t reads;              /* answered, pings included */
    uint64_t packets_received;   /* requests, connects, pings, closes, and every four-letter word */
    uint64_t packets_sent;
    uint64_t watch_count;
    uint64_t ephemerals_count;
    uint64_t connections; /* this very question's is one of them */
    uint64_t connects;    /* sessions opened, or connected again: no question's */
    uint64_t znode_count;
};

/*
 * Sends a word of four letters and writes the whole answer, with a NUL, to answer (size bytes). For
 * srvr, stat, mntr, ruok, conf, cons, wchs, srst, isro and envi the answer's beginning is checked
 * to be ZooKeeper's; for another word only that there is one.
 */
MUST_CHECK enum fault_kind admin_ask(const struct endpoint *endpoint, const char *word,
                                     uint64_t timeout_ns, char *answer, size_t size,
                                     struct fault *fault);

/* Asks srvr. A server whose whitelist refuses it is no fault: talks is false then. */
MUST_CHECK enum fault_kind admin_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                          struct admin_identity *identity, struct fault *fault);

/* Asks mntr. A counter that the server does not give (before 3.6) is FAULT_ZOOKEEPER with its name
 * in the detail. */
MUST_CHECK enum fault_kind admin_counters(const struct endpoint *endpoint, uint64_t timeout_ns,
                                          struct admin_counters *counters, struct fault *fault);

/*
 * For a server that is known to be a ZooKeeper: puts a question again and again until it is
 * answered or timeout_ns have passed since the first time. At an election, and while it ends, a
 * server closes a connection without a word, leaves it unanswered, refuses it, or says that it does
 * not serve; a question that fails in another way is not put again. Returns what the last one
 * returned. *times: how often it was put.
 */
MUST_CHECK enum fault_kind
admin_insist(enum fault_kind (*question)(void *context, struct fault *fault), void *context,
             uint64_t timeout_ns, unsigned *times, struct fault *fault);

/* Asks conf: the server's settings, a line key=value each. 4 KiB are enough for standalone. */
MUST_CHECK enum fault_kind admin_settings(const struct endpoint *endpoint, uint64_t timeout_ns,
                                          char *text, size_t size, struct fault *fault);

#endif

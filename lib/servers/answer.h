// SPDX-License-Identifier: Apache-2.0
/*
 * answer: a server's answer to a four-letter word: as bytes, and what they say. Layer: servers,
 * below four_letter and question.
 *
 * Invariant: an answer of another form than ZooKeeper's to this word is an error, never data.
 */
#ifndef SERVERS_ANSWER_H
#define SERVERS_ANSWER_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for an answer to mntr: a standalone 3.8 server answers 16 KiB; each namespace and each other
 * server add a line. */
#define ANSWER_MNTR_SIZE (128 * 1024)

/* A server's answer to srvr. */
struct four_letter_identity {
    char version[64]; /* "3.8.0"; "" without an answer */
    char mode[24];    /* standalone, leader, follower, observer, read-only, or unknown */
    uint64_t zxid;    /* of the last transaction that the server has applied; 0 without an answer */
    bool talks;       /* false: a ZooKeeper whose whitelist refuses srvr */
};

/* The value of what a server does not tell, where that is allowed. */
#define FOUR_LETTER_UNTOLD UINT64_MAX

/* A server's answer to mntr: counters since its start, and its present state. */
struct four_letter_counters {
    uint64_t notifications_sent; /* created, deleted, children and changed together */
    uint64_t writes;             /* answered, failed ones included */
    uint64_t reads;              /* answered, pings included */
    uint64_t packets_received;   /* requests, connects, pings, closes, and every four-letter word */
    uint64_t watch_count;
    uint64_t ephemerals_count;
    uint64_t connections; /* the connection of this question included */
    uint64_t connects;    /* sessions opened, or connected again; no four-letter words */
    uint64_t znode_count;
    /* May be untold: */
    uint64_t outstanding; /* requests at the server; 0 also for a number below 0, which a server
                             tells that answers a request before it counts it in */
    uint64_t snapshots;   /* written since the process began */
    uint64_t fsync_ms;    /* in which transactions waited for the disk, in all; each wait without
                             its fraction of a millisecond, so at least */
    uint64_t uptime_ms;   /* since the server began to serve in its present role */
    char mode[24];        /* as in four_letter_identity */
};

/* How an answer has ended. */
enum answer_ending {
    ANSWER_COMES, /* it has not: more may come */
    ANSWER_CLOSED,
    ANSWER_BROKEN,
    ANSWER_LATE, /* the time was over */
    ANSWER_TOO_LONG
};

/* Appends to an answer of *length bytes what has come, without waiting; size bytes have room. The
 * answer gets a NUL in any case. */
enum answer_ending answer_receive(int fd, char *answer, size_t size, size_t *length);

/* Whether an answer that has ended so is ZooKeeper's to this word; the errors of four_letter.h. */
MUST_CHECK enum error_kind answer_judge(const struct endpoint *endpoint, const char *word,
                                        enum answer_ending ending, const char *answer,
                                        struct error *error);

/* Copies the rest of the line of an answer that begins so; "" if there is none. */
void answer_line(const char *answer, const char *beginning, char *text, size_t size);

/* What an answer to srvr says. */
void answer_read_identity(const char *answer, struct four_letter_identity *identity);

/* What an answer to mntr says. A counter that is missing (before 3.6) is ERROR_ZOOKEEPER; the
 * detail names it. */
MUST_CHECK enum error_kind answer_read_counters(const struct endpoint *endpoint, const char *answer,
                                                struct four_letter_counters *counters,
                                                struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/* internal: one lock, the locks below a folder, the connections that servers list, and how they are
 * shown. Layer: bench/inspect. */
#ifndef BENCH_INSPECT_INTERNAL_H
#define BENCH_INSPECT_INTERNAL_H

#include "base/error.h"
#include "bench/target/browser.h"
#include "recipes/line.h"
#include "servers/four_letter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SURVEY_DEPTH_MAX  10
#define SURVEY_ZNODES_MAX 10000

/* The znode of a client that holds a lock, or waits for it. */
struct place {
    struct line_place line; /* its name is the last part of the path */
    char *path;
    struct browser_stat stat; /* owner 0: of no session */
    struct browser_data data;
};

/*
 * A lock at one moment. It is a folder whose children end in sequence numbers, or are leases of
 * kazoo's; or one ephemeral znode, whose owner holds: its waiters leave watches and no znodes, and
 * whether it is a lock or a registration its use alone shows (zkherd autopsy). A child of no
 * session is a place if its name is alike that of one of a session, or of a library's lock.
 *
 * The znodes are read one after another, and one that was deleted by then is left out: the state is
 * that of some moment of the reading, without the znodes created during it.
 */
struct lock {
    char *path;
    const char *recipe;   /* a static text; "queue" of a folder without children */
    bool by_name;         /* one znode */
    bool waiters_unknown; /* they have no znodes */
    size_t holders, waiters;
    int64_t since_ms;     /* below a folder: when the first waiter's znode was created; 0: none */
    size_t others;        /* children of the folder that are none of its places */
    struct place *places; /* in order: all of a lock that was asked for; below a folder the first
                             holder and the first waiter */
    size_t count;
};

/* The lock at a path, or the locks below it: those with the most waiters first, and those of one
 * znode last. */
struct survey {
    bool is_lock; /* the path is the lock, the only one here */
    struct lock *locks;
    size_t count;
    char **childless; /* paths of znodes without children, an owner and a sequence number: each is a
                         free queue or no lock; sorted */
    size_t childless_count;
    size_t znodes;     /* listed */
    size_t tasks;      /* folders of numbered znodes of which none is ephemeral: left out */
    size_t unreadable; /* znodes that an ACL forbids */
    bool is_cut;       /* by the limits */
};

/* Lists every znode down to a depth, but those within a lock that is asked for, and the marks of
 * runs of zkherd. The browser's error may be ERROR_NO_LOCK, with the reason, too. *survey is the
 * caller's to survey_deinit, also after an error. */
void survey_read(struct browser *browser, const char *path, struct survey *survey);
void survey_deinit(struct survey *survey);

/* A session, as a server's answer to cons has it. */
struct connection {
    int64_t session;
    char client[80]; /* the client's end of the connection: 127.0.0.1:54321 */
    size_t server;   /* its index in the connect string */
};

/* Only what a server has answered is listed. */
struct connections {
    const struct connect_string *servers;
    struct error refusals[CONNECT_ENDPOINTS_MAX]; /* of each server; ERROR_NONE: it answered */
    struct connection *list;                      /* to free() */
    size_t count;
};

/* Asks one server after another, timeout_ns altogether; each may take an equal share of what is
 * left. */
void connections_ask(struct connections *connections, uint64_t timeout_ns);

/* Adds the sessions in a server's answer to cons; other lines are skipped. */
void connections_read(struct connections *connections, size_t server, const char *answer);

/* The connection of a session, valid until the list changes; NULL if it is not listed. */
const struct connection *connections_find(const struct connections *connections, int64_t session);

/* Write to stdout: for a terminal as wide as it is, or one JSON object, whose keys are in
 * docs/schema. */
void print_lock(const struct lock *lock, const struct connections *connections);
void print_survey(const char *path, const struct survey *survey);
void print_lock_json(const struct lock *lock, const struct connections *connections);
void print_survey_json(const char *path, const struct survey *survey);

#endif

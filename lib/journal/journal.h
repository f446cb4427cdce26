// SPDX-License-Identifier: Apache-2.0
/*
 * journal: what a server of ZooKeeper keeps on its disk: the log of all transactions, and snapshots
 * of the znodes. Layer: journal.
 *
 * A log (log.ZXID, of 3.4 to 3.9: org.apache.zookeeper.server.persistence.FileTxnLog) has every
 * change that a client asked for, also what was refused (an error transaction, without a path), and
 * the beginning and end of every session. It has no reads, no watches and no notifications. A
 * snapshot (snapshot.ZXID, FileSnap) has the sessions and znodes of one moment; it is written while
 * the server goes on, so that later changes may be in it.
 *
 * The records of all files are merged by their zxids. What one server lacks another may have: a
 * server that was away is sent a snapshot, and goes on behind a gap in the same file. A gap is what
 * no file has: within an epoch (the upper half of a zxid) by the numbers, at its end if a snapshot
 * has more, or if no server that has the last transaction of the epoch has the first of the next.
 * What a leader had proposed at its end, and most servers went on without, is left out.
 *
 * Files are only read, as a stream, compressed by gzip or not; they may be those of a server that
 * runs. Memory is that of the longest record of each log that is open.
 *
 * Invariants: every transaction is passed on once, in the order of the zxids, whatever files have
 * it, or the reading fails. A file is not read behind its first flaw. Two readings are the same.
 */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include "base/error.h"
#include "wire/jute.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ transactions */

/* The types of transactions (org.apache.zookeeper.txn of zookeeper.jute, 3.9.3): X(NAME, number,
 * name, fields), a letter for each field:
 *
 *   p  a path                  n  a number: a version, a timeout in ms, or an error
 *   d  data                    c  the parent's cversion; 3.3 had none
 *   a  an ACL                  l  a long
 *   e  whether ephemeral       v  paths; servers before 3.6, and some after, write none
 *   m  the parts of a multi
 */
#define JOURNAL_TYPES(X)                                                                           \
    X(CLOSE_SESSION, -11, "closeSession", "v")                                                     \
    X(CREATE_SESSION, -10, "createSession", "n")                                                   \
    X(ERROR, -1, "error", "n")                                                                     \
    X(CREATE, 1, "create", "pdaec")                                                                \
    X(DELETE, 2, "delete", "p")                                                                    \
    X(SET_DATA, 5, "setData", "pdn")                                                               \
    X(SET_ACL, 7, "setACL", "pan")                                                                 \
    X(CHECK, 13, "check", "pn")                                                                    \
    X(MULTI, 14, "multi", "m")                                                                     \
    X(CREATE2, 15, "create2", "pdaec")                                                             \
    X(RECONFIG, 16, "reconfig", "pdn")                                                             \
    X(CREATE_CONTAINER, 19, "createContainer", "pdac")                                             \
    X(DELETE_CONTAINER, 20, "deleteContainer", "p")                                                \
    X(CREATE_TTL, 21, "createTTL", "pdacl")

enum journal_type {
#define X(NAME, number, name, fields) JOURNAL_##NAME,
    JOURNAL_TYPES(X)
#undef X
        JOURNAL_TYPE_COUNT
};

#define JOURNAL_NO_CVERSION (-1)
#define JOURNAL_NOT_KNOWN   (-1)

/* A change; fields that its type lacks are 0. Texts are gone when the callback returns. A multi of
 * which no part was done is an error. */
struct journal_change {
    enum journal_type type;
    struct jute_bytes path;
    bool ephemeral;
    int32_t number;
    int32_t cversion;   /* of the parent, behind a create; JOURNAL_NO_CVERSION */
    size_t elements;    /* paths of a closeSession, parts of a multi */
    struct jute listed; /* those, for the functions below */
};

struct journal_transaction {
    int64_t session;
    int32_t cxid; /* the client's number of the request; 0: the server's own, such as an expiry */
    int64_t zxid;
    int64_t time_ms; /* since 1970, by the leader's clock */
    size_t bytes;    /* in the log */
    struct journal_change change;
};

/* Calls the function with the change of a transaction, or with each part of a multi. */
typedef void journal_change_function(void *context, const struct journal_transaction *transaction,
                                     const struct journal_change *change);
void journal_each_change(const struct journal_transaction *transaction, void *context,
                         journal_change_function *function);

/* The next part of a multi, and the next path that a closeSession deleted; false behind the last.
 * Begin with a copy of `listed`. */
bool journal_next_part(struct jute *listed, struct journal_change *part);
bool journal_next_path(struct jute *listed, struct jute_bytes *path);

/* ------------------------------------------------------------------ files */

/* A znode of a snapshot. */
struct journal_znode {
    struct jute_bytes path;
    int64_t owner;    /* session of an ephemeral znode; 0: it is none, or has a TTL */
    int32_t cversion; /* of the parent, when it was written; JOURNAL_NO_CVERSION: not known */
    int64_t czxid;
    int64_t created_ms;
};

/* Each may be NULL. */
struct journal_listener {
    /* Before the first transaction, and behind each gap: sessions and znodes so far do not go on.
     * Those of a snapshot follow that are older than the transaction `zxid`; `snapshot` is the
     * highest zxid in it, 0 if nothing was there before, or JOURNAL_NOT_KNOWN. */
    void (*begin)(void *context, int64_t zxid, int64_t snapshot);
    void (*znode)(void *context, const struct journal_znode *znode);
    void (*session)(void *context, int64_t id, int32_t timeout_ms);
    void (*transaction)(void *context, const struct journal_transaction *transaction);
    /* What is wrong with the files, in a sentence, and whether transactions may be missing. */
    void (*flaw)(void *context, const char *sentence, bool loses);
    /* About every MiB of a log, and at its end: false ends the reading. */
    bool (*progress)(void *context, uint64_t read_bytes, uint64_t of_bytes);
};

struct journal;

/* Finds the files in folders: a server's version-2, or the folder that has it. Two folders may be
 * those of one server (dataDir and dataLogDir), or of several of one ensemble; `folders` must
 * outlive the journal, which is to be freed after an error, too. ERROR_NO_JOURNAL if there is no
 * log, and the operating system's errors. */
MUST_CHECK enum error_kind journal_open(char *const *folders, size_t count,
                                        struct journal **journal, struct error *error);
void journal_free(struct journal *journal);

size_t journal_logs(const struct journal *journal);

/* The last transactions that may not have been committed: how many, and the first of them. A member
 * of an ensemble, which has a file currentEpoch, logs what is proposed. Fewer folders have them
 * than are a majority of the servers that the newest snapshot names, or one alone, and no snapshot
 * has them. 0 of a standalone server. */
size_t journal_unsettled(const struct journal *journal, int64_t *from);

/* Reads everything: the snapshot first. ERROR_INTERRUPTED if `progress` ends it,
 * ERROR_OTHER_ENSEMBLE if two files have other transactions of one zxid, or the snapshots of two
 * folders name no server in common, and errors of reading. The first reading decides how far a log
 * is read that still grows. */
MUST_CHECK enum error_kind journal_read(struct journal *journal,
                                        const struct journal_listener *listener, void *context,
                                        struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * watches: which watches clients set, which fired, which write notified whom, and what the notified
 * sessions did then. Layer: relay.
 *
 * A listener of conversations. A watch is a session's, on a path: of data (exists, getData), of
 * children (getChildren), or one that stays (addWatch). A watch counts from the reply of the
 * request that sets it. A notification is attributed to the first write that the server can have
 * executed since then: by its transaction where notifications carry one (from 3.9 on), and
 * otherwise the oldest successful write on that path that was answered after the watch was set, or
 * that has no answer yet. A session that was notified follows the write with its requests until it
 * has set a watch again, has written, has asked for a deletion (which is a cause of its own), or is
 * notified again.
 *
 * Invariant: set = fired + removed + left + those that are armed now; every notification is
 * attributed to one write, or counted as unattributed.
 */
#ifndef RELAY_WATCHES_H
#define RELAY_WATCHES_H

#include "base/id_tree.h"
#include "history/locks.h"
#include "measure/histogram.h"
#include "relay/conversation.h"
#include "relay/pattern.h"

enum watches_kind { WATCHES_DATA, WATCHES_CHILDREN, WATCHES_STAYING, WATCHES_KINDS };

/* Watches of a kind on the paths of a pattern: X(name, meaning). */
#define WATCHES_FIGURES(X, ...)                                                                    \
    X(__VA_ARGS__, set, "watches that requests set, unless one was armed already")                 \
    X(__VA_ARGS__, again, "requests that set a watch which was armed already")                     \
    X(__VA_ARGS__, fired, "watches that fired; of those that stay, their notifications")           \
    X(__VA_ARGS__, removed, "watches that the client removed")                                     \
    X(__VA_ARGS__, left, "watches that were armed when their session was closed")                  \
    X(__VA_ARGS__, armed, "watches that are armed at the end")

struct watches_figures {
#define X(_, name, meaning) uint64_t name;
    WATCHES_FIGURES(X, _)
#undef X
};

/* What one write caused. */
struct watches_write {
    enum opcode opcode;
    char pattern[PATTERN_SIZE]; /* of its path; of the end of a session that of the first znode */
    int64_t session;            /* that wrote */
    int32_t xid;
    uint64_t number;                   /* in the order of the requests, from 1 */
    uint64_t requested_ns, replied_ns; /* 0: it has no reply yet */
    int64_t zxid;
    uint64_t notified;                 /* notifications */
    uint64_t last_ns;                  /* of the last of them */
    uint64_t followed, followed_bytes; /* requests because of it, and their bytes both ways */
    uint64_t got, armed_again; /* of the sessions notified: those that then wrote or hold a lock,
                                  and those that set a watch again, or did nothing until the next */
    unsigned uses;             /* for watches.c */
};

/* Writes of an operation on the paths of a pattern, those that notified somebody. */
struct watches_cause {
    uint64_t writes, notified, notified_most; /* most by one */
    uint64_t followed, followed_bytes, got, armed_again;
    struct histogram last; /* from a write's request to its last notification */
};

#define WATCHES_COSTLIEST 5
#define WATCHES_ANSWERED  4096

struct spot; /* a path and an event: watches.c */
struct watches_answered {
    struct spot *spot;
    struct watches_write *write;
};

struct watches {
    struct patterns kinds;           /* of enum watches_kind */
    struct watches_figures *figures; /* of each pair */
    struct patterns writes;          /* of enum opcode */
    struct watches_cause **causes;
    struct watches_write costliest[WATCHES_COSTLIEST]; /* by notified + followed; uses 0: none */
    uint64_t unattributed;
    uint64_t both;    /* notifications of a deletion that servers count for watches of data and for
                         those of children */
    uint64_t closing; /* the most notifications that servers may count, and not send, because the
                         session is about to close */
    uint64_t asked;   /* writes */
    struct locks *locks; /* the caller's, while messages are heard: is told of every change; who
                            holds one has got something */
    /* The rest is for watches.c: trees of tsearch, and the last writes that were answered. */
    void *armed, *spots;
    id_tree sessions;
    struct watches_answered answered[WATCHES_ANSWERED];
    size_t next;
};

/* Its context is the struct watches; it is not told of openings. */
extern const struct conversation_listener watches_listener;

/* All zero bytes: nothing was heard. Once watches_end has counted what is still open, nothing may
 * be heard any more. */
void watches_end(struct watches *watches);
void watches_deinit(struct watches *watches);

#endif

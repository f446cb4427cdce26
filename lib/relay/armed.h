// SPDX-License-Identifier: Apache-2.0
/*
 * armed: the watches of one session, as the server of its connection has them. Layer: relay.
 *
 * A watch is on a path: of data (exists, getData), of children (getChildren), or one that stays
 * (addWatch). It counts from the reply of the request that sets it; what setWatches sets again,
 * from the request on, because the server notifies before it replies.
 *
 * The server forgets the watches of a connection that ends. It has a table of data and one of
 * children watches, and those that stay are in both. It counts a notification for each table that
 * has the session, and sends one. Before 3.9 a table has one kind of watch for a session and a
 * path, the last that was set, and removeWatches takes any kind out of it; from 3.9 on (whose
 * notifications have a transaction) a recursive watch is in the table of data alone. What
 * setWatches finds to have fired is sent, and not counted.
 *
 * Invariant: set = fired + removed + left + those that are armed at the end, without those that
 * stay.
 */
#ifndef RELAY_ARMED_H
#define RELAY_ARMED_H

#include "base/id_tree.h"
#include "relay/pattern.h"
#include "wire/message.h"

/* The numbers of those that fire once are removeWatches' (WatcherType). */
enum watches_kind { WATCHES_STAYING, WATCHES_CHILDREN, WATCHES_DATA, WATCHES_KINDS };

/* Watches of a kind on the paths of a pattern: X(name, meaning). */
#define WATCHES_FIGURES(X, ...)                                                                    \
    X(__VA_ARGS__, set, "watches that requests set, unless one was armed already")                 \
    X(__VA_ARGS__, again, "requests that set a watch which was armed already")                     \
    X(__VA_ARGS__, fired, "watches that fired; of those that stay, their notifications")           \
    X(__VA_ARGS__, removed, "watches that the client removed")                                     \
    X(__VA_ARGS__, left, "watches that were armed when their session was closed or reconnected")   \
    X(__VA_ARGS__, armed, "watches that are armed at the end")

struct watches_figures {
#define X(_, name, meaning) uint64_t name;
    WATCHES_FIGURES(X, _)
#undef X
};

struct armed_kind {
    struct pattern pattern;
    struct watches_figures figures;
};

#define ARMED_UNBOUNDED (UINT64_MAX / 4)

/* Counts of all sessions. All zero bytes: none. */
struct armed_counts {
    struct patterns kinds; /* struct armed_kind; the number is the enum watches_kind */
    uint64_t both;         /* notifications that a server counts twice */
    uint64_t uncounted;    /* notifications that a server does not count */
    uint64_t unsent; /* the most that servers may have counted and not sent, because the connection
                        ended; from ARMED_UNBOUNDED on any number */
};

/* The watches of a session. All zero bytes: none. */
struct armed {
    path_tree of[WATCHES_KINDS];
    uint64_t once; /* watches that fire once */
    size_t resets; /* setWatches without a reply */
};

void armed_set(struct armed_counts *counts, struct armed *armed, enum watches_kind kind,
               const char *path, bool recursive);

/* Those of a request setWatches, from its first list on. Its reply: resets - 1. */
void armed_set_again(struct armed_counts *counts, struct armed *armed, struct jute lists);

/* Those at a path that removeWatches takes out. */
void armed_remove(struct armed *armed, int32_t type, const char *path);

/* Those that a notification is one for. */
void armed_fire(struct armed_counts *counts, struct armed *armed,
                const struct message_notification *notification, const char *path);

/* The connection has ended: notifications may have been under way. */
void armed_lose(struct armed_counts *counts, const struct armed *armed);

/* Takes out all; left: the session is closed or has another connection, else the messages have
 * ended. */
void armed_end(struct armed *armed, bool left);

#endif

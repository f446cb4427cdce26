// SPDX-License-Identifier: Apache-2.0
/*
 * setup_session: zkherd's own session, which creates the znodes of a run and deletes them. Layer:
 * fleet, above sync_session.
 *
 * Each call waits for its reply, up to a deadline, unless it says otherwise. After a lost
 * connection reads and deletes are sent again; an expired session is replaced by a new one at its
 * next use. The requests are counted, so that they can be taken out of the servers' counters.
 *
 * Invariant: only the root znodes of runs and znodes below them are changed; the session's
 * callbacks run only in the calls that wait.
 */
#ifndef FLEET_SETUP_SESSION_H
#define FLEET_SETUP_SESSION_H

#include "base/error.h"
#include "client/client.h"
#include "client/connect.h"
#include "fleet/sync_session.h"
#include "servers/ensemble.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct setup_session {
    struct sync_session session; /* its loop is one in which the owner may wait for more */
    /* While this descriptor is readable a request is not sent and returns ERROR_INTERRUPTED; -1:
     * none does. The owner may change it. */
    int interrupts;
    /* The session's own: */
    uint64_t timeout_ns;
    uint64_t away_ns;                 /* how long to wait for a connection */
    bool gave_up;                     /* the servers have not answered a request */
    char mark[SYNC_SESSION_PATH_MAX]; /* the run's ephemeral znode, or "" */
    int64_t marked_session;           /* the session that made the mark */
    char chroot[sizeof((struct connect_string *)0)->chroot]; /* before every path */
};

/* Opens a session with the servers (chroot included); *setup is the caller's to setup_session_free.
 * ensemble: private servers, which must outlive it, or NULL; when one of them ends, every wait ends
 * with ERROR_SERVER_DIED. timeout_ns bounds every later request, and the opening (twice that with
 * several servers). While `interrupts` is readable nothing is waited for. ERROR_NO_ANSWER if no
 * session is established in time. */
MUST_CHECK enum error_kind setup_session_new(const struct connect_string *servers,
                                             const struct ensemble *ensemble, uint64_t timeout_ns,
                                             int interrupts, struct setup_session **setup,
                                             struct error *error);

/* The same in a simulation, which must outlive it, and in its time. */
MUST_CHECK enum error_kind setup_session_new_simulated(struct sim *sim, uint64_t timeout_ns,
                                                       struct setup_session **setup,
                                                       struct error *error);

/* Ends the session; in a simulation the session ends with the simulation. NULL is fine. */
void setup_session_free(struct setup_session *setup);

/* For a forked child: closes the child's copies, and sends nothing. */
void setup_session_abandon(struct setup_session *setup);

/* Creates a persistent znode. ERROR_EXISTS, ERROR_FORBIDDEN, ERROR_NO_CHROOT (its parent is
 * missing). */
MUST_CHECK enum error_kind setup_session_create(struct setup_session *setup, const char *path,
                                                struct error *error);

/* Creates a znode and deletes it, to find out whether one that is created there can be deleted; if
 * not it ends with the session. Errors as above. */
MUST_CHECK enum error_kind setup_session_try(struct setup_session *setup, const char *path,
                                             struct error *error);

/* Creates so many persistent znodes, whose paths are this one with a number behind it, from 0;
 * several in one transaction. Errors are those of setup_session_create. */
MUST_CHECK enum error_kind setup_session_create_numbered(struct setup_session *setup,
                                                         const char *path, uint32_t count,
                                                         struct error *error);

/* In a simulation, which is new and empty: creates the znode above this one, if not the root. */
MUST_CHECK enum error_kind setup_session_create_parent(struct setup_session *setup,
                                                       const char *path, struct error *error);

/* Creates a persistent znode with this text as its data; errors as above. */
MUST_CHECK enum error_kind setup_session_create_holding(struct setup_session *setup,
                                                        const char *path, const char *text,
                                                        struct error *error);

/* The same, together with a mark below it: an ephemeral znode, which a session that replaces an
 * expired one makes again. */
MUST_CHECK enum error_kind setup_session_create_marked(struct setup_session *setup,
                                                       const char *path, const char *text,
                                                       const char *mark, struct error *error);

/* Waits until the session's server has applied everything that was answered anywhere: it answers a
 * write, here of the znode's data, only after all earlier ones. */
MUST_CHECK enum error_kind setup_session_catch_up(struct setup_session *setup, const char *path,
                                                  struct error *error);

/* Reads a znode's data as text (size bytes at most, with a NUL). A missing znode has the text "".
 */
MUST_CHECK enum error_kind setup_session_read(struct setup_session *setup, const char *path,
                                              char *text, size_t size, struct error *error);

MUST_CHECK enum error_kind setup_session_exists(struct setup_session *setup, const char *path,
                                                bool *exists, struct error *error);

/* Writes the znode's data, which may be lost, and does not wait, if the session is established and
 * idle: a server that has lost a wake-up of its own goes on when any server commits a write
 * (ZOOKEEPER-4537, docs/method.md). The reply comes in turns of the loop, and may never come;
 * every other request waits for it first. If the session is not idle, nudges its server instead. */
void setup_session_wake(struct setup_session *setup, const char *path);

/* Whether it has the reply to everything that it has sent. */
bool setup_session_is_idle(const struct setup_session *setup);

/* The names of the znode's children, in no order and valid until the next call, and their number.
 * names may be NULL. */
MUST_CHECK enum error_kind setup_session_list_children(struct setup_session *setup,
                                                       const char *path, const char *const **names,
                                                       size_t *count, struct error *error);

/* Deletes a znode and all znodes below it. A missing znode is no error. */
MUST_CHECK enum error_kind setup_session_delete_tree(struct setup_session *setup, const char *path,
                                                     struct error *error);

/* The most pings that the session can have sent since a time. */
uint64_t setup_session_pings(const struct setup_session *setup, uint64_t since_ns);

/* Whether the session has kept its connection since a time. */
bool setup_session_stayed(const struct setup_session *setup, uint64_t since_ns);

#endif

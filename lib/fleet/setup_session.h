// SPDX-License-Identifier: Apache-2.0
/*
 * setup_session: a session with synchronous requests, and the loop in which it waits: zkherd's own,
 * which creates the znodes of a run and deletes them, and that of the browser
 * (bench/target/browser.h). Layer: fleet.
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
#include "client/event_loop.h"
#include "servers/ensemble.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ the loop
 *
 * A client/event_loop.h and the monotonic clock; or the agenda of a simulation and its time, which
 * passes only in loop_turn. */

struct loop {
    struct event_loop *event_loop; /* real servers; else NULL */
    struct sim *sim;               /* a simulation; else NULL */
};

uint64_t loop_now_ns(const struct loop *loop);

/* Whether a descriptor of signals has something to read; -1: there is none. */
bool loop_is_interrupted(int signals);

/* Handles what is ready in the event loop, or the simulation's next event; waits for that until
 * until_ns at most. Errors of event_loop_poll. */
MUST_CHECK enum error_kind loop_turn(const struct loop *loop, uint64_t until_ns,
                                     struct error *error);

/* ------------------------------------------------------------------ the session */

#define SETUP_SESSION_PATH_MAX 512

/* What a session has sent, and lost. */
struct setup_session_traffic {
    uint64_t requests, writes; /* writes: those of the requests that are no reads */
    uint64_t losses; /* of its connection: what was under way may be counted here, or not */
};

struct setup_session {
    struct loop loop; /* the owner may wait for more in it */
    struct client *client;
    /* While this descriptor is readable no connection is waited for and no request is sent, but
     * ERROR_INTERRUPTED is returned; -1: never. The owner may change it. */
    int interrupts;
    struct setup_session_traffic traffic; /* so far */
    struct client_reply reply;            /* the last reply, without its path and its value */
    char *value;                          /* data of the last get, with a NUL; NULL at first */
    size_t value_length;                  /* bytes in `value`, without the NUL */
    const char **names;        /* of the last list; one allocation with the texts behind them */
    struct event_loop *beside; /* polled in every wait, so that its sessions last; or NULL */
    /* Called when a watch of setup_session_ask has fired; may be NULL. The owner's. */
    void (*notified)(void *context, enum client_event event, const char *path);
    void *context;
    /* The session's own: */
    char servers[CONNECT_TEXT_SIZE]; /* as the user typed them, in errors */
    char hosts[CONNECT_TEXT_SIZE];   /* the servers' addresses, for the client library */
    char chroot[sizeof((struct connect_string *)0)->chroot]; /* before every path */
    const struct ensemble *ensemble; /* private servers, whose death ends a wait; or NULL */
    uint64_t timeout_ns;             /* the longest wait for a reply */
    uint64_t away_ns;                /* the longest wait for a connection, since the last one */
    enum client_state state;
    uint64_t lost_ns; /* when the last connection was lost, or the present session was begun */
    bool nudged;      /* since the last request was sent the server was nudged */
    bool gave_up;     /* the servers have not answered a request in time */
    char mark[SETUP_SESSION_PATH_MAX]; /* the run's ephemeral znode, or "" */
    int64_t marked_session;            /* the session that made the mark */
};

/* Opens a session with the servers (chroot included); *setup is the caller's to setup_session_free.
 * ensemble: private servers, which must outlive it, or NULL; when one of them ends, every wait ends
 * with ERROR_SERVER_DIED. timeout_ns bounds the opening (twice that with several servers) and
 * every later request (the session's timeout of 15 s at least with several servers).
 * ERROR_NO_ANSWER, ERROR_INTERRUPTED. */
MUST_CHECK enum error_kind setup_session_new(const struct connect_string *servers,
                                             const struct ensemble *ensemble, uint64_t timeout_ns,
                                             int interrupts, struct setup_session **setup,
                                             struct error *error);

/* The same in a simulation, which must outlive it, and in its time. */
MUST_CHECK enum error_kind setup_session_new_simulated(struct sim *sim, uint64_t timeout_ns,
                                                       struct setup_session **setup,
                                                       struct error *error);

/* Ends the session; in a simulation it ends with the simulation. NULL is fine. In a forked child
 * setup_session_abandon closes the child's copies, and sends nothing. */
void setup_session_free(struct setup_session *setup);
void setup_session_abandon(struct setup_session *setup);

/* Whether it has the reply to everything that it has sent. */
bool setup_session_is_idle(const struct setup_session *setup);

/* Since a time: the most pings that the session can have sent, and whether it has kept its
 * connection. */
uint64_t setup_session_pings(const struct setup_session *setup, uint64_t since_ns);
bool setup_session_stayed(const struct setup_session *setup, uint64_t since_ns);

/* ------------------------------------------------------------------ znodes */

/* Creates a persistent znode with this text as its data. ERROR_EXISTS, ERROR_FORBIDDEN,
 * ERROR_NO_CHROOT (its parent is missing). */
MUST_CHECK enum error_kind setup_session_create(struct setup_session *setup, const char *path,
                                                const char *text, struct error *error);

/* The same, together with a mark below it: an ephemeral znode, which a session that replaces an
 * expired one makes again. */
MUST_CHECK enum error_kind setup_session_create_marked(struct setup_session *setup,
                                                       const char *path, const char *text,
                                                       const char *mark, struct error *error);

/* Creates `count` persistent znodes, whose paths are this one with a number behind it, from 0;
 * several in one transaction. */
MUST_CHECK enum error_kind setup_session_create_numbered(struct setup_session *setup,
                                                         const char *path, uint32_t count,
                                                         struct error *error);

/* Creates a znode and deletes it, to find out whether one that is created there can be deleted; if
 * not it ends with the session. */
MUST_CHECK enum error_kind setup_session_try(struct setup_session *setup, const char *path,
                                             struct error *error);

/* Waits until the session's server has applied everything that was answered anywhere: it answers a
 * write, here of the znode's data, only after all earlier ones. */
MUST_CHECK enum error_kind setup_session_catch_up(struct setup_session *setup, const char *path,
                                                  struct error *error);

/* Sends a request, once, and waits for the reply, whose status may be any. about: in errors. */
MUST_CHECK enum error_kind setup_session_ask(struct setup_session *setup,
                                             const struct request *request, const char *about,
                                             struct error *error);

/* Sends a read (OP_GET, OP_EXISTS, OP_GET_CHILDREN) of a znode, which may be missing: the answer is
 * in reply, value and names. */
MUST_CHECK enum error_kind setup_session_read(struct setup_session *setup, enum operation operation,
                                              const char *path, struct error *error);

MUST_CHECK enum error_kind setup_session_exists(struct setup_session *setup, const char *path,
                                                bool *exists, struct error *error);

/* The names of the znode's children, in no order and valid until the next call, and their number.
 * names may be NULL. */
MUST_CHECK enum error_kind setup_session_list_children(struct setup_session *setup,
                                                       const char *path, const char *const **names,
                                                       size_t *count, struct error *error);

/* Deletes a znode and all znodes below it. A missing znode is no error. */
MUST_CHECK enum error_kind setup_session_delete_tree(struct setup_session *setup, const char *path,
                                                     struct error *error);

/* ------------------------------------------------------------------ servers that have stopped
 *
 * A server that has lost a wake-up of its own goes on when any server commits a write, or when
 * another request comes to it (ZOOKEEPER-4537, docs/method.md). */

/* If a request has had no reply for a second: asks once whether the znode / exists. The session is
 * idle when it has both replies. */
void setup_session_nudge(struct setup_session *setup);

/* Writes the znode's data, which may be lost, and does not wait, if the session is established and
 * idle; if not, nudges its server. The reply comes in turns of the loop, and may never come; every
 * other request waits for it first. */
void setup_session_wake(struct setup_session *setup, const char *path);

#endif

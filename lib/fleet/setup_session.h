// SPDX-License-Identifier: Apache-2.0
/*
 * setup_session: zkherd's own session, which creates the znodes of a run and deletes them; and what
 * it is made of: a loop, and a session with synchronous requests. Layer: fleet.
 *
 * Each call waits for its reply, up to a deadline. After a lost connection reads and deletes are
 * sent again; an expired session is replaced by a new one at its next use. The requests are
 * counted, so that they can be taken out of the servers' counters.
 *
 * Invariant: only the root znodes of runs and znodes below them are changed; the session's
 * callbacks run only in the calls that wait.
 */
#ifndef FLEET_SETUP_SESSION_H
#define FLEET_SETUP_SESSION_H

#include "base/error.h"
#include "client/client.h"
#include "client/connect.h"
#include "client/event_loop.h"
#include "servers/ensemble.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the name of a run's root znode begins, right below the chroot. */
#define RUN_ROOT_PREFIX "zkherd-"

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

/* ------------------------------------------------------------------ synchronous requests
 *
 * What the set-up session and the browser (bench/target/browser.h) share: they decide what to ask,
 * how long to wait, and what to ask again. */

#define SYNC_SESSION_TIMEOUT_MS 15000
#define SETUP_SESSION_PATH_MAX  512

struct sync_session {
    const char *purpose; /* the subject of ERROR_INTERRUPTED */
    struct loop loop;
    struct client *client;
    char servers[CONNECT_TEXT_SIZE]; /* as the user typed them */
    char hosts[CONNECT_TEXT_SIZE];   /* the servers' addresses, for the client library */
    uint64_t requests;               /* requests sent so far */
    uint64_t writes;                 /* those of them that are no reads */
    uint64_t notifications;          /* received so far */
    uint64_t losses;                 /* of connections so far */
    uint64_t lost_ns; /* when the last connection was lost, or the present session was begun */
    enum client_state state;
    bool settled;     /* the session is established or has expired */
    bool lost;        /* a connection was lost since the owner set this to false */
    bool changed;     /* a watch has fired, or may have, since the owner set this to false */
    bool interrupted; /* set by the owner: every wait ends with ERROR_INTERRUPTED */
    /* Called for every watch that fires, if not NULL; set by the owner. */
    void (*heard)(void *context, const char *path);
    void *hearer;                    /* its context */
    const struct ensemble *ensemble; /* private servers, whose death ends a wait; or NULL */
    bool replied;
    struct client_reply reply;            /* the last reply, without its path and its value */
    char created[SETUP_SESSION_PATH_MAX]; /* the path of the last znode that was created */
    char *value;         /* data of the last get, with a NUL; NULL before the first */
    size_t value_length; /* bytes in `value`, without the NUL */
    const char **names;  /* of the last list; one allocation with the texts behind them */
};

/* How long to wait, and the detail of ERROR_NO_ANSWER: "<why> <about>". */
struct sync_session_limit {
    uint64_t until_ns;      /* of the loop's clock */
    uint64_t since_loss_ns; /* sync_session_connect waits until lost_ns + this at least */
    const char *why;
    const char *about;
};

/* Begins to open a session with the servers (chroot included), on an event loop of its own; with
 * NULL for the servers in the simulation, which must outlive the session's use. Whatever it
 * returns, sync_session_close ends it. Errors of event_loop_new, event_loop_open and sim_open. */
MUST_CHECK enum error_kind sync_session_open(struct sync_session *session, const char *purpose,
                                             const struct connect_string *servers, struct sim *sim,
                                             struct error *error);

/* Ends the session; in a simulation the session ends with the simulation. */
void sync_session_close(struct sync_session *session);

/* Waits until *come is true. ERROR_NO_ANSWER, ERROR_INTERRUPTED, and errors of ensemble_check and
 * loop_turn. */
MUST_CHECK enum error_kind sync_session_await(struct sync_session *session, const bool *come,
                                              const struct sync_session_limit *limit,
                                              struct error *error);

/* Handles what has arrived since the last call, and waits until the session is established. An
 * expired session is replaced by a new one, without watches. Errors of sync_session_await and
 * event_loop_open. */
MUST_CHECK enum error_kind sync_session_connect(struct sync_session *session,
                                                struct sync_session_limit limit,
                                                struct error *error);

/* Sends a request on an established session, and waits for its reply, which may be
 * ZK_CONNECTION_LOSS. Errors of sync_session_await, after which nothing more can be asked. */
MUST_CHECK enum error_kind sync_session_ask(struct sync_session *session,
                                            const struct request *request,
                                            const struct sync_session_limit *limit,
                                            struct error *error);

/* ------------------------------------------------------------------ the set-up session */

struct setup_session {
    struct sync_session session; /* its loop is one in which the owner may wait for more */
    /* While this descriptor is readable a request is not sent and returns ERROR_INTERRUPTED; -1:
     * none does. The owner may change it. */
    int interrupts;
    /* The session's own: */
    uint64_t timeout_ns;
    uint64_t away_ns;                  /* how long to wait for a connection */
    bool gave_up;                      /* the servers have not answered a request */
    bool probing;                      /* a probe was sent whose time was not taken */
    char mark[SETUP_SESSION_PATH_MAX]; /* the run's ephemeral znode, or "" */
    int64_t marked_session;            /* the session that made the mark */
    char chroot[sizeof((struct connect_string *)0)->chroot]; /* before every path */
};

/* Opens a session with the servers (chroot included); *setup is the caller's to setup_session_free.
 * ensemble: private servers, which must outlive it, or NULL; when one of them ends, every wait ends
 * with ERROR_SERVER_DIED. timeout_ns also bounds every later request. While `interrupts` is
 * readable nothing is waited for. ERROR_NO_ANSWER if no session is established in time. */
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

/* Sends any request that may be sent twice, or creates a sequential znode, and waits for the reply.
 * ERROR_NONE also if there is no such znode, or there is one already: session.reply has the status.
 */
MUST_CHECK enum error_kind setup_session_ask(struct setup_session *setup,
                                             const struct request *request, struct error *error);

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

/* A session of the same run that has made a mark is to be given up: this one makes the mark again,
 * as its own. Nothing is asked of the earlier session, whose server may hang. Errors of
 * setup_session_delete_tree. */
MUST_CHECK enum error_kind setup_session_inherit(struct setup_session *setup,
                                                 const struct setup_session *earlier,
                                                 struct error *error);

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

/* Begins to read whether a znode exists, for the time that this takes, if the session is
 * established and no probe is under way. The reply comes in turns of the loop, and may never come;
 * every other request waits for it first. */
void setup_session_probe(struct setup_session *setup, const char *path);

/* Whether a probe is under way. */
bool setup_session_is_probing(const struct setup_session *setup);

/* Takes the time of the last probe, from the call to the reply, once. False: there is none, or its
 * connection was lost. */
bool setup_session_take_probe(struct setup_session *setup, uint64_t *took_ns);

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

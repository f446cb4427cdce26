// SPDX-License-Identifier: Apache-2.0
/*
 * sync_session: a session of zkherd's own, with synchronous requests. Layer: fleet.
 *
 * The set-up session (fleet/setup_session.h) and the browser (bench/target/browser.h) share it.
 * They decide what to ask, how long to wait, and what to ask again.
 *
 * Invariant: the session's callbacks run only in the calls that wait.
 */
#ifndef FLEET_SYNC_SESSION_H
#define FLEET_SYNC_SESSION_H

#include "base/error.h"
#include "client/client.h"
#include "client/connect.h"
#include "fleet/loop.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

#define SYNC_SESSION_TIMEOUT_MS 15000
#define SYNC_SESSION_VALUE_MAX  256

struct sync_session {
    const char *purpose; /* the subject of ERROR_INTERRUPTED */
    struct loop loop;
    struct client *client;
    char servers[CONNECT_TEXT_SIZE]; /* as the user typed them */
    char hosts[CONNECT_TEXT_SIZE];   /* the servers' addresses, for the client library */
    uint64_t requests;               /* requests sent so far */
    uint64_t lost_ns; /* when the last connection was lost, or the present session was begun */
    enum client_state state;
    bool settled;     /* the session is established or has expired */
    bool lost;        /* a connection was lost since the owner set this to false */
    bool changed;     /* a watch has fired, or may have, since the owner set this to false */
    bool interrupted; /* set by the owner: every wait ends with ERROR_INTERRUPTED */
    const struct ensemble *ensemble; /* private servers, whose death ends a wait; or NULL */
    bool replied;
    struct client_reply reply;              /* the last reply, without its path and its value */
    char value[SYNC_SESSION_VALUE_MAX + 1]; /* data of the last get, cut to fit, with a NUL */
    size_t value_length;                    /* bytes in `value`, without the NUL */
    const char **names; /* of the last list; one malloc'd block with the texts behind them */
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
 * ZK_CONNECTION_LOSS. Errors of sync_session_await, after which nothing more can be asked, and
 * ERROR_NO_MEMORY for a list of names. */
MUST_CHECK enum error_kind sync_session_ask(struct sync_session *session,
                                            const struct request *request,
                                            const struct sync_session_limit *limit,
                                            struct error *error);

#endif

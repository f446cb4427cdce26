// SPDX-License-Identifier: Apache-2.0
/*
 * sync_session: a session with synchronous requests, and the loop in which it waits. Layer: fleet.
 *
 * What the set-up session (setup_session.h) and the browser (bench/target/browser.h) share: they
 * decide what to ask, how long to wait, and what to ask again.
 *
 * Invariant: the callbacks run only in the calls that wait.
 */
#ifndef FLEET_SYNC_SESSION_H
#define FLEET_SYNC_SESSION_H

#include "base/error.h"
#include "client/client.h"
#include "client/connect.h"
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

/* ------------------------------------------------------------------ synchronous requests */

#define SYNC_SESSION_TIMEOUT_MS 15000
#define SYNC_SESSION_PATH_MAX   512

/* What a session has sent, and received. */
struct sync_session_traffic {
    uint64_t requests, writes; /* writes: those of the requests that are no reads */
    uint64_t losses; /* of its connection: what was under way may be counted here, or not */
};

struct sync_session {
    struct loop loop;
    struct client *client;
    char servers[CONNECT_TEXT_SIZE];     /* as the user typed them, in errors */
    char hosts[CONNECT_TEXT_SIZE];       /* the servers' addresses, for the client library */
    struct sync_session_traffic traffic; /* so far */
    uint64_t lost_ns; /* when the last connection was lost, or the present session was begun */
    enum client_state state;
    bool settled;                    /* the session is established or has expired */
    bool interrupted;                /* set by the owner: every wait ends with ERROR_INTERRUPTED */
    const struct ensemble *ensemble; /* private servers, whose death ends a wait; or NULL */
    bool replied;                    /* to everything that was sent */
    struct client_reply reply;       /* the last reply, without its path and its value */
    char *value;                     /* data of the last get, with a NUL; NULL before the first */
    size_t value_length;             /* bytes in `value`, without the NUL */
    const char **names; /* of the last list; one allocation with the texts behind them */
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
MUST_CHECK enum error_kind sync_session_open(struct sync_session *session,
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

/* Sends a request on an established session. */
void sync_session_send(struct sync_session *session, const struct request *request);

/* If a request has had no reply for a second: asks once whether the znode / exists. A server that
 * has lost a wake-up of its own processes the earlier request when another one comes
 * (ZOOKEEPER-4537, docs/method.md). The session has replied when it has both replies. */
void sync_session_nudge(struct sync_session *session);

/* Waits for the reply to what was sent last, which may be ZK_CONNECTION_LOSS; nudges the server.
 * Errors of sync_session_await, after which nothing more can be asked. */
MUST_CHECK enum error_kind sync_session_await_reply(struct sync_session *session,
                                                    const struct sync_session_limit *limit,
                                                    struct error *error);

/* Both. */
MUST_CHECK enum error_kind sync_session_ask(struct sync_session *session,
                                            const struct request *request,
                                            const struct sync_session_limit *limit,
                                            struct error *error);

#endif

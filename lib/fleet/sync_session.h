// SPDX-License-Identifier: Apache-2.0
/*
 * sync_session: a session of zkherd's own, which asks and waits for the answer. Layer: fleet.
 *
 * It is what the set-up session (fleet/setup_session.h) and the browser (bench/target/browser.h)
 * have in common. They know what to ask, how long to wait, and what may be asked twice; it keeps
 * their loop going while they wait, and remembers what the session has heard.
 *
 * Invariant: nothing is heard but in the calls that wait.
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
    char hosts[CONNECT_TEXT_SIZE];   /* their addresses, for the client library */
    uint64_t requests;               /* requests sent so far */
    uint64_t lost_ns; /* when the last connection was lost, or the present session begun */
    enum client_state state;
    bool settled; /* the session stands or has expired: it is not connecting */
    bool lost;    /* a connection was lost since the owner set this to false */
    bool changed; /* a watch fired, or may have fired unheard, since the owner set this to false */
    bool interrupted; /* set by the owner: every wait ends with ERROR_INTERRUPTED */
    const struct ensemble
        *ensemble; /* private servers: a wait ends when one of them has ended; NULL: none */
    bool replied;
    struct client_reply reply;              /* the last reply, without its path and its value */
    char value[SYNC_SESSION_VALUE_MAX + 1]; /* data of the last get, as far as it fits, and a NUL */
    size_t value_length;                    /* bytes in `value`, without the NUL */
    const char **names; /* of the last list; one malloc'd block with the texts behind them */
};

/* How long to wait, and the detail of ERROR_NO_ANSWER: "<why> <about>". */
struct sync_session_limit {
    uint64_t until_ns;      /* by the loop's clock */
    uint64_t since_loss_ns; /* sync_session_connect: at least until lost_ns and this */
    const char *why;
    const char *about;
};

/* Begins to open a session with the servers (chroot included), on an event loop of its own; with
 * NULL for the servers in the simulation, which must outlive the session's use. Whatever it
 * returns, sync_session_close ends it. Errors of event_loop_new, event_loop_open and sim_open. */
MUST_CHECK enum error_kind sync_session_open(struct sync_session *session, const char *purpose,
                                             const struct connect_string *servers, struct sim *sim,
                                             struct error *error);

/* Ends the session; one in a simulation ends with that. */
void sync_session_close(struct sync_session *session);

/* Waits until *come is true. ERROR_NO_ANSWER, ERROR_INTERRUPTED, and those of ensemble_check and of
 * loop_turn. */
MUST_CHECK enum error_kind sync_session_await(struct sync_session *session, const bool *come,
                                              const struct sync_session_limit *limit,
                                              struct error *error);

/* Hears what has come meanwhile (the connection of a session in which nobody has lived for a while
 * may be gone without a word), and waits until the session stands. One that has expired is followed
 * by another, and the watches of the former are gone. Those of sync_session_await and
 * event_loop_open. */
MUST_CHECK enum error_kind sync_session_connect(struct sync_session *session,
                                                struct sync_session_limit limit,
                                                struct error *error);

/* Sends a request, while the session stands, and waits for its reply, which may be that the
 * connection was lost. Those of sync_session_await, after which nothing more can be asked, and
 * ERROR_NO_MEMORY for a list of names. */
MUST_CHECK enum error_kind sync_session_ask(struct sync_session *session,
                                            const struct request *request,
                                            const struct sync_session_limit *limit,
                                            struct error *error);

#endif

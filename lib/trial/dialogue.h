// SPDX-License-Identifier: Apache-2.0
/*
 * dialogue: a session of zkherd's own, which asks and waits for the answer. Layer: trial.
 *
 * It is what the steward (trial/steward.h) and the browser (bench/browser.h) have in common. They
 * know what to ask, how long to wait, and what may be asked twice; it keeps their stage going while
 * they wait, and remembers what the session has heard.
 *
 * Invariant: nothing is heard but in the calls that wait.
 */
#ifndef TRIAL_DIALOGUE_H
#define TRIAL_DIALOGUE_H

#include "base/fault.h"
#include "trial/stage.h"
#include "zk/client.h"
#include "zk/connect.h"
#include "zk/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

#define DIALOGUE_SESSION_TIMEOUT_MS 15000
#define DIALOGUE_VALUE_MAX          256

struct dialogue {
    const char *purpose; /* the subject of FAULT_INTERRUPTED */
    struct stage stage;
    struct client *client;
    char servers[CONNECT_TEXT_SIZE]; /* as they were typed */
    char hosts[CONNECT_TEXT_SIZE];   /* as they are connected to */
    uint64_t requests;               /* sent so far */
    uint64_t lost_ns;                /* when a connection was last lost, or another session begun */
    enum client_state state;
    bool settled;     /* it is not connecting: the session stands, or has expired */
    bool lost;        /* a connection, since its owner set this to false */
    bool changed;     /* the same: a watch has fired, or one may have without a word */
    bool interrupted; /* its owner's to set: whatever waits is to end … */
    const struct ensemble *ensemble; /* … and this: so it is when one of its servers has ended */
    bool replied;
    struct client_reply reply;          /* the last, without its path and its value */
    char value[DIALOGUE_VALUE_MAX + 1]; /* of the last get, as much as fits, and a NUL */
    size_t value_length;                /* of what is there */
    const char **names; /* of the last list and, behind them, what they point to; malloc'd */
};

/* For how long something is waited for, and, of FAULT_NO_ANSWER, the words: "why about". */
struct dialogue_limit {
    uint64_t until_ns;      /* by the stage's clock */
    uint64_t since_loss_ns; /* dialogue_connect: so long after lost_ns, if that is later */
    const char *why;
    const char *about;
};

/* Begins to open a session with the servers (chroot included), on an event loop of its own. What
 * there is of it is ended by dialogue_close, on a fault too. Those of events_new and events_open.
 */
MUST_CHECK enum fault_kind dialogue_open(struct dialogue *dialogue, const char *purpose,
                                         const struct connect_string *servers, struct fault *fault);

/* The same in a simulation, which must outlive the dialogue's use. */
MUST_CHECK enum fault_kind dialogue_open_simulated(struct dialogue *dialogue, const char *purpose,
                                                   struct simulated *simulated,
                                                   struct fault *fault);

/* Ends the session; one in a simulation ends with that. */
void dialogue_close(struct dialogue *dialogue);

/* Waits until *come is true. FAULT_NO_ANSWER, FAULT_INTERRUPTED, and those of ensemble_check and of
 * stage_turn. */
MUST_CHECK enum fault_kind dialogue_await(struct dialogue *dialogue, const bool *come,
                                          const struct dialogue_limit *limit, struct fault *fault);

/* Hears what has come meanwhile (the connection of a session in which nobody has lived for a while
 * may be gone without a word), and waits until the session stands. One that has expired is followed
 * by another, and the watches of the former are gone. Those of dialogue_await and events_open. */
MUST_CHECK enum fault_kind dialogue_connect(struct dialogue *dialogue, struct dialogue_limit limit,
                                            struct fault *fault);

/* Sends a request, while the session stands, and waits for its reply, which may be that the
 * connection was lost. Those of dialogue_await, after which nothing more can be asked, and
 * FAULT_NO_MEMORY for a list of names. */
MUST_CHECK enum fault_kind dialogue_ask(struct dialogue *dialogue,
                                        const struct client_request *request,
                                        const struct dialogue_limit *limit, struct fault *fault);

#endif

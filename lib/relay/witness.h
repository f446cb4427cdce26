// SPDX-License-Identifier: Apache-2.0
/*
 * witness: a relay in a process of its own, and what it has read of the sessions that connect
 * through it. Layer: relay.
 *
 * The sessions under test connect through it, and nobody else does: zkherd's own session,
 * four-letter words and the load of --background go to the servers directly. So everything that it
 * reads, from its start on, is of these sessions. A process, because a relay in the coordinator
 * would be late while the coordinator asks the servers or looks at the sessions.
 *
 * Invariant: a reading has each message that a session had received when the reading was asked for,
 * and each request of which the session had the reply. For the process reads a message in the turn
 * of its loop in which it passes the message on, and answers between two turns: nothing is to be
 * waited for.
 */
#ifndef RELAY_WITNESS_H
#define RELAY_WITNESS_H

#include "base/error.h"
#include "client/connect.h"
#include "measure/tally.h"
#include "relay/conversation.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness {
    pid_t pid;
    int descriptor;                /* for questions and answers */
    struct connect_string connect; /* for the sessions: a port for each server, in their order */
};

/* Starts a relay to these servers (resolved), which ends with this process at the latest. On
 * success witness_end is due. To be called while the program has one thread. Errors of relay_new
 * and of errno. */
MUST_CHECK enum error_kind witness_start(const struct connect_string *servers,
                                         struct witness *witness, struct error *error);

/* Ends the relay, and with it every connection through it. A witness that is all zero is fine. */
void witness_end(struct witness *witness);

/* What was read since the start, without the opening, the credentials and the closing of sessions.
 */
struct witness_reading {
    struct tally tally; /* without notifications that did not wake their session, and with bytes
                           without those of pings */
    uint64_t requests;  /* all but pings and credentials, of whatever kind */
    uint64_t pings[CONVERSATION_SIDES]; /* and the replies to them */
};

/* ERROR_WORKER_DIED if the relay has ended. */
MUST_CHECK enum error_kind witness_read(const struct witness *witness,
                                        struct witness_reading *reading, struct error *error);

/* A count in which a reading differs from the sessions' own. */
struct witness_difference {
    enum tally_kind kind; /* TALLY_KINDS: all requests */
    uint64_t wire, sessions;
};

/* Whether there is one; *difference becomes the first. The sessions' bytes may have those of as
 * many pings as were read: the kernel counts them, and the library does not tell when it sends one.
 * had_death: a session has died, and may have died before it took what had come for it. */
bool witness_differs(const struct witness_reading *reading, const struct tally *sessions,
                     bool had_death, struct witness_difference *difference);

#endif

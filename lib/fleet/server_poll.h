// SPDX-License-Identifier: Apache-2.0
/*
 * server_poll: asks all servers for their counters and roles while a fleet runs, and waits for no
 * answer. Layer: fleet, above server_counters.
 *
 * server_poll_ask asks every server that does not owe an answer, by mntr, or by srvr if its
 * whitelist refuses mntr. The answers come while the loop turns; those of a simulation at once. A
 * server that hangs owes its answer for as long as it likes, and is asked nothing else meanwhile.
 *
 * Invariant: every word that a server has counted is in server_counters.words; if it is not known
 * whether a server has counted one, or if a server has begun to count anew, asked_again is set.
 */
#ifndef FLEET_SERVER_POLL_H
#define FLEET_SERVER_POLL_H

#include "fleet/server_counters.h"
#include "fleet/setup_session.h"

#include <stdbool.h>
#include <stdint.h>

/* How the last question to a server has ended. */
enum server_poll_state {
    SERVER_POLL_OWES,     /* not yet */
    SERVER_POLL_ANSWERED, /* mntr, or srvr alone */
    SERVER_POLL_ABSENT,   /* it refuses connections: nobody counts anything */
    SERVER_POLL_UNSERVED, /* it answers that it does not serve: it has no quorum */
    SERVER_POLL_UNKNOWN,  /* otherwise; it is not asked if its whitelist refuses both words */
};

struct server_poll_answer {
    enum server_poll_state state;
    uint64_t asked_ns; /* of the loop's time */
    uint64_t came_ns;  /* when the question ended */
    enum role role;    /* ANSWERED: of the server; ROLE_UNKNOWN if it does not tell */
    bool has_counters; /* ANSWERED: it is mntr's; else *counters is unchanged */
    struct four_letter_counters counters;
};

struct server_poll;

/* Lays out a poll of the servers of `counters`, whose hosts must be addresses (tcp_resolve). On
 * success *poll is the caller's to server_poll_free; counters and loop must outlive it.
 * ERROR_NO_MEMORY, and those of errno and of event_loop_watch. */
MUST_CHECK enum error_kind server_poll_new(struct server_counters *counters,
                                           const struct loop *loop, struct server_poll **poll,
                                           struct error *error);

/* Gives up the questions that are open. NULL is fine. */
void server_poll_free(struct server_poll *poll);

void server_poll_ask(struct server_poll *poll);

/* Whether no server owes an answer. */
bool server_poll_is_settled(const struct server_poll *poll);

/* Those of all servers, in their order; they change while the loop turns. */
const struct server_poll_answer *server_poll_answers(const struct server_poll *poll);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * set-up session: the driver's own session, which lays out the znodes of a run and clears them
 * away. Layer: fleet.
 *
 * Its calls are synchronous: each waits for its reply, up to a deadline. Questions and deletions
 * outlive a connection that is lost: they are sent again on the next one. A session that has
 * expired, as one does in which nobody lived for a while, is followed by another at its next use.
 * Its requests are not among those that are measured; it counts them, so that they can be told from
 * the others in a server's counters.
 *
 * Invariant: it works under the root znodes of runs and nowhere else.
 */
#ifndef FLEET_SETUP_SESSION_H
#define FLEET_SETUP_SESSION_H

#include "base/error.h"
#include "client/connect.h"
#include "fleet/loop.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct setup_session;

/* Opens a session with the servers (chroot included), within timeout_ns; *setup is the
 * caller's to setup_session_free. If they are private ones, of this ensemble and not NULL, which
 * must outlive the set-up session's use, whatever waits for them here ends as ERROR_SERVER_DIED
 * with one of them. ERROR_NO_ANSWER when no session could be had in time. */
MUST_CHECK enum error_kind setup_session_new(const struct connect_string *servers,
                                             const struct ensemble *ensemble, uint64_t timeout_ns,
                                             struct setup_session **setup, struct error *error);

/* The same in a simulation, which must outlive the set-up session's use; timeout_ns is of its time.
 */
MUST_CHECK enum error_kind setup_session_new_simulated(struct sim *sim, uint64_t timeout_ns,
                                                       struct setup_session **setup,
                                                       struct error *error);

/* Ends the session; one in a simulation ends with that. NULL is fine. */
void setup_session_free(struct setup_session *setup);

/* For a forked child: lets go of the parent's session without a word to the server. */
void setup_session_abandon(struct setup_session *setup);

/* From here on every call below that asks the servers is ERROR_INTERRUPTED, with nothing asked,
 * while this descriptor is readable; -1, as at first: none is. What is to be cleared away all the
 * same takes a -1. */
void setup_session_heed(struct setup_session *setup, int interrupts);

/* The loop that the set-up session's session lives in: for what its owner waits for besides. */
const struct loop *setup_session_loop(const struct setup_session *setup);

/* Creates a persistent znode. ERROR_EXISTS, ERROR_FORBIDDEN, ERROR_NO_CHROOT (its parent is
 * missing).
 */
MUST_CHECK enum error_kind setup_session_create(struct setup_session *setup, const char *path,
                                                struct error *error);

/* The same, with this text as its data. */
MUST_CHECK enum error_kind setup_session_create_holding(struct setup_session *setup,
                                                        const char *path, const char *text,
                                                        struct error *error);

/* The same, together with a mark below it or none of both: an ephemeral znode, which is there as
 * long as the set-up session's session, and which the set-up session makes again in a session that
 * follows that one. */
MUST_CHECK enum error_kind setup_session_create_marked(struct setup_session *setup,
                                                       const char *path, const char *text,
                                                       const char *mark, struct error *error);

/* Waits until the set-up session's server has caught up with everything that has been answered
 * anywhere: a follower may be behind, but it answers a write, here of the znode's data, in its
 * turn. */
MUST_CHECK enum error_kind setup_session_catch_up(struct setup_session *setup, const char *path,
                                                  struct error *error);

/* Reads a znode's data as text (size bytes at most, terminated); that of a znode that is gone is
 * "".
 */
MUST_CHECK enum error_kind setup_session_read(struct setup_session *setup, const char *path,
                                              char *text, size_t size, struct error *error);

MUST_CHECK enum error_kind setup_session_exists(struct setup_session *setup, const char *path,
                                                bool *exists, struct error *error);

/* How many children the znode has. */
MUST_CHECK enum error_kind setup_session_count_children(struct setup_session *setup,
                                                        const char *path, size_t *count,
                                                        struct error *error);

/* The names of the znode's children, in no order: the set-up session's, until its next call. */
MUST_CHECK enum error_kind setup_session_list_children(struct setup_session *setup,
                                                       const char *path, const char *const **names,
                                                       size_t *count, struct error *error);

/* Deletes a znode and all that is below it; a znode that is gone already is no error. */
MUST_CHECK enum error_kind setup_session_delete_tree(struct setup_session *setup, const char *path,
                                                     struct error *error);

/* See client_server. */
void setup_session_server(const struct setup_session *setup, char *text, size_t size);

/* Requests sent so far, the session's own connect not included. */
uint64_t setup_session_requests(const struct setup_session *setup);

/* The most pings that the session can have sent since then (pings.h). */
uint64_t setup_session_pings(const struct setup_session *setup, uint64_t since_ns);

/* Whether its connection has stood since then. */
bool setup_session_stayed(const struct setup_session *setup, uint64_t since_ns);

#endif

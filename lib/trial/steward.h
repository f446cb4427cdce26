// SPDX-License-Identifier: Apache-2.0
/*
 * steward: the driver's own session, which lays out the znodes of a run and clears them away.
 * Layer: trial.
 *
 * Its calls are synchronous: each waits for its reply, up to a deadline. Questions and deletions
 * outlive a connection that is lost: they are sent again on the next one. A session that has
 * expired, as one does in which nobody lived for a while, is followed by another at its next use.
 * Its requests are not among those that are measured; it counts them, so that they can be told from
 * the others in a server's counters.
 *
 * Invariant: it works under the root znodes of runs and nowhere else.
 */
#ifndef TRIAL_STEWARD_H
#define TRIAL_STEWARD_H

#include "base/fault.h"
#include "trial/stage.h"
#include "zk/connect.h"
#include "zk/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct steward;

/* Opens a session with the servers (chroot included), within timeout_ns; *steward is the caller's
 * to steward_free. If they are private ones, of this ensemble and not NULL, which must outlive the
 * steward's use, whatever waits for them here ends as FAULT_SERVER_DIED with one of them.
 * FAULT_NO_ANSWER when no session could be had in time. */
MUST_CHECK enum fault_kind steward_new(const struct connect_string *servers,
                                       const struct ensemble *ensemble, uint64_t timeout_ns,
                                       struct steward **steward, struct fault *fault);

/* The same in a simulation, which must outlive the steward's use; timeout_ns is of its time. */
MUST_CHECK enum fault_kind steward_new_simulated(struct simulated *simulated, uint64_t timeout_ns,
                                                 struct steward **steward, struct fault *fault);

/* Ends the session; one in a simulation ends with that. NULL is fine. */
void steward_free(struct steward *steward);

/* For a forked child: lets go of the parent's session without a word to the server. */
void steward_abandon(struct steward *steward);

/* From here on every call below that asks the servers is FAULT_INTERRUPTED, with nothing asked,
 * while this descriptor is readable; -1, as at first: none is. What is to be cleared away all the
 * same takes a -1. */
void steward_heed(struct steward *steward, int interrupts);

/* The stage that the steward's session lives in: for what its owner waits for besides. */
const struct stage *steward_stage(const struct steward *steward);

/* Creates a persistent znode. FAULT_EXISTS, FAULT_FORBIDDEN, FAULT_NO_CHROOT (its parent is
 * missing).
 */
MUST_CHECK enum fault_kind steward_create(struct steward *steward, const char *path,
                                          struct fault *fault);

/* The same, with this text as its data. */
MUST_CHECK enum fault_kind steward_create_holding(struct steward *steward, const char *path,
                                                  const char *text, struct fault *fault);

/* The same, together with a mark below it or none of both: an ephemeral znode, which is there as
 * long as the steward's session, and which the steward makes again in a session that follows that
 * one. */
MUST_CHECK enum fault_kind steward_create_marked(struct steward *steward, const char *path,
                                                 const char *text, const char *mark,
                                                 struct fault *fault);

/* Waits until the steward's server has caught up with everything that has been answered anywhere:
 * a follower may be behind, but it answers a write, here of the znode's data, in its turn. */
MUST_CHECK enum fault_kind steward_catch_up(struct steward *steward, const char *path,
                                            struct fault *fault);

/* Reads a znode's data as text (size bytes at most, terminated); that of a znode that is gone is
 * "".
 */
MUST_CHECK enum fault_kind steward_read(struct steward *steward, const char *path, char *text,
                                        size_t size, struct fault *fault);

MUST_CHECK enum fault_kind steward_exists(struct steward *steward, const char *path, bool *exists,
                                          struct fault *fault);

/* How many children the znode has. */
MUST_CHECK enum fault_kind steward_count_children(struct steward *steward, const char *path,
                                                  size_t *count, struct fault *fault);

/* The names of the znode's children, in no order: the steward's, until its next call. */
MUST_CHECK enum fault_kind steward_list_children(struct steward *steward, const char *path,
                                                 const char *const **names, size_t *count,
                                                 struct fault *fault);

/* Deletes a znode and all that is below it; a znode that is gone already is no error. */
MUST_CHECK enum fault_kind steward_delete_tree(struct steward *steward, const char *path,
                                               struct fault *fault);

/* The address of the server that the session is connected to; "" while it is not. size >= 64. */
void steward_server(const struct steward *steward, char *text, size_t size);

/* Requests sent so far, the session's own connect not included. */
uint64_t steward_requests(const struct steward *steward);

/* The most pings that the session can have sent since then (pings.h). */
uint64_t steward_pings(const struct steward *steward, uint64_t since_ns);

/* Whether its connection has stood since then. */
bool steward_stayed(const struct steward *steward, uint64_t since_ns);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * detached: a private ensemble that runs on without the program that started it, at most one for
 * each user. Layer: servers.
 *
 * The state file is named `ensemble`, in a folder that only this user may write to:
 * $XDG_RUNTIME_DIR/zkherd, or else /tmp/zkherd-UID. The folder stays.
 * Invariant: the state file counts only while a supervisor holds a lock on it
 * (servers/supervisor.h). The kernel releases the lock when the supervisor ends, so no process
 * number in a file that was left behind is ever used.
 *
 * A folder that others can use is ERROR_DENIED; errors not named below are the operating system's.
 */
#ifndef SERVERS_DETACHED_H
#define SERVERS_DETACHED_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/ensemble.h"

#include <limits.h>
#include <sys/types.h>

/* The contents of the state file. */
struct detached_ensemble {
    struct connect_string connect;
    pid_t pids[ENSEMBLE_SERVERS_MAX]; /* of the JVMs, in the order of connect */
    char folder[PATH_MAX];            /* of the supervisor */
};

/* The right to start a detached ensemble. */
struct detached_lock {
    int folder;          /* locked */
    char path[PATH_MAX]; /* of the state file */
};

/*
 * Locks the folder, and removes what an ensemble whose supervisor was killed has left. The lock
 * ends with detached_release, or with the program. ERROR_STANDS if an ensemble runs (the subject
 * is its connect string), or is being started.
 */
MUST_CHECK enum error_kind detached_lock(struct detached_lock *lock, struct error *error);
void detached_release(struct detached_lock *lock);

/* Writes the state file, detaches the ensemble, and frees it. On an error nothing has changed. */
MUST_CHECK enum error_kind detached_leave(const struct detached_lock *lock,
                                          struct ensemble *ensemble, struct error *error);

/* Reads the state file. ERROR_MALFORMED, or ERROR_NO_ENSEMBLE: the detail says if one is being
 * started, or if its supervisor was killed; what that one has left is removed. */
MUST_CHECK enum error_kind detached_find(struct detached_ensemble *detached, struct error *error);

/* Reads what a server was started with; "" where that cannot be read. */
void detached_look_at(const struct detached_ensemble *detached, unsigned index,
                      struct server_start *start);

/* The index of the server at an endpoint; -1: none. */
int detached_index_of(const struct detached_ensemble *detached, const struct endpoint *endpoint);

/* Ends the ensemble, and waits until its folder is removed. ERROR_NO_ENSEMBLE, and errors of
 * supervisor_end_detached. */
MUST_CHECK enum error_kind detached_stop(struct error *error);

#endif

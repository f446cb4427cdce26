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
#include "servers/ensemble.h"

/* The contents of the state file. */
struct detached_ensemble {
    struct connect_string connect;
    pid_t pids[ENSEMBLE_SERVERS_MAX]; /* of the JVMs, in the order of connect */
};

/* Locks the right to start an ensemble, until *folder is closed. ERROR_STANDS if one runs (the
 * subject is its connect string), or is being started. */
MUST_CHECK enum error_kind detached_lock(int *folder, struct error *error);

/* Detaches the ensemble, and frees it. On an error nothing has changed. */
MUST_CHECK enum error_kind detached_leave(int folder, struct ensemble *ensemble,
                                          struct error *error);

/* Reads the state file. ERROR_NO_ENSEMBLE, ERROR_MALFORMED. */
MUST_CHECK enum error_kind detached_find(struct detached_ensemble *detached, struct error *error);

/* Ends the ensemble, and waits until its folder is removed, 10 s at most. ERROR_NO_ENSEMBLE,
 * ERROR_SYSTEM, ERROR_DENIED. */
MUST_CHECK enum error_kind detached_stop(struct error *error);

#endif

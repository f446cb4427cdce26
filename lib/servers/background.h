// SPDX-License-Identifier: Apache-2.0
/*
 * background: a private ensemble that goes on without the program that started it, for later ones
 * to use; one a user at a time. Layer: servers.
 *
 * It is remembered in the file `ensemble` of a folder that only this user may write to:
 * $XDG_RUNTIME_DIR/zkherd, or else /tmp/zkherd-UID. The folder stays.
 * Invariant: what the file says counts only while a supervisor has its lock on it
 * (servers/supervisor.h). The kernel releases that when the supervisor ends, however it ends; so a
 * file that was left behind is known as such, and no number in it is ever taken for a process of
 * ours.
 *
 * What is no folder of this user alone is ERROR_DENIED; other errors not named below are the
 * operating system's.
 */
#ifndef SERVERS_BACKGROUND_H
#define SERVERS_BACKGROUND_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/ensemble.h"

#include <limits.h>
#include <sys/types.h>

#define BACKGROUND_TEXT_SIZE 16384

/* What is remembered of it. */
struct background_ensemble {
    struct connect_string connect;
    pid_t pids[ENSEMBLE_SERVERS_MAX]; /* of the JVMs, in that order */
    char folder[PATH_MAX];            /* that everything was written into */
};

/* The right to start one. */
struct background_lock {
    int folder;          /* locked */
    char path[PATH_MAX]; /* of the file */
};

/*
 * Locks the state file, and removes what is left of an ensemble whose supervisor was killed. The
 * lock ends with background_release, or with the program. ERROR_STANDS if an ensemble is there
 * (the subject says where), or just being started.
 */
MUST_CHECK enum error_kind background_lock(struct background_lock *lock, struct error *error);
void background_release(struct background_lock *lock);

/* Leaves a running ensemble there: the state file names it, it is detached, and *ensemble is
 * freed. On an error it is as it was. */
MUST_CHECK enum error_kind background_leave(const struct background_lock *lock,
                                            struct ensemble *ensemble, struct error *error);

/* Finds it. ERROR_MALFORMED, or ERROR_NO_ENSEMBLE: the detail tells if one is being started, or if
 * its supervisor was killed: then what was left is cleared away. */
MUST_CHECK enum error_kind background_find(struct background_ensemble *background,
                                           struct error *error);

/* What one of its servers was started with: the command that runs it, with every flag; its zoo.cfg;
 * the JVM's version as it names itself. "" where that cannot be read. */
struct background_server {
    char command_line[BACKGROUND_TEXT_SIZE];
    char settings_text[BACKGROUND_TEXT_SIZE];
    char java_version[128];
};
void background_look_at(const struct background_ensemble *background, unsigned index,
                        struct background_server *server);

/* Which of its servers is at an endpoint; -1: none. */
int background_index_of(const struct background_ensemble *background,
                        const struct endpoint *endpoint);

/* Ends it, and waits until what was written for it is removed. Errors as those of background_find,
 * and of supervisor_end_detached. */
MUST_CHECK enum error_kind background_stop(struct error *error);

#endif

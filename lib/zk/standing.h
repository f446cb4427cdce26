// SPDX-License-Identifier: Apache-2.0
/*
 * standing: a private ensemble that goes on without the program that started it, for later ones to
 * use; one a user at a time. Layer: zk.
 *
 * It is remembered in the file `ensemble` of a folder that only this user may write to:
 * $XDG_RUNTIME_DIR/zkherd, or else /tmp/zkherd-UID. The folder stays.
 * Invariant: what the file says counts only while a keeper has its lock on it (zk/keeper.h). The
 * kernel releases that when the keeper ends, however it ends; so a file that was left behind is
 * known as such, and no number in it is ever taken for a process of ours.
 *
 * What is no folder of this user alone is FAULT_DENIED; other faults not named below are the
 * operating system's.
 */
#ifndef ZK_STANDING_H
#define ZK_STANDING_H

#include "base/fault.h"
#include "zk/connect.h"
#include "zk/ensemble.h"

#include <limits.h>
#include <sys/types.h>

#define STANDING_TEXT_SIZE 16384

/* What is remembered of it. */
struct standing {
    struct connect_string connect;
    pid_t pids[ENSEMBLE_SERVERS_MAX]; /* of the JVMs, in that order */
    char folder[PATH_MAX];            /* that everything was written into */
};

/* The right to start one. */
struct standing_claim {
    int folder;          /* locked */
    char path[PATH_MAX]; /* of the file */
};

/*
 * Claims the place, and clears away what is left there of an ensemble whose keeper was killed. The
 * claim ends with standing_release, or with the program. FAULT_STANDS if an ensemble is there (the
 * subject says where), or just being started.
 */
MUST_CHECK enum fault_kind standing_claim(struct standing_claim *claim, struct fault *fault);
void standing_release(struct standing_claim *claim);

/* Leaves a running ensemble in the place claimed: it is remembered and detached, and *ensemble is
 * freed. On a fault it is as it was. */
MUST_CHECK enum fault_kind standing_leave(const struct standing_claim *claim,
                                          struct ensemble *ensemble, struct fault *fault);

/* Finds it. FAULT_MALFORMED, or FAULT_NO_ENSEMBLE: the detail tells if one is being started, or if
 * its keeper was killed: then what was left is cleared away. */
MUST_CHECK enum fault_kind standing_find(struct standing *standing, struct fault *fault);

/* What one of its servers was started with: the command that runs it, with every flag; its zoo.cfg;
 * the JVM's version as it names itself. "" where that cannot be read. */
struct standing_server {
    char command_line[STANDING_TEXT_SIZE];
    char settings_text[STANDING_TEXT_SIZE];
    char java_version[128];
};
void standing_look_at(const struct standing *standing, unsigned index,
                      struct standing_server *server);

/* Which of its servers is at an endpoint; -1: none. */
int standing_index_of(const struct standing *standing, const struct endpoint *endpoint);

/* Ends it, and waits until what was written for it is removed. Faults as those of standing_find,
 * and of keeper_end_detached. */
MUST_CHECK enum fault_kind standing_stop(struct fault *fault);

#endif

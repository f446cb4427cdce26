// SPDX-License-Identifier: Apache-2.0
/*
 * supervisor: a process that owns a temporary folder and the processes that run in it. Layer:
 * servers.
 *
 * Invariant: when the program ends, by SIGKILL too, the supervisor ends its processes, removes
 * their cgroups and the folder, and removes the parent folder if it has made that one. If the
 * supervisor is killed, its processes are killed too, and the folder and empty cgroups stay. A
 * detached supervisor does not end with the program.
 *
 * The supervisor is a child of the program in a process session of its own, so a Ctrl-C at the
 * terminal does not reach it. It learns of the program's end from a socket and from the program's
 * pidfd. It knows nothing of ZooKeeper. Errors not named are the operating system's.
 */
#ifndef SERVERS_SUPERVISOR_H
#define SERVERS_SUPERVISOR_H

#include "base/error.h"

#include <sys/types.h>

#define SUPERVISOR_PLACES 8

struct supervisor;

/* Starts a supervisor with a new folder, readable for this user only, inside parent_folder. A
 * parent_folder that does not exist is made, and removed at the end if it is empty then. On success
 * *supervisor is the caller's to supervisor_free. Call this while the program has one thread. */
MUST_CHECK enum error_kind supervisor_new(const char *parent_folder, struct supervisor **supervisor,
                                          struct error *error);

/* Has the supervisor end its processes (SIGTERM, after 1 s SIGKILL) and remove the folder. Waits
 * for that, 2 s at most; then the supervisor continues on its own. NULL is fine. */
void supervisor_free(struct supervisor *supervisor);

/* For a forked child of the program: frees the child's copy, and ends nothing. NULL is fine. */
void supervisor_forget(struct supervisor *supervisor);

/* The folder's absolute path; the supervisor's. */
const char *supervisor_folder(const struct supervisor *supervisor);

/*
 * Runs arguments[0] (an absolute path; the list ends with NULL) in the folder, with its output at
 * the end of log_name (a path below the folder), which also says why if it cannot be executed.
 *
 * In each place, below SUPERVISOR_PLACES, one process runs at a time; EBUSY while it does. The
 * first of a place decides the CPU share of all, in percent of one core; 0: no limit. The number of
 * a process that has ended is free only when the next runs in its place.
 *
 * On success *pid is the process. ERROR_NO_CPU_SHARE: the process, if *pid was written, is killed.
 */
MUST_CHECK enum error_kind supervisor_run(struct supervisor *supervisor, unsigned place,
                                          const char *const arguments[], const char *log_name,
                                          unsigned cpu_percent, pid_t *pid, struct error *error);

/* Lets the supervisor run on without the program, and frees *supervisor. It holds a lock on the
 * file lock_path (an absolute path of a writable file), which it removes at its end: after SIGTERM,
 * or when the file is gone, since nobody could find the supervisor any more. On an error nothing
 * has changed, unless the supervisor itself is gone. */
MUST_CHECK enum error_kind supervisor_detach(struct supervisor *supervisor, const char *lock_path,
                                             struct error *error);

/* The process of the detached supervisor that holds the lock on this open file; 0 if there is none,
 * -1 if it is in another PID namespace. The kernel answers, so a process number that is in use
 * again does not mislead. */
pid_t supervisor_holder(int descriptor);

/* Ends the detached supervisor that holds the lock on this open file, as supervisor_free does, and
 * waits for that, 10 s at most. ERROR_SYSTEM, ERROR_DENIED. */
MUST_CHECK enum error_kind supervisor_end_detached(int descriptor, const char *lock_path,
                                                   struct error *error);

/* Removes the folder of a supervisor that was killed. A folder of another user, or of another name
 * than a supervisor's, is not touched. */
void supervisor_remove_leftovers(const char *folder);

#endif

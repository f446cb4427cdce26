// SPDX-License-Identifier: Apache-2.0
/*
 * supervisor: a process that watches over a temporary folder and the servers that run in it. Layer:
 * servers.
 *
 * Invariant: however the program ends, SIGKILL included, the supervisor ends the processes that it
 * runs and then removes the folder with all that is in it, and the folder around it if it made that
 * one. If the supervisor itself is killed, its processes end with it, and only the folder stays.
 * One that was detached does the same, but not when the program ends.
 *
 * The supervisor is a child of the program in a session of its own, so a Ctrl-C at the terminal
 * reaches neither it nor what it runs. It learns of the program's end from a socket that closes,
 * and from the program's pidfd; what runs is a child of the supervisor. It knows nothing of
 * ZooKeeper.
 */
#ifndef SERVERS_SUPERVISOR_H
#define SERVERS_SUPERVISOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct supervisor;

/*
 * Starts a supervisor with a fresh folder, readable for this user only, inside parent_folder. That
 * one is made if it does not exist, and then removed in the end unless somebody else has put
 * something there. On success *supervisor is the caller's to end with supervisor_free. Errors are
 * the operating system's. To be called while the program has one thread.
 */
MUST_CHECK enum error_kind supervisor_new(const char *parent_folder, struct supervisor **supervisor,
                                          struct error *error);

/* Ends the supervisor's processes (SIGTERM, after a second SIGKILL), removes the folder and waits
 * for that, at most two seconds (then it goes on by itself). NULL is fine. */
void supervisor_free(struct supervisor *supervisor);

/* For a forked child of the program: lets go of the supervisor and ends nothing. NULL is fine. */
void supervisor_forget(struct supervisor *supervisor);

/* The folder's absolute path; the supervisor's. */
const char *supervisor_folder(const struct supervisor *supervisor);

/*
 * Runs arguments[0] (an absolute path; the list ends with NULL) as a child of the supervisor,
 * inside the folder, with its output appended to the file log_name (a path from there) and nothing
 * to read. On success *pid is its process. A program that cannot be executed is no error here: it
 * ends at once and the log says why. At most SUPERVISOR_PROCESSES_MAX
 * (servers/supervisor_process.h), counted over the supervisor's life.
 */
MUST_CHECK enum error_kind supervisor_run(struct supervisor *supervisor,
                                          const char *const arguments[], const char *log_name,
                                          pid_t *pid, struct error *error);

/*
 * Lets the supervisor go on without the program. From here on it ends when it is told to
 * (supervisor_end_detached, SIGTERM), or when the file lock_path is gone: nobody would find it any
 * more. It holds a lock on that file (absolute, there, writable) for as long as it lives, and
 * removes it in the end. Frees *supervisor; on an error nothing has changed, unless the supervisor
 * itself is gone.
 */
MUST_CHECK enum error_kind supervisor_detach(struct supervisor *supervisor, const char *lock_path,
                                             struct error *error);

/* The process of the detached supervisor that has the lock on this open file, by the kernel's
 * account and so never another's: -1 if it is not to be seen from here (another PID namespace), 0
 * if there is none. */
pid_t supervisor_holder(int descriptor);

/* Ends the detached supervisor that has the lock on this open file, as supervisor_free does, and
 * waits for that, ten seconds at most. ERROR_SYSTEM, ERROR_DENIED. */
MUST_CHECK enum error_kind supervisor_end_detached(int descriptor, const char *lock_path,
                                                   struct error *error);

/* Removes the folder of a supervisor that was killed; nothing that is not this user's, and such a
 * folder by its name. */
void supervisor_remove_leftovers(const char *folder);

#endif

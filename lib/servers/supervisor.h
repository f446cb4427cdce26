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
 * terminal does not reach it. The program's pidfd (Linux 5.3) shows its end, whatever children it
 * leaves. The supervisor knows nothing of ZooKeeper. Errors not named are the operating system's.
 */
#ifndef SERVERS_SUPERVISOR_H
#define SERVERS_SUPERVISOR_H

#include "base/error.h"

#include <sys/types.h>

#define SUPERVISOR_PROCESSES_MAX 7

struct supervisor;

/* Starts a supervisor with a new folder, of mode 700, in parent_folder. One that does not exist is
 * made, and removed at the end if it is empty then. Call this while the program has one thread. */
MUST_CHECK enum error_kind supervisor_new(const char *parent_folder, struct supervisor **supervisor,
                                          struct error *error);

/* Ends the processes (SIGTERM, after 1 s SIGKILL) and removes the folder. Waits for that, 2 s at
 * most; then the supervisor continues on its own. NULL is fine. */
void supervisor_free(struct supervisor *supervisor);

const char *supervisor_folder(const struct supervisor *supervisor); /* an absolute path */

/*
 * Runs arguments[0] (an absolute path; the list ends with NULL) in the folder, with its output at
 * the end of log_name (a path below the folder), which also says why if it cannot be executed. At
 * most SUPERVISOR_PROCESSES_MAX times. cpu_percent: its CPU share, in percent of one core; 0: no
 * limit. The number of a process that has ended is free only when the supervisor has ended.
 *
 * On success *pid is the process. ERROR_NO_CPU_SHARE.
 */
MUST_CHECK enum error_kind supervisor_run(struct supervisor *supervisor,
                                          const char *const arguments[], const char *log_name,
                                          unsigned cpu_percent, pid_t *pid, struct error *error);

/* Lets the supervisor run on without the program, and frees *supervisor. It holds a lock (F_SETLK)
 * on the file lock_path (absolute), which it removes at its end: after SIGTERM, or when the file is
 * gone, since no program could find the supervisor any more. On an error nothing has changed. */
MUST_CHECK enum error_kind supervisor_detach(struct supervisor *supervisor, const char *lock_path,
                                             struct error *error);

#endif

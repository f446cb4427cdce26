// SPDX-License-Identifier: Apache-2.0
/*
 * keeper: a process that watches over a temporary folder and the servers that run in it. Layer: zk.
 *
 * Invariant: however the program ends, SIGKILL included, the keeper ends the processes that it runs
 * and then removes the folder with all that is in it, and the folder around it if it made that one.
 * If the keeper itself is killed, its processes end with it, and only the folder stays. One that
 * was detached does the same, but not when the program ends.
 *
 * The keeper is a child of the program in a session of its own, so a Ctrl-C at the terminal reaches
 * neither it nor what it runs. It learns of the program's end from a socket that closes, and from
 * the program's pidfd; what runs is a child of the keeper. It knows nothing of ZooKeeper.
 */
#ifndef ZK_KEEPER_H
#define ZK_KEEPER_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KEEPER_PROCESSES_MAX 32

struct keeper;

/*
 * Starts a keeper with a fresh folder, readable for this user only, inside parent_folder. That one
 * is made if it does not exist, and then removed in the end unless somebody else has put something
 * there. On success *keeper is the caller's to end with keeper_free. Faults are the operating
 * system's. To be called while the program has one thread.
 */
MUST_CHECK enum fault_kind keeper_new(const char *parent_folder, struct keeper **keeper,
                                      struct fault *fault);

/* Ends the keeper's processes (SIGTERM, after a second SIGKILL), removes the folder and waits for
 * that, at most two seconds (then it goes on by itself). NULL is fine. */
void keeper_free(struct keeper *keeper);

/* For a forked child of the program: lets go of the keeper and ends nothing. NULL is fine. */
void keeper_forget(struct keeper *keeper);

/* The folder's absolute path; the keeper's. */
const char *keeper_folder(const struct keeper *keeper);

/*
 * Runs arguments[0] (an absolute path; the list ends with NULL) as a child of the keeper, inside
 * the folder, with its output appended to the file log_name (a path from there) and nothing to
 * read. On success *pid is its process. A program that cannot be executed is no fault here: it ends
 * at once and the log says why. At most KEEPER_PROCESSES_MAX, counted over the keeper's life.
 */
MUST_CHECK enum fault_kind keeper_run(struct keeper *keeper, const char *const arguments[],
                                      const char *log_name, pid_t *pid, struct fault *fault);

/*
 * Lets the keeper go on without the program. From here on it ends when it is told to
 * (keeper_end_detached, SIGTERM), or when the file lock_path is gone: nobody would find it any
 * more. It holds a lock on that file (absolute, there, writable) for as long as it lives, and
 * removes it in the end. Frees *keeper; on a fault nothing has changed, unless the keeper itself is
 * gone.
 */
MUST_CHECK enum fault_kind keeper_detach(struct keeper *keeper, const char *lock_path,
                                         struct fault *fault);

/* The process of the detached keeper that has the lock on this open file, by the kernel's account
 * and so never another's: -1 if it is not to be seen from here (another PID namespace), 0 if there
 * is none. */
pid_t keeper_holder(int descriptor);

/* Ends the detached keeper that has the lock on this open file, as keeper_free does, and waits for
 * that, ten seconds at most. FAULT_SYSTEM, FAULT_DENIED. */
MUST_CHECK enum fault_kind keeper_end_detached(int descriptor, const char *lock_path,
                                               struct fault *fault);

/* Removes the folder of a keeper that was killed; nothing that is not this user's, and such a
 * folder by its name. */
void keeper_remove_leftovers(const char *folder);

/* False once that process has ended. Its number is not given to another process while the keeper
 * lives. */
bool keeper_process_alive(pid_t pid);

/* Ends one process of a keeper by SIGKILL, with those that it started, and waits for that: a moment
 * as a rule, a second at most. */
void keeper_kill(pid_t pid);

/* The resident memory of a process; false if it has ended. */
bool keeper_process_rss_kib(pid_t pid, uint64_t *rss_kib);

#endif

// SPDX-License-Identifier: Apache-2.0
/* process: the state, the memory and the CPU time of processes (proc(5)). Layer: base. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the process runs. A zombie does not. */
bool process_is_alive(pid_t pid);

/* For a process that was just forked: it is killed when its parent ends, and leaves Ctrl-C, which
 * reaches both on the terminal, to it. False: the parent has ended already. */
bool process_follow(pid_t parent);

/* The signal that has ended a process, which nobody has waited for yet; 0 if none has, the process
 * runs, or it is not this user's. */
int process_end_signal(pid_t pid);

/* The resident memory of a process in KiB. False, with *rss_kib unchanged, if the process does not
 * run. */
bool process_rss_kib(pid_t pid, uint64_t *rss_kib);

/* Writes the first of these folders (NULL behind the last) that has this file; they are given from
 * the folder above that of the program: in the sources it is build/zkherd, installed it is
 * bin/zkherd. False if none has. size: PATH_MAX + 64 at least. */
bool process_find_beside(const char *const *folders, const char *file, char *found, size_t size);

/* A process, and the CPU time, user and system, that it and its threads have used. */
struct process {
    pid_t pid, parent;
    bool is_kernel; /* a thread of the kernel */
    uint64_t cpu_ns;
    uint64_t reaped_cpu_ns; /* of the children that it has waited for, and of theirs */
};

/* All processes that can be seen; *list is the caller's to free. Returns how many. A process that
 * ends meanwhile may be missing. */
size_t process_list(struct process **list);

#endif

// SPDX-License-Identifier: Apache-2.0
/* process: the state, the memory and the CPU time of processes (proc(5)). Layer: base. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts a program that is looked for in $PATH, with an empty standard input and no signal blocked;
 * what it prints goes to a descriptor. environment: NULL: that of this process. has_group: it gets
 * a process group of its own. Returns 0, or an errno: it cannot be executed. */
int process_start(char *const *arguments, char *const *environment, int output, bool has_group,
                  pid_t *pid);

/* Whether the process runs. A zombie does not. */
bool process_is_alive(pid_t pid);

/* For a process that was just forked: it is killed when its parent ends, and leaves Ctrl-C, which
 * reaches both on the terminal, to it. False: the parent has ended already. */
bool process_follow(pid_t parent);

/* The signal that has ended a process, which was not waited for yet; 0 if none has, the process
 * runs, or it is not this user's. */
int process_end_signal(pid_t pid);

/* Both are false, with the output unchanged, if there is no such process: its resident memory, if
 * it runs, and its CPU time, user and system, also when it has ended and was not waited for. */
bool process_rss_kib(pid_t pid, uint64_t *rss_kib);
bool process_cpu_ns(pid_t pid, uint64_t *cpu_ns);

/* Writes the first of the folders (NULL behind the last) that has this file; false if none has.
 * They are relative to the folder above that of the program. size: PATH_MAX + 64 at least. */
bool process_find_beside(const char *const *folders, const char *file, char *found, size_t size);

/* A process, and the CPU time, user and system, that it and its threads have used. */
struct process {
    pid_t pid, parent;
    bool is_kernel; /* a thread of the kernel */
    uint64_t cpu_ns;
    uint64_t reaped_cpu_ns; /* of the children that it has waited for, and of theirs */
};

/* All processes that can be seen; *list is the caller's to free. Returns their number. */
size_t process_list(struct process **list);

#endif

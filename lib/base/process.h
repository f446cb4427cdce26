// SPDX-License-Identifier: Apache-2.0
/* process: the state and the memory of a process (proc(5)). Layer: base. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the process runs. A zombie does not. */
bool process_is_alive(pid_t pid);

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

#endif

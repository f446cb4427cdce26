// SPDX-License-Identifier: Apache-2.0
/* process: the state and the memory of a process (proc(5)). Layer: base. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
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

#endif

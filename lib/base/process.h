// SPDX-License-Identifier: Apache-2.0
/* process: what the kernel says of a process (proc(5)). Layer: base. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the process runs: one that has ended and was not waited for does not. */
bool process_is_alive(pid_t pid);

/* The resident memory of a process, in KiB. False, with *rss_kib unchanged, if it does not run. */
bool process_rss_kib(pid_t pid, uint64_t *rss_kib);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * cpu_share: a cgroup that limits the CPU time of a process and its descendants. Layer: servers,
 * below supervisor.
 *
 * The share is created below a cgroup of the calling process: its own, or with version 2 the
 * nearest that enables the controller cpu for its children (cgroup.subtree_control); limits of the
 * cgroups in between do not apply to the share.
 *
 * Invariant: only new folders are written to, and cpu_share_remove removes them; no cgroup of the
 * system changes. Errors are ERROR_NO_CPU_SHARE: the subject is a path, the detail what failed.
 */
#ifndef SERVERS_CPU_SHARE_H
#define SERVERS_CPU_SHARE_H

#include "base/error.h"

#include <limits.h>
#include <sys/types.h>

/* The kernel refuses a quota below 1 ms, 1 % of this period. */
#define CPU_SHARE_PERIOD_US 100000U

/* All zero bytes: no share. */
struct cpu_share {
    char folder[PATH_MAX]; /* of the cgroup; "": none */
};

/* Creates the cgroup `name` with a quota of this percentage of one core. On an error *share is no
 * share, and nothing is left behind. */
MUST_CHECK enum error_kind cpu_share_new(const char *name, unsigned percent,
                                         struct cpu_share *share, struct error *error);

/* Sets the quota of a share; 0: no limit. */
MUST_CHECK enum error_kind cpu_share_set(const struct cpu_share *share, unsigned percent,
                                         struct error *error);

/* Moves a process into the share; its later children follow. */
MUST_CHECK enum error_kind cpu_share_put(const struct cpu_share *share, pid_t pid,
                                         struct error *error);

/* Removes the cgroup, whose processes have ended; waits half a second at most for the kernel. */
void cpu_share_remove(struct cpu_share *share);

/* The folder below which shares are created for a process, by its folder, such as /proc/self. */
MUST_CHECK enum error_kind cpu_share_find_parent(const char *process, char parent[PATH_MAX],
                                                 struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * cores: how many cores this process may use, and the cgroups that limit them. Layer: base.
 *
 * Two things limit a process: its affinity (sched_getaffinity(2)), and the CPU quota of its cgroup
 * and of the cgroups above (cgroups(7), version 1 and 2). A quota may be a fraction of a core.
 */
#ifndef BASE_CORES_H
#define BASE_CORES_H

#include <limits.h>
#include <stddef.h>

/* The cores of the affinity, or of the lowest quota if that is less; above 0. */
double cores_allowed(void);

/* The lowest quota, in cores, of a process's cgroups and of those above; INFINITY if none can be
 * read. process: its folder, such as /proc/self. */
double cores_quota(const char *process);

/* A cgroup of a process, of version 2 or of the controller cpu of version 1, which may be mounted
 * anywhere, with other controllers. */
struct cgroup {
    char mount[PATH_MAX];  /* the mount point of the hierarchy */
    char folder[PATH_MAX]; /* of the cgroup; the mount point if the cgroup is not below the mount's
                              root, as in a container */
};

/* Finds the cgroups of a process, CGROUPS_MAX at most, and returns their number: a hybrid system
 * has one of each version. */
#define CGROUPS_MAX 4
size_t cgroups_find(const char *process, struct cgroup cgroups[CGROUPS_MAX]);

#endif

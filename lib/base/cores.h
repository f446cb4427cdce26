// SPDX-License-Identifier: Apache-2.0
/*
 * cores: how many cores this process may use. Layer: base.
 *
 * Two things limit a process: its affinity (sched_getaffinity(2)), and the CPU quota of its cgroup
 * and of the cgroups above (cgroups(7), version 1 and 2). A quota may be a fraction of a core.
 */
#ifndef BASE_CORES_H
#define BASE_CORES_H

#include <limits.h>
#include <stdbool.h>

/* The cores of the affinity, or of the lowest quota if that is less. A limit that cannot be read
 * does not count. Always above 0. */
double cores_allowed(void);

/* The lowest quota, in cores, of a process's cgroup and of the cgroups above; INFINITY if there is
 * none. mounts_path: a file such as /proc/PID/mountinfo; cgroups: the text of /proc/PID/cgroup. */
double cores_quota(const char *mounts_path, const char *cgroups);

/* Where a process's CPU cgroup is mounted. A hierarchy of version 1 may be mounted anywhere, with
 * several controllers, and a hybrid system mounts version 2 beside it. */
struct cgroup_place {
    char mount[PATH_MAX];  /* the mount point of the hierarchy */
    char folder[PATH_MAX]; /* the folder of the cgroup; the mount point if the cgroup is not below
                              the mount's root, as in a container */
};

/*
 * Finds the place of a process's cgroup, in texts of /proc. mount_line: a line of
 * /proc/PID/mountinfo; cgroups: the text of /proc/PID/cgroup. False if the line is no mount of
 * version 2 or of the controller cpu of version 1, or if the process has no cgroup there; then
 * *place is not to be read.
 */
bool cgroup_find(const char *mount_line, const char *cgroups, struct cgroup_place *place);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup: where a process's CPU cgroup is mounted, in texts of /proc (cgroups(7), version 1 and 2).
 * Layer: base, below cores.
 *
 * A hierarchy of version 1 may be mounted anywhere, with several controllers, and a hybrid system
 * mounts version 2 beside it. Invariant: folder is mount, or a path below it.
 */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include <limits.h>
#include <stdbool.h>

struct cgroup_place {
    char mount[PATH_MAX];  /* the mount point of the hierarchy */
    char folder[PATH_MAX]; /* the folder of the cgroup; the mount point if the cgroup is not below
                              the mount's root, as in a container */
};

/*
 * Finds the place of a process's cgroup. mount_line: a line of /proc/PID/mountinfo; cgroups: the
 * text of /proc/PID/cgroup. False if the line is no mount of version 2 or of the controller cpu of
 * version 1, or if the process has no cgroup there; then *place is not to be read.
 */
bool cgroup_find(const char *mount_line, const char *cgroups, struct cgroup_place *place);

#endif

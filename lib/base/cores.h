// SPDX-License-Identifier: Apache-2.0
/*
 * cores: how many cores this process may use. Layer: base.
 *
 * Two things limit a process: its affinity (sched_getaffinity(2)), and the CPU quota of its cgroup
 * and of the cgroups above (cgroups(7), version 1 and 2). A quota may be a fraction of a core.
 */
#ifndef BASE_CORES_H
#define BASE_CORES_H

/* The cores of the affinity, or of the lowest quota if that is less. A limit that cannot be read
 * does not count. Always above 0. */
double cores_allowed(void);

/* The lowest quota, in cores, of a process's cgroup and of the cgroups above; INFINITY if there is
 * none. mounts_path: a file such as /proc/PID/mountinfo; cgroups: the text of /proc/PID/cgroup. */
double cores_quota(const char *mounts_path, const char *cgroups);

#endif

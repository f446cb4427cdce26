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

/*
 * The lowest quota, in cores, of a process's cgroup and of the cgroups above; INFINITY if there is
 * none. cgroups is the text of /proc/PID/cgroup; mount is the folder of the hierarchies, without a
 * slash at its end ("/sys/fs/cgroup").
 */
double cores_quota(const char *mount, const char *cgroups);

/* The quota in the text of a cpu.max ("150000 100000": 1.5 cores), or INFINITY: "max", or no such
 * text. */
double cores_of_cpu_max(const char *text);

/* The quota in the texts of cpu.cfs_quota_us and cpu.cfs_period_us, or INFINITY: "-1", or no such
 * texts. */
double cores_of_cfs(const char *quota_us, const char *period_us);

#endif

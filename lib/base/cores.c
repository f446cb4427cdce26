// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOUNT "/sys/fs/cgroup"

/* Reads the beginning of a file; false, with "", if it cannot be read. */
static bool read_text(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return text[0] != '\0';
}

/* ------------------------------------------------------------------ quotas as text */

static double quota_of(double quota_us, double period_us)
{
    return quota_us > 0 && period_us > 0 ? quota_us / period_us : INFINITY;
}

double cores_of_cpu_max(const char *text)
{
    double quota_us, period_us;
    if (sscanf(text, "%lf %lf", &quota_us, &period_us) != 2)
        return INFINITY;
    return quota_of(quota_us, period_us);
}

double cores_of_cfs(const char *quota_us, const char *period_us)
{
    double quota, period;
    if (sscanf(quota_us, "%lf", &quota) != 1 || sscanf(period_us, "%lf", &period) != 1)
        return INFINITY;
    return quota_of(quota, period);
}

/* ------------------------------------------------------------------ cgroups */

/* The quota of one cgroup, in whichever version its folder has. */
static double quota_in(const char *folder)
{
    char path[PATH_MAX + 32], quota[64], period[64];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_text(path, quota, sizeof quota))
        return cores_of_cpu_max(quota);
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    read_text(path, quota, sizeof quota);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    read_text(path, period, sizeof period);
    return cores_of_cfs(quota, period);
}

/* The lowest quota from a cgroup up to the root of its hierarchy. In a container the path may be
 * the host's, of which only the root is mounted. */
static double quota_up_from(const char *hierarchy, const char *cgroup)
{
    char folder[PATH_MAX];
    double least = INFINITY;
    size_t root = strlen(hierarchy);
    int length = snprintf(folder, sizeof folder, "%s%s", hierarchy, cgroup);
    if (length < 0 || (size_t)length >= sizeof folder)
        return INFINITY;
    for (;;) {
        least = fmin(least, quota_in(folder));
        char *slash = strrchr(folder + root, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* Whether a list "cpu,cpuacct" has the item "cpu". */
static bool has_cpu(const char *controllers)
{
    for (const char *at = controllers; (at = strstr(at, "cpu")) != NULL; at += 3) {
        if ((at == controllers || at[-1] == ',') && (at[3] == ',' || at[3] == '\0'))
            return true;
    }
    return false;
}

/* One line of /proc/PID/cgroup, "4:cpu,cpuacct:/a/b", or of version 2 "0::/a/b". */
static double quota_of_line(const char *mount, char *line)
{
    char hierarchy[PATH_MAX];
    char *controllers = strchr(line, ':');
    char *cgroup = controllers != NULL ? strchr(++controllers, ':') : NULL;
    if (cgroup == NULL)
        return INFINITY;
    *cgroup++ = '\0';
    if (controllers[0] != '\0' && !has_cpu(controllers))
        return INFINITY;
    snprintf(hierarchy, sizeof hierarchy, "%s%s", mount, controllers[0] != '\0' ? "/cpu" : "");
    return quota_up_from(hierarchy, cgroup);
}

double cores_quota(const char *mount, const char *cgroups)
{
    double least = INFINITY;
    while (*cgroups != '\0') {
        char line[PATH_MAX];
        size_t length = strcspn(cgroups, "\n");
        if (length < sizeof line) {
            memcpy(line, cgroups, length);
            line[length] = '\0';
            least = fmin(least, quota_of_line(mount, line));
        }
        cgroups += length + (cgroups[length] == '\n' ? 1 : 0);
    }
    return least;
}

/* ------------------------------------------------------------------ this process */

/* A machine may have more cores than a cpu_set_t has room for: then all that are online count. */
static double cores_of_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return fmax(1, (double)sysconf(_SC_NPROCESSORS_ONLN));
}

double cores_allowed(void)
{
    char cgroups[4 * PATH_MAX];
    read_text("/proc/self/cgroup", cgroups, sizeof cgroups);
    return fmin(cores_of_affinity(), cores_quota(MOUNT, cgroups));
}

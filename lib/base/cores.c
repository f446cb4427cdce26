// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"

#include "base/cgroup.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than any kernel is built for. */
#define CORES_MAX 65536

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

/* ------------------------------------------------------------------ quotas */

/* The quota in the text of a cpu.max: "150000 100000" is 1.5 cores, "max 100000" no limit. */
static double quota_of(const char *text)
{
    double quota_us, period_us;
    if (sscanf(text, "%lf %lf", &quota_us, &period_us) != 2 || quota_us <= 0 || period_us <= 0)
        return INFINITY;
    return quota_us / period_us;
}

/* The quota of one cgroup, in whichever version its folder has. Version 1 has a file for each of
 * the numbers, and -1 for no limit. */
static double quota_in(const char *folder)
{
    char path[PATH_MAX + 32], text[64];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_text(path, text, sizeof text))
        return quota_of(text);
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    read_text(path, text, sizeof text / 2);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    read_text(path, text + strlen(text), sizeof text / 2);
    return quota_of(text);
}

/* The lowest quota from a cgroup up to the root of its hierarchy. In a container the path may be
 * the host's, of which only the root is mounted. */
static double quota_up_from(struct cgroup_place *place)
{
    double least = INFINITY;
    size_t root = strlen(place->mount);
    for (;;) {
        least = fmin(least, quota_in(place->folder));
        char *slash = strrchr(place->folder + root, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

double cores_quota(const char *mounts_path, const char *cgroups)
{
    double least = INFINITY;
    struct cgroup_place place;
    char *line = NULL;
    size_t size = 0;
    FILE *mounts = fopen(mounts_path, "re");
    while (mounts != NULL && getline(&line, &size, mounts) > 0) {
        if (cgroup_find(line, cgroups, &place))
            least = fmin(least, quota_up_from(&place));
    }
    free(line);
    if (mounts != NULL)
        fclose(mounts);
    return least;
}

/* ------------------------------------------------------------------ this process */

/* A machine may have more cores than one cpu_set_t has bits: the kernel refuses a smaller set. */
static double cores_of_affinity(void)
{
    cpu_set_t sets[CORES_MAX / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof sets, sets) == 0)
        return CPU_COUNT_S(sizeof sets, sets);
    return fmax(1, (double)sysconf(_SC_NPROCESSORS_ONLN));
}

double cores_allowed(void)
{
    char cgroups[4 * PATH_MAX];
    read_text("/proc/self/cgroup", cgroups, sizeof cgroups);
    return fmin(cores_of_affinity(), cores_quota("/proc/self/mountinfo", cgroups));
}

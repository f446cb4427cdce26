// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"

#include "base/text.h"

#include <math.h>
#include <mntent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any kernel is built for. */
#define CORES_MAX 65536

/* ------------------------------------------------------------------ cgroups */

/* The kernel writes a space, a tab, a newline and a backslash as \ and three octal digits. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        unsigned code;
        int length = 1;
        bool is_code = sscanf(from, "\\%3o%n", &code, &length) == 1;
        *to = is_code ? (char)code : *from;
        from += length;
    }
    *to = '\0';
}

/* Whether a list "rw,cpu,cpuacct" has the item "cpu". */
static bool has_cpu(char *list)
{
    return hasmntopt(&(struct mntent){.mnt_opts = list}, "cpu") != NULL;
}

/* The path in the line of version 2, "0::/a/b", or of the controller cpu, "4:cpu,cpuacct:/a/b". */
static bool find_path(const char *paths, bool is_version_2, char path[PATH_MAX])
{
    char controllers[256];
    for (const char *line = paths; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (is_version_2 ? sscanf(line, "0::%4095[^\n]", path) == 1
                         : sscanf(line, "%*u:%255[^:\n]:%4095[^\n]", controllers, path) == 2 &&
                               has_cpu(controllers))
            return true;
    }
    return false;
}

/* The part of a cgroup's path behind `root`; NULL if the path is not at or below it. */
static const char *path_below(const char *root, const char *path)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    bool is_below =
        strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
    return is_below && strstr(path, "/..") == NULL ? path + length : NULL;
}

/* Finds the place of a cgroup in a line of mountinfo, "33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime
 * shared:9 - cgroup cgroup rw,cpu": any number of optional fields precedes the dash, and the
 * controllers of version 1 are among the options behind it. paths: the text of /proc/PID/cgroup. */
static bool find_cgroup(const char *mount_line, const char *paths, struct cgroup *cgroup)
{
    char root[PATH_MAX], path[PATH_MAX], type[32], options[256];
    const char *dash = strstr(mount_line, " - ");
    if (dash == NULL || sscanf(mount_line, "%*s %*s %*s %4095s %4095s", root, cgroup->mount) != 2 ||
        sscanf(dash, " - %31s %*s %255s", type, options) != 2)
        return false;
    bool is_version_2 = strcmp(type, "cgroup2") == 0;
    if ((!is_version_2 && (strcmp(type, "cgroup") != 0 || !has_cpu(options))) ||
        !find_path(paths, is_version_2, path))
        return false;
    unescape(root);
    unescape(cgroup->mount);
    const char *below = path_below(root, path);
    int length = snprintf(cgroup->folder, sizeof cgroup->folder, "%s%s", cgroup->mount,
                          below != NULL ? below : "");
    return (size_t)length < sizeof cgroup->folder;
}

size_t cgroups_find(const char *process, struct cgroup cgroups[CGROUPS_MAX])
{
    char path[PATH_MAX], paths[4 * PATH_MAX];
    char *line = NULL;
    size_t size = 0, count = 0;
    text_read(paths, sizeof paths, "%s/cgroup", process);
    snprintf(path, sizeof path, "%s/mountinfo", process);
    FILE *mounts = fopen(path, "re");
    while (mounts != NULL && count < CGROUPS_MAX && getline(&line, &size, mounts) > 0)
        count += find_cgroup(line, paths, &cgroups[count]);
    free(line);
    if (mounts != NULL)
        fclose(mounts);
    return count;
}

/* ------------------------------------------------------------------ quotas */

/* The quota of one cgroup, in whichever version its folder has: "150000 100000" is 1.5 cores, and
 * "max 100000" no limit. Version 1 has a file for each of the numbers, and -1 for no limit. */
static double quota_in(const char *folder)
{
    char text[64];
    double quota_us, period_us;
    if (!text_read(text, sizeof text, "%s/cpu.max", folder)) {
        text_read(text, sizeof text / 2, "%s/cpu.cfs_quota_us", folder);
        text_read(text + strlen(text), sizeof text / 2, "%s/cpu.cfs_period_us", folder);
    }
    bool is_limited =
        sscanf(text, "%lf %lf", &quota_us, &period_us) == 2 && quota_us > 0 && period_us > 0;
    return is_limited ? quota_us / period_us : INFINITY;
}

double cores_quota(const char *process)
{
    struct cgroup cgroups[CGROUPS_MAX];
    size_t count = cgroups_find(process, cgroups);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        char *folder = cgroups[i].folder, *path = folder + strlen(cgroups[i].mount);
        least = fmin(least, quota_in(folder));
        for (char *slash; (slash = strrchr(path, '/')) != NULL;) { /* up to the root */
            *slash = '\0';
            least = fmin(least, quota_in(folder));
        }
    }
    return least;
}

/* A machine may have more cores than one cpu_set_t has bits: the kernel refuses a smaller set. */
double cores_allowed(void)
{
    cpu_set_t sets[CORES_MAX / CPU_SETSIZE] = {0};
    (void)sched_getaffinity(0, sizeof sets, sets);
    return fmin(fmax(1, CPU_COUNT_S(sizeof sets, sets)), cores_quota("/proc/self"));
}

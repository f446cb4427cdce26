// SPDX-License-Identifier: Apache-2.0
#include "servers/cpu_share.h"

#include "base/cores.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 32)

/* A cgroup of version 1 has no such file, and every controller of its hierarchy. */
static bool enables_cpu(const char *folder)
{
    char path[FILE_PATH_SIZE], controllers[512], *rest = controllers;
    snprintf(path, sizeof path, "%s/cgroup.subtree_control", folder);
    if (access(path, F_OK) != 0)
        return true;
    text_read(controllers, sizeof controllers, "%s", path);
    for (char *word; (word = strtok_r(rest, " \n", &rest)) != NULL;) {
        if (strcmp(word, "cpu") == 0)
            return true;
    }
    return false;
}

enum error_kind cpu_share_find_parent(const char *process, char parent[PATH_MAX],
                                      struct error *error)
{
    struct cgroup cgroups[CGROUPS_MAX];
    size_t count = cgroups_find(process, cgroups);
    for (size_t i = 0; i < count; i++) {
        char *folder = cgroups[i].folder, *slash = folder;
        while (slash != NULL && !enables_cpu(folder)) {
            slash = strrchr(folder + strlen(cgroups[i].mount), '/');
            if (slash != NULL)
                *slash = '\0';
        }
        if (slash != NULL) {
            strcpy(parent, folder);
            return ERROR_NONE;
        }
    }
    return error_raise(error, ERROR_NO_CPU_SHARE, 0, count > 0 ? cgroups[count - 1].mount : process,
                       "%s",
                       count > 0 ? "no cgroup of this process has cpu in its cgroup.subtree_control"
                                 : "no cgroup hierarchy with the controller cpu is mounted");
}

static enum error_kind put_text(const struct cpu_share *share, const char *name, const char *text,
                                struct error *error)
{
    char path[FILE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", share->folder, name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    int os_error = errno;
    if (file >= 0)
        close(file);
    return written
               ? ERROR_NONE
               : error_raise(error, ERROR_NO_CPU_SHARE, os_error, path, "writing %s to it failed%s",
                             text, os_error == EINVAL ? ": a cgroup above may have less" : "");
}

enum error_kind cpu_share_set(const struct cpu_share *share, unsigned percent, struct error *error)
{
    char path[FILE_PATH_SIZE], period[16], quota[32], both[64];
    snprintf(path, sizeof path, "%s/cgroup.controllers", share->folder);
    bool version_2 = access(path, F_OK) == 0;
    snprintf(period, sizeof period, "%u", CPU_SHARE_PERIOD_US);
    snprintf(quota, sizeof quota, "%u", percent * (CPU_SHARE_PERIOD_US / 100));
    if (percent == 0)
        strcpy(quota, version_2 ? "max" : "-1");
    snprintf(both, sizeof both, "%s %s", quota, period);
    if (version_2)
        return put_text(share, "cpu.max", both, error);
    enum error_kind kind = put_text(share, "cpu.cfs_period_us", period, error);
    return kind == ERROR_NONE ? put_text(share, "cpu.cfs_quota_us", quota, error) : kind;
}

enum error_kind cpu_share_new(const char *name, unsigned percent, struct cpu_share *share,
                              struct error *error)
{
    char parent[PATH_MAX];
    share->folder[0] = '\0';
    if (cpu_share_find_parent("/proc/self", parent, error))
        return error->kind;
    int length = snprintf(share->folder, sizeof share->folder, "%s/%s", parent, name);
    bool fits = (size_t)length < sizeof share->folder;
    if (!fits || mkdir(share->folder, 0755) != 0) {
        error_raise(error, ERROR_NO_CPU_SHARE, fits ? errno : ENAMETOOLONG, share->folder,
                    "creating this cgroup failed");
        share->folder[0] = '\0';
        return error->kind;
    }
    enum error_kind kind = cpu_share_set(share, percent, error);
    if (kind != ERROR_NONE)
        cpu_share_remove(share);
    return kind;
}

enum error_kind cpu_share_put(const struct cpu_share *share, pid_t pid, struct error *error)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)pid);
    return put_text(share, "cgroup.procs", number, error);
}

void cpu_share_remove(struct cpu_share *share)
{
    for (int attempt = 0; share->folder[0] != '\0' && attempt < 25; attempt++) {
        if (rmdir(share->folder) == 0 || errno != EBUSY)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    share->folder[0] = '\0';
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/folder.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum fault_kind folder_check(const char *out, struct fault *fault)
{
    if (out != NULL && access(out, F_OK) == 0)
        return fault_raise(fault, FAULT_EXISTS, 0, out, "%s", "");
    return FAULT_NONE;
}

enum fault_kind folder_make(const char *out, uint64_t utc_ns, const char *name,
                            char folder[PATH_MAX], struct fault *fault)
{
    if (out != NULL) {
        snprintf(folder, PATH_MAX, "%s", out);
        for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/';)
            folder[--end] = '\0';
    } else {
        char time[32];
        clock_format_utc(utc_ns, 1, time, sizeof time);
        if (mkdir("results", 0777) != 0 && errno != EEXIST)
            return fault_from_errno(fault, errno, "results", "cannot make the folder");
        snprintf(folder, PATH_MAX, "results/%s-%s", time, name);
    }
    if (mkdir(folder, 0777) == 0)
        return FAULT_NONE;
    return fault_from_errno(
        fault, errno, folder, "cannot make the folder%s",
        errno == ENOENT || errno == ENOTDIR ? "; name it inside a folder that exists" : "");
}

const char *folder_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

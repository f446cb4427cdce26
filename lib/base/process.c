// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads the line of /proc/PID/stat behind the process's name, which may hold blanks and parentheses
 * of its own: " Z 123 …". False if there is no such process. */
static bool read_stat(pid_t pid, char *fields, size_t size)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *name_end = strrchr(line, ')');
    snprintf(fields, size, "%s", name_end == NULL ? "" : name_end + 1);
    return name_end != NULL;
}

static bool has_ended(const char *fields)
{
    return strchr("ZXx", fields[1]) != NULL;
}

bool process_is_alive(pid_t pid)
{
    char fields[512];
    return read_stat(pid, fields, sizeof fields) && !has_ended(fields);
}

/* The exit code, as for waitpid, is the last field. */
int process_end_signal(pid_t pid)
{
    char fields[512];
    if (!read_stat(pid, fields, sizeof fields) || !has_ended(fields))
        return 0;
    const char *last = strrchr(fields, ' ');
    int code = atoi(last);
    return WIFSIGNALED(code) ? WTERMSIG(code) : 0;
}

bool process_rss_kib(pid_t pid, uint64_t *rss_kib)
{
    char path[64];
    uint64_t total_pages, resident_pages;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = process_is_alive(pid) ? fopen(path, "re") : NULL;
    if (file == NULL)
        return false;
    int fields = fscanf(file, "%" SCNu64 " %" SCNu64, &total_pages, &resident_pages);
    fclose(file);
    if (fields != 2 || resident_pages == 0)
        return false;
    *rss_kib = resident_pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    return true;
}

bool process_find_beside(const char *const *folders, const char *file, char *found, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    const char *beside = dirname(program);
    for (; *folders != NULL; folders++) {
        size_t folder = (size_t)snprintf(found, size, "%s/../%s", beside, *folders);
        snprintf(found + folder, size - folder, "/%s", file);
        bool is_there = access(found, F_OK) == 0;
        found[folder] = '\0';
        if (is_there)
            return true;
    }
    return false;
}

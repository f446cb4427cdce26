// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool process_is_alive(pid_t pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    /* The state follows the name, which may hold blanks and parentheses of its own. */
    const char *state = strrchr(line, ')');
    return state != NULL && strchr("ZXx", state[2]) == NULL;
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

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pause.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* A thread that has ended runs no more. */
static bool thread_runs(const char *tasks, const char *thread)
{
    char path[96], line[512];
    snprintf(path, sizeof path, "%s/%.20s/stat", tasks, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *after_name = strrchr(line, ')');
    return after_name != NULL && strchr("TZX", after_name[2]) == NULL;
}

static bool process_runs(pid_t pid)
{
    char tasks[64];
    bool runs = false;
    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)pid);
    DIR *directory = opendir(tasks);
    if (directory == NULL)
        return false;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        runs |= entry->d_name[0] != '.' && thread_runs(tasks, entry->d_name);
    closedir(directory);
    return runs;
}

void pause_process(pid_t pid)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    kill(pid, SIGSTOP);
    while (process_runs(pid) && clock_now_ns() < until_ns)
        pause_ms(1);
}

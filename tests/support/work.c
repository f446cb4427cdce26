// SPDX-License-Identifier: Apache-2.0
#include "tests/support/work.h"

#include <signal.h>
#include <stdbool.h>

char command_program[COMMAND_PATH_SIZE];
char work_nest[64], work_folder[80], work_temporary[80];

/* ------------------------------------------------------------------ our processes */

static bool is_ours(pid_t pid)
{
    static char environment[256 * 1024];
    char path[64], mark[128];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    snprintf(mark, sizeof mark, "TMPDIR=%s", work_temporary);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(environment, 1, sizeof environment, file);
    fclose(file);
    return memmem(environment, length, mark, strlen(mark) + 1) != NULL;
}

size_t list_ours(pid_t *pids)
{
    size_t count = 0;
    DIR *directory = opendir("/proc");
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && count < COMMAND_PROCESSES && is_ours(pid))
            pids[count++] = pid;
    }
    closedir(directory);
    return count;
}

void read_name(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    name[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(name, (int)size, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

pid_t find_ours(const char *name, pid_t but)
{
    pid_t pids[COMMAND_PROCESSES];
    size_t count = list_ours(pids);
    for (size_t i = 0; i < count; i++) {
        char its_name[32];
        read_name(pids[i], its_name, sizeof its_name);
        if (pids[i] != but && strcmp(its_name, name) == 0)
            return pids[i];
    }
    return 0;
}

/* ------------------------------------------------------------------ the nest */

int program_find(void **state)
{
    (void)state;
    const char *program = getenv("ZKHERD");
    if (program == NULL || *program == '\0')
        program = "build/zkherd";
    if (command_program[0] == '\0' && realpath(program, command_program) == NULL)
        fail_msg("%s: %s; make it first, or set ZKHERD", program, strerror(errno));
    return 0;
}

int work_make(void **state)
{
    (void)state;
    program_find(NULL);
    strcpy(work_nest, "/tmp/zkherd-cli-XXXXXX");
    if (mkdtemp(work_nest) == NULL)
        return -1;
    snprintf(work_folder, sizeof work_folder, "%s/work", work_nest);
    snprintf(work_temporary, sizeof work_temporary, "%s/tmp", work_nest);
    return mkdir(work_folder, 0755) != 0 || mkdir(work_temporary, 0755) != 0;
}

int work_remove(void **state)
{
    (void)state;
    pid_t pids[COMMAND_PROCESSES];
    for (size_t count = list_ours(pids); count > 0; count = list_ours(pids)) {
        while (count > 0)
            kill(pids[--count], SIGKILL);
        pause_ms(20);
    }
    return folder_remove(work_nest);
}

__attribute__((format(printf, 1, 2))) const char *in_work(const char *format, ...)
{
    static char paths[8][COMMAND_PATH_SIZE];
    static size_t turn;
    char *path = paths[turn++ % 8];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(path, COMMAND_PATH_SIZE, "%s/", work_folder);
    vsnprintf(path + length, COMMAND_PATH_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
    return path;
}

/* ------------------------------------------------------------------ what is left of them */

void assert_nothing_runs(void)
{
    pid_t pids[COMMAND_PROCESSES];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (list_ours(pids) > 0 || count_entries(work_temporary) > 0) {
        char name[32];
        size_t count = list_ours(pids);
        if (clock_now_ns() < until_ns) {
            pause_ms(10);
            continue;
        }
        read_name(count > 0 ? pids[0] : 0, name, sizeof name);
        fail_msg("left behind: %zu processes (%s), %zu temporary folders", count, name,
                 count_entries(work_temporary));
    }
}

void assert_left(size_t entries)
{
    assert_nothing_runs();
    if (count_entries(work_folder) != entries)
        fail_msg("%zu entries in the working directory, not %zu", count_entries(work_folder),
                 entries);
}

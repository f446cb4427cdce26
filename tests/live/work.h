// SPDX-License-Identifier: Apache-2.0
/*
 * work: where the commands of a test run.
 *
 * Every test has a nest: a folder of its own in /tmp, with the commands' working directory (work)
 * and their TMPDIR (tmp) in it. A process whose environment has that TMPDIR is one of ours, however
 * far it has moved from its parents. The program is $ZKHERD, or build/zkherd.
 */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H

#include "base/clock.h"
#include "tests/live/folder.h"
#include "tests/live/pause.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define COMMAND_PROCESSES 64
#define COMMAND_PATH_SIZE 4096

static char command_program[COMMAND_PATH_SIZE];
static char nest[64], nest_work[80], nest_temporary[80];

/* ------------------------------------------------------------------ our processes */

static inline bool is_ours(pid_t pid)
{
    static char environment[256 * 1024];
    char path[64], mark[128];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    snprintf(mark, sizeof mark, "TMPDIR=%s", nest_temporary);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(environment, 1, sizeof environment, file);
    fclose(file);
    return memmem(environment, length, mark, strlen(mark) + 1) != NULL;
}

/* Processes of the nest's commands that still run; those that have ended are none of them. */
static inline size_t list_ours(pid_t *pids)
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

static inline void read_name(pid_t pid, char *name, size_t size)
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

/* One of ours that goes by this name and is not `but`; 0 if there is none. */
static inline pid_t find_ours(const char *name, pid_t but)
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

static inline void find_program(void)
{
    const char *program = getenv("ZKHERD");
    if (program == NULL || *program == '\0')
        program = "build/zkherd";
    if (command_program[0] == '\0' && realpath(program, command_program) == NULL)
        fail_msg("%s: %s; make it first, or set ZKHERD", program, strerror(errno));
}

static inline int nest_make(void **state)
{
    (void)state;
    find_program();
    strcpy(nest, "/tmp/zkherd-cli-XXXXXX");
    if (mkdtemp(nest) == NULL)
        return -1;
    snprintf(nest_work, sizeof nest_work, "%s/work", nest);
    snprintf(nest_temporary, sizeof nest_temporary, "%s/tmp", nest);
    return mkdir(nest_work, 0755) != 0 || mkdir(nest_temporary, 0755) != 0;
}

/* Also after a test that failed: nothing of it goes on. */
static inline int nest_remove(void **state)
{
    (void)state;
    pid_t pids[COMMAND_PROCESSES];
    for (size_t count = list_ours(pids); count > 0; count = list_ours(pids)) {
        while (count > 0)
            kill(pids[--count], SIGKILL);
        pause_ms(20);
    }
    return folder_remove(nest);
}

#define COMMAND_TEST(test) cmocka_unit_test_setup_teardown(test, nest_make, nest_remove)

/* A path inside the working directory; the caller's until the eighth call after this one. */
__attribute__((format(printf, 1, 2))) static inline const char *in_work(const char *format, ...)
{
    static char paths[8][COMMAND_PATH_SIZE];
    static size_t turn;
    char *path = paths[turn++ % 8];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(path, COMMAND_PATH_SIZE, "%s/", nest_work);
    vsnprintf(path + length, COMMAND_PATH_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
    return path;
}

/* ------------------------------------------------------------------ what is left of them */

/* No process and no temporary folder, now or within a while. */
static inline void assert_nothing_runs(void)
{
    pid_t pids[COMMAND_PROCESSES];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (list_ours(pids) > 0 || count_entries(nest_temporary) > 0) {
        char name[32];
        size_t count = list_ours(pids);
        if (clock_now_ns() < until_ns) {
            pause_ms(10);
            continue;
        }
        read_name(count > 0 ? pids[0] : 0, name, sizeof name);
        fail_msg("left behind: %zu processes (%s), %zu temporary folders", count, name,
                 count_entries(nest_temporary));
    }
}

/* As above, and so many entries in the working directory. */
static inline void assert_left(size_t entries)
{
    assert_nothing_runs();
    if (count_entries(nest_work) != entries)
        fail_msg("%zu entries in the working directory, not %zu", count_entries(nest_work),
                 entries);
}

#endif

// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int process_start(char *const *arguments, char *const *environment, int output, bool has_group,
                  pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(
        &attributes, (short)(POSIX_SPAWN_SETSIGMASK | (has_group ? POSIX_SPAWN_SETPGROUP : 0)));
    int os_error = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments,
                                environment != NULL ? environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return os_error;
}

/* Reads the line of /proc/PID/stat behind the process's name, which may hold blanks and parentheses
 * of its own: " Z 123 …". False if there is no such process. */
static bool read_stat(pid_t pid, char *fields, size_t size)
{
    char line[512];
    text_read(line, sizeof line, "/proc/%d/stat", (int)pid);
    const char *name_end = strrchr(line, ')');
    snprintf(fields, size, "%s", name_end == NULL ? "" : name_end + 1);
    return name_end != NULL;
}

static bool has_ended(const char *fields)
{
    return strchr("ZXx", fields[1]) != NULL;
}

bool process_follow(pid_t parent)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
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
    char pages[128];
    uint64_t resident_pages;
    if (!process_is_alive(pid) || !text_read(pages, sizeof pages, "/proc/%d/statm", (int)pid) ||
        sscanf(pages, "%*u %" SCNu64, &resident_pages) != 1 || resident_pages == 0)
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

/* ------------------------------------------------------------------ all processes */

/* include/linux/sched.h */
#define KERNEL_THREAD 0x00200000U

bool process_cpu_ns(pid_t pid, uint64_t *cpu_ns)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return false;
    *cpu_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    return true;
}

/* The fields are state, ppid, pgrp, session, tty_nr, tpgid, flags, minflt, cminflt, majflt,
 * cmajflt, utime, stime, cutime, cstime. */
static bool read_process(pid_t pid, struct process *process)
{
    char fields[512];
    int parent;
    unsigned flags;
    uint64_t user, system, reaped_user, reaped_system;
    if (!read_stat(pid, fields, sizeof fields) || has_ended(fields) ||
        sscanf(fields,
               " %*c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64,
               &parent, &flags, &user, &system, &reaped_user, &reaped_system) != 6)
        return false;
    uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t used_ns = (user + system) * tick_ns; /* in steps of 10 ms */
    (void)process_cpu_ns(pid, &used_ns);
    *process = (struct process){.pid = pid,
                                .parent = parent,
                                .is_kernel = (flags & KERNEL_THREAD) != 0,
                                .cpu_ns = used_ns,
                                .reaped_cpu_ns = (reaped_user + reaped_system) * tick_ns};
    return true;
}

size_t process_list(struct process **list)
{
    size_t count = 0;
    DIR *folder = opendir("/proc");
    *list = NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        struct process process;
        if (*end != '\0' || !read_process((pid_t)pid, &process))
            continue;
        *list = memory_grow(*list, count, sizeof **list);
        (*list)[count++] = process;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

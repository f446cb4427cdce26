// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/machine.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Beside the sessions: the loop's own descriptors, files, pipes; for a JVM its jars besides. */
#define DESCRIPTORS_BESIDE 256

enum error_kind machine_allow_descriptors(uint64_t needed, struct error *error)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)needed + DESCRIPTORS_BESIDE;
    getrlimit(RLIMIT_NOFILE, &limit);
    struct rlimit raised = {wanted, limit.rlim_max > wanted ? limit.rlim_max : wanted};
    if (limit.rlim_cur >= wanted || setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return ERROR_NONE;
    return error_raise(error, ERROR_NO_DESCRIPTORS, 0, "sessions",
                       "%llu are needed in one process, %llu are allowed",
                       (unsigned long long)wanted, (unsigned long long)limit.rlim_max);
}

uint64_t machine_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_max > DESCRIPTORS_BESIDE ? limit.rlim_max - DESCRIPTORS_BESIDE : 0;
}

/* The number of local ports for connections to one server. */
static uint64_t count_local_ports(void)
{
    char range[64];
    unsigned long first, last;
    text_read(range, sizeof range, "/proc/sys/net/ipv4/ip_local_port_range");
    bool known = sscanf(range, "%lu %lu", &first, &last) == 2 && last >= first;
    return known ? last - first + 1 : 60999 - 32768 + 1;
}

/* The innermost mount holds it; of several on one place the last. */
void machine_file_system(const char *folder, char *name, size_t size)
{
    char line[8192];
    struct mntent mount;
    size_t longest = 0;
    snprintf(name, size, "unknown");
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    while (mounts != NULL && getmntent_r(mounts, &mount, line, sizeof line) != NULL) {
        size_t length = strlen(mount.mnt_dir);
        bool is_above = length == 1 || (strncmp(folder, mount.mnt_dir, length) == 0 &&
                                        (folder[length] == '/' || folder[length] == '\0'));
        if (length < longest || !is_above)
            continue;
        longest = length;
        snprintf(name, size, "%s", mount.mnt_type);
    }
    if (mounts != NULL)
        endmntent(mounts);
}

json_t *machine_describe(void)
{
    static const char key[] = "model name";
    struct utsname kernel;
    struct rlimit files;
    char cpuinfo[4096], model[200] = "unknown";
    text_read(cpuinfo, sizeof cpuinfo, "/proc/cpuinfo");
    const char *line = strstr(cpuinfo, key);
    if (line != NULL)
        sscanf(line + strlen(key), " : %199[^\n]", model);
    uname(&kernel);
    getrlimit(RLIMIT_NOFILE, &files);
    json_int_t memory_mib =
        (json_int_t)sysconf(_SC_PHYS_PAGES) * (json_int_t)sysconf(_SC_PAGESIZE) / (1 << 20);
    return json_pack("{s:s, s:i, s:I, s:s, s:s, s:I, s:I}", "cpu", model, "cores",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "memory_mib", memory_mib, "kernel",
                     kernel.release, "architecture", kernel.machine, "open_files_max",
                     (json_int_t)files.rlim_cur, "local_ports", (json_int_t)count_local_ports());
}

/* ------------------------------------------------------------------ signals */

int signals_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ------------------------------------------------------------------ standard output */

static const char subject[] = "standard output";

enum error_kind standard_output_flush(struct error *error)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return ERROR_NONE;
    int os_error = errno;
    clearerr(stdout);
    return os_error == EPIPE ? error_raise(error, ERROR_UNREAD, os_error, subject, "%s", "")
                             : error_from_errno(error, os_error, subject, "%s", "");
}

/* A file on a full disk; or Linux's /dev/full, which is there to be taken for one. */
static bool is_full(const struct stat *status)
{
    struct statvfs disk;
    if (S_ISCHR(status->st_mode))
        return status->st_rdev == makedev(1, 7);
    return S_ISREG(status->st_mode) && fstatvfs(STDOUT_FILENO, &disk) == 0 && disk.f_blocks > 0 &&
           disk.f_bavail == 0;
}

enum error_kind standard_output_check(struct error *error)
{
    struct stat status;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(STDOUT_FILENO, &status) != 0)
        return error_raise(error, ERROR_NO_OUTPUT, 0, subject, "%s", "");
    if (is_full(&status))
        return error_raise(error, ERROR_NO_SPACE, ENOSPC, subject, "%s", "");
    if (poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0)
        return error_raise(error, ERROR_UNREAD, EPIPE, subject, "%s", "");
    return ERROR_NONE;
}

void standard_output_guard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY); /* the lowest that is free: this one */
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/standard_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

/* Linux's /dev/full, which is there to be taken for a full disk. */
static bool is_full_device(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 7);
}

static bool is_on_full_disk(const struct stat *status)
{
    struct statvfs disk;
    return S_ISREG(status->st_mode) && fstatvfs(STDOUT_FILENO, &disk) == 0 && disk.f_blocks > 0 &&
           disk.f_bavail == 0;
}

static bool has_no_reader(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

enum error_kind standard_output_check(struct error *error)
{
    struct stat status;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(STDOUT_FILENO, &status) != 0)
        return error_raise(error, ERROR_NO_OUTPUT, 0, subject, "%s", "");
    if (is_full_device(&status) || is_on_full_disk(&status))
        return error_raise(error, ERROR_NO_SPACE, ENOSPC, subject, "%s", "");
    if (has_no_reader())
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

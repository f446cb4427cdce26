// SPDX-License-Identifier: Apache-2.0
#include "zk/keeper.h"

#include "base/clock.h"
#include "zk/dial.h"
#include "zk/ward.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FREE_MS 2000
#define END_MS  10000 /* of one that was detached: its servers, and a folder of any size */

struct keeper {
    pid_t pid;
    int channel;
    char folder[WARD_FOLDER_SIZE];
};

/* All signals wait while the child still has the program's handlers. */
static pid_t fork_keeper(int channel, const char *parent_folder)
{
    int program = (int)syscall(SYS_pidfd_open, getpid(), 0);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        ward_keep(channel, program, parent_folder);
    int os_error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (program >= 0)
        close(program);
    errno = os_error;
    return pid;
}

static enum fault_kind await_greeting(struct keeper *keeper, const char *parent_folder,
                                      struct fault *fault)
{
    struct ward_greeting greeting;
    if (ward_receive(keeper->channel, &greeting, sizeof greeting) != (ssize_t)sizeof greeting)
        return fault_raise(fault, FAULT_SYSTEM, 0, parent_folder,
                           "the process that is to watch over the server ended by itself");
    if (greeting.os_error != 0)
        return fault_from_errno(fault, greeting.os_error, parent_folder,
                                "while making a temporary folder in it");
    memcpy(keeper->folder, greeting.folder, sizeof keeper->folder);
    return FAULT_NONE;
}

enum fault_kind keeper_new(const char *parent_folder, struct keeper **keeper, struct fault *fault)
{
    int ends[2];
    struct keeper *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fault_from_errno(fault, ENOMEM, parent_folder, "%s", "");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(made);
        return fault_from_errno(fault, errno, parent_folder, "while starting a process");
    }
    made->channel = ends[0];
    made->pid = fork_keeper(ends[1], parent_folder);
    int os_error = errno;
    close(ends[1]);
    enum fault_kind kind =
        made->pid < 0 ? fault_from_errno(fault, os_error, parent_folder, "while starting a process")
                      : await_greeting(made, parent_folder, fault);
    if (kind == FAULT_NONE)
        *keeper = made;
    else
        keeper_free(made);
    return kind;
}

void keeper_free(struct keeper *keeper)
{
    if (keeper == NULL)
        return;
    /* Not only closed: a forked child that did not forget the keeper has a copy. */
    shutdown(keeper->channel, SHUT_WR);
    uint64_t deadline_ns = clock_now_ns() + FREE_MS * NS_PER_MS;
    char ignored[64];
    bool ended = keeper->pid < 0;
    while (!ended && dial_await(keeper->channel, POLLIN, deadline_ns))
        ended = ward_receive(keeper->channel, ignored, sizeof ignored) <= 0;
    if (keeper->pid > 0)
        while (waitpid(keeper->pid, NULL, ended ? 0 : WNOHANG) < 0 && errno == EINTR)
            ;
    keeper_forget(keeper);
}

void keeper_forget(struct keeper *keeper)
{
    if (keeper == NULL)
        return;
    close(keeper->channel);
    free(keeper);
}

const char *keeper_folder(const struct keeper *keeper)
{
    return keeper->folder;
}

static bool append(char *request, size_t *size, const char *string)
{
    size_t length = strlen(string) + 1;
    if (length > WARD_REQUEST_SIZE - *size)
        return false;
    memcpy(request + *size, string, length);
    *size += length;
    return true;
}

static enum fault_kind ask(struct keeper *keeper, const char *request, size_t size,
                           const char *subject, struct ward_reply *reply, struct fault *fault)
{
    if (!ward_send(keeper->channel, request, size) ||
        ward_receive(keeper->channel, reply, sizeof *reply) != (ssize_t)sizeof *reply)
        return fault_raise(fault, FAULT_SYSTEM, 0, subject,
                           "the process that is to watch over the server is gone");
    return FAULT_NONE;
}

enum fault_kind keeper_run(struct keeper *keeper, const char *const arguments[],
                           const char *log_name, pid_t *pid, struct fault *fault)
{
    char request[WARD_REQUEST_SIZE];
    size_t size = 0, count = 0;
    struct ward_reply reply = {0};
    assert(log_name[0] != '\0');
    bool fits = append(request, &size, log_name);
    for (; fits && arguments[count] != NULL; count++)
        fits = count < WARD_ARGUMENTS_MAX && append(request, &size, arguments[count]);
    if (!fits)
        return fault_from_errno(fault, E2BIG, arguments[0], "%s", "");
    enum fault_kind kind = ask(keeper, request, size, arguments[0], &reply, fault);
    if (kind != FAULT_NONE)
        return kind;
    if (reply.os_error != 0)
        return fault_from_errno(fault, reply.os_error, arguments[0], "while starting a process");
    *pid = reply.pid;
    return FAULT_NONE;
}

/* One that stands by itself. */

enum fault_kind keeper_detach(struct keeper *keeper, const char *lock_path, struct fault *fault)
{
    char request[WARD_REQUEST_SIZE] = "";
    struct ward_reply reply = {0};
    size_t size = 1;
    if (!append(request, &size, lock_path))
        return fault_from_errno(fault, ENAMETOOLONG, lock_path, "%s", "");
    enum fault_kind kind = ask(keeper, request, size, lock_path, &reply, fault);
    if (kind != FAULT_NONE)
        return kind;
    if (reply.os_error != 0)
        return fault_from_errno(fault, reply.os_error, lock_path, "while locking it");
    keeper_forget(keeper);
    return FAULT_NONE;
}

pid_t keeper_holder(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return 0;
    return whole.l_pid > 0 ? whole.l_pid : -1;
}

/* The descriptor is of the process that holds the lock, and of no later one of the same number, if
 * the lock is held by that number once it is there. -1 and errno if not. */
static int open_holder(int descriptor)
{
    pid_t pid = keeper_holder(descriptor);
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0 || keeper_holder(descriptor) == pid)
        return process;
    close(process);
    errno = ESRCH;
    return -1;
}

enum fault_kind keeper_end_detached(int descriptor, const char *lock_path, struct fault *fault)
{
    int process = open_holder(descriptor);
    if (process < 0)
        return fault_from_errno(fault, errno, lock_path, "while looking for its keeper");
    struct pollfd wait = {.fd = process, .events = POLLIN};
    int failed = syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0) != 0;
    int os_error = errno;
    int ended = failed ? 0 : poll(&wait, 1, END_MS);
    close(process);
    if (failed)
        return fault_from_errno(fault, os_error, lock_path, "while ending its keeper");
    if (ended != 1)
        return fault_raise(fault, FAULT_SYSTEM, 0, lock_path,
                           "its keeper, process %d, has not ended within %d s",
                           (int)keeper_holder(descriptor), END_MS / 1000);
    return FAULT_NONE;
}

void keeper_remove_leftovers(const char *folder)
{
    struct stat status;
    const char *name = strrchr(folder, '/');
    if (name != NULL && strncmp(name + 1, WARD_FOLDER_NAME, strlen(WARD_FOLDER_NAME)) == 0 &&
        lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid())
        ward_remove_folder(folder);
}

/* Its processes. */

bool keeper_process_alive(pid_t pid)
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

void keeper_kill(pid_t pid)
{
    uint64_t deadline_ns = clock_now_ns() + NS_PER_S;
    if (keeper_process_alive(pid))
        kill(-pid, SIGKILL);
    while (keeper_process_alive(pid) && clock_now_ns() < deadline_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

bool keeper_process_rss_kib(pid_t pid, uint64_t *rss_kib)
{
    char path[64];
    uint64_t total_pages, resident_pages;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = keeper_process_alive(pid) ? fopen(path, "re") : NULL;
    if (file == NULL)
        return false;
    int fields = fscanf(file, "%" SCNu64 " %" SCNu64, &total_pages, &resident_pages);
    fclose(file);
    if (fields != 2 || resident_pages == 0)
        return false;
    *rss_kib = resident_pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    return true;
}

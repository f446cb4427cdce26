// SPDX-License-Identifier: Apache-2.0
#include "servers/supervisor.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "servers/internal.h"
#include "servers/tcp.h"

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
#define END_MS  10000

struct supervisor {
    pid_t pid;
    int channel;
    char folder[SUPERVISOR_FOLDER_SIZE];
};

/* Signals are blocked while the child still has the program's handlers. */
static pid_t fork_supervisor(int channel, const char *parent_folder)
{
    int program = (int)syscall(SYS_pidfd_open, getpid(), 0);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        supervisor_process_keep(channel, program, parent_folder);
    int os_error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (program >= 0)
        close(program);
    errno = os_error;
    return pid;
}

/* Sends a request, if it is not NULL, and waits for the reply. attempt: what fails if the
 * supervisor cannot do it. */
static enum error_kind ask(const struct supervisor *supervisor, const char *request, size_t size,
                           const char *subject, const char *attempt,
                           struct supervisor_process_reply *reply, struct error *error)
{
    if ((request != NULL && !supervisor_process_send(supervisor->channel, request, size)) ||
        supervisor_process_receive(supervisor->channel, reply, sizeof *reply) !=
            (ssize_t)sizeof *reply)
        return error_raise(error, ERROR_SYSTEM, 0, subject,
                           "the process that is to watch over the server is gone");
    return reply->os_error == 0 ? ERROR_NONE
                                : error_from_errno(error, reply->os_error, subject, "%s", attempt);
}

enum error_kind supervisor_new(const char *parent_folder, struct supervisor **supervisor,
                               struct error *error)
{
    int ends[2];
    struct supervisor_process_reply reply;
    struct supervisor *made = memory_new(1, sizeof *made);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(made);
        return error_from_errno(error, errno, parent_folder, "while starting a process");
    }
    made->channel = ends[0];
    made->pid = fork_supervisor(ends[1], parent_folder);
    int os_error = errno;
    close(ends[1]);
    enum error_kind kind =
        made->pid < 0 ? error_from_errno(error, os_error, parent_folder, "while starting a process")
                      : ask(made, NULL, 0, parent_folder, "while making a temporary folder in it",
                            &reply, error);
    if (kind != ERROR_NONE) {
        supervisor_free(made);
        return kind;
    }
    memcpy(made->folder, reply.folder, sizeof made->folder);
    *supervisor = made;
    return ERROR_NONE;
}

void supervisor_free(struct supervisor *supervisor)
{
    if (supervisor == NULL)
        return;
    /* close alone is not enough: a forked child may have a copy. */
    shutdown(supervisor->channel, SHUT_WR);
    uint64_t deadline_ns = clock_now_ns() + FREE_MS * NS_PER_MS;
    char ignored[64];
    bool ended = supervisor->pid < 0;
    while (!ended && tcp_await(supervisor->channel, POLLIN, deadline_ns))
        ended = supervisor_process_receive(supervisor->channel, ignored, sizeof ignored) <= 0;
    if (supervisor->pid > 0)
        (void)TEMP_FAILURE_RETRY(waitpid(supervisor->pid, NULL, ended ? 0 : WNOHANG));
    supervisor_forget(supervisor);
}

void supervisor_forget(struct supervisor *supervisor)
{
    if (supervisor == NULL)
        return;
    close(supervisor->channel);
    free(supervisor);
}

const char *supervisor_folder(const struct supervisor *supervisor)
{
    return supervisor->folder;
}

static bool append(char *request, size_t *size, const char *string)
{
    size_t length = strlen(string) + 1;
    if (length > SUPERVISOR_REQUEST_SIZE - *size)
        return false;
    memcpy(request + *size, string, length);
    *size += length;
    return true;
}

/* replaced: 0 for none. */
static enum error_kind run(const struct supervisor *supervisor, const char *const arguments[],
                           const char *log_name, pid_t replaced, unsigned cpu_percent, pid_t *pid,
                           struct error *error)
{
    char request[SUPERVISOR_REQUEST_SIZE], old[16], share[16];
    size_t size = 0, count = 0;
    struct supervisor_process_reply reply = {0};
    assert(log_name[0] != '\0');
    snprintf(old, sizeof old, "%d", (int)replaced);
    snprintf(share, sizeof share, "%u", cpu_percent);
    bool fits = append(request, &size, log_name) && append(request, &size, old) &&
                append(request, &size, share);
    for (; fits && arguments[count] != NULL; count++)
        fits = count < SUPERVISOR_ARGUMENTS_MAX && append(request, &size, arguments[count]);
    if (!fits)
        return error_from_errno(error, E2BIG, arguments[0], "%s", "");
    enum error_kind kind =
        ask(supervisor, request, size, arguments[0], "while starting a process", &reply, error);
    if (kind == ERROR_NONE && reply.share_error.kind != ERROR_NONE) {
        *error = reply.share_error;
        kind = error->kind;
    }
    if (reply.pid > 0)
        *pid = reply.pid;
    return kind;
}

enum error_kind supervisor_run(struct supervisor *supervisor, const char *const arguments[],
                               const char *log_name, unsigned cpu_percent, pid_t *pid,
                               struct error *error)
{
    return run(supervisor, arguments, log_name, 0, cpu_percent, pid, error);
}

enum error_kind supervisor_replace(struct supervisor *supervisor, const char *const arguments[],
                                   const char *log_name, pid_t *pid, struct error *error)
{
    return run(supervisor, arguments, log_name, *pid, 0, pid, error);
}

enum error_kind supervisor_detach(struct supervisor *supervisor, const char *lock_path,
                                  struct error *error)
{
    char request[SUPERVISOR_REQUEST_SIZE] = "";
    struct supervisor_process_reply reply;
    size_t size = 1;
    if (!append(request, &size, lock_path))
        return error_from_errno(error, ENAMETOOLONG, lock_path, "%s", "");
    enum error_kind kind =
        ask(supervisor, request, size, lock_path, "while locking it", &reply, error);
    if (kind == ERROR_NONE)
        supervisor_forget(supervisor);
    return kind;
}

pid_t supervisor_holder(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return 0;
    return whole.l_pid > 0 ? whole.l_pid : -1;
}

/* Opens a pidfd of the process that holds the lock, or returns -1 with errno. The lock is looked at
 * again afterwards: else the number might be that of a later process. */
static int open_holder(int descriptor)
{
    pid_t pid = supervisor_holder(descriptor);
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0 || supervisor_holder(descriptor) == pid)
        return process;
    close(process);
    errno = ESRCH;
    return -1;
}

enum error_kind supervisor_end_detached(int descriptor, const char *lock_path, struct error *error)
{
    int process = open_holder(descriptor);
    if (process < 0)
        return error_from_errno(error, errno, lock_path, "while looking for its supervisor");
    struct pollfd wait = {.fd = process, .events = POLLIN};
    int failed = syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0) != 0;
    int os_error = errno;
    int ended = failed ? 0 : poll(&wait, 1, END_MS);
    close(process);
    if (failed)
        return error_from_errno(error, os_error, lock_path, "while ending its supervisor");
    if (ended != 1)
        return error_raise(error, ERROR_SYSTEM, 0, lock_path,
                           "its supervisor, process %d, has not ended within %d s",
                           (int)supervisor_holder(descriptor), END_MS / 1000);
    return ERROR_NONE;
}

void supervisor_remove_leftovers(const char *folder)
{
    struct stat status;
    const char *name = strrchr(folder, '/');
    if (name != NULL &&
        strncmp(name + 1, SUPERVISOR_FOLDER_NAME, strlen(SUPERVISOR_FOLDER_NAME)) == 0 &&
        lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid())
        supervisor_process_remove_folder(folder);
}

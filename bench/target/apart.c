// SPDX-License-Identifier: Apache-2.0
#include "bench/target/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUBJECT "the process that looks at the servers"

/* What the two processes share. */
struct shared {
    bool done;
    struct error error;
    char object[] __attribute__((aligned(_Alignof(max_align_t))));
};

/* Whether the process has ended: false if `interrupts` became readable before. */
static bool await_end(int process, int interrupts)
{
    struct pollfd both[] = {{.fd = process, .events = POLLIN},
                            {.fd = interrupts, .events = POLLIN}};
    while (poll(both, 2, -1) < 0)
        continue; /* EINTR */
    return both[0].revents != 0;
}

/* Ends the process if it has not ended by itself. */
static enum error_kind await_process(pid_t pid, int interrupts, struct error *error)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0), os_error = errno;
    bool ended = process >= 0 && await_end(process, interrupts);
    if (!ended)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (process < 0)
        return error_from_errno(error, os_error, SUBJECT, "%s", "");
    close(process);
    return ended ? ERROR_NONE : error_raise(error, ERROR_INTERRUPTED, 0, SUBJECT, "%s", "");
}

static enum error_kind take_result(const struct shared *shared, void *object, size_t size,
                                   struct error *error)
{
    if (!shared->done)
        return error_raise(error, ERROR_WORKER_DIED, 0, SUBJECT, "%s", "");
    if (shared->error.kind != ERROR_NONE)
        *error = shared->error;
    else
        memcpy(object, shared->object, size);
    return shared->error.kind;
}

enum error_kind
apart_run(enum error_kind (*work)(void *object, const void *context, struct error *error),
          void *object, size_t size, const void *context, int interrupts, struct error *error)
{
    struct shared *shared = mmap(NULL, sizeof *shared + size, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return error_from_errno(error, errno, SUBJECT, "%s", "");
    memcpy(shared->object, object, size);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) /* it died before the line above */
            _exit(1);
        (void)!work(shared->object, context, &shared->error);
        shared->done = true;
        _exit(0);
    }
    enum error_kind kind = pid < 0 ? error_from_errno(error, errno, SUBJECT, "cannot be started")
                                   : await_process(pid, interrupts, error);
    if (kind == ERROR_NONE)
        kind = take_result(shared, object, size, error);
    munmap(shared, sizeof *shared + size);
    return kind;
}

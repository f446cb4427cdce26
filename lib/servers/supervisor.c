// SPDX-License-Identifier: Apache-2.0
#include "servers/supervisor.h"

#include "base/clock.h"
#include "base/memory.h"
#include "servers/cpu_share.h"
#include "servers/tcp.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FREE_NS  (2 * NS_PER_S)
#define GRACE_NS NS_PER_S
/* How often a detached supervisor looks whether the file that it has locked still exists. */
#define LOOK_S        5
#define ARGUMENTS_MAX 64
#define FOLDER_NAME   "zkherd-server-"
#define FOLDER_SIZE   1024

/* What goes through the channel, a packet each. The supervisor replies when the folder is made, and
 * to each request. */
struct request {
    bool detaches; /* lock the file `file`, and go on without the program */
    unsigned cpu_percent;
    char file[PATH_MAX];       /* the log */
    char arguments[32 * 1024]; /* each with its NUL; behind the last an empty one */
};

struct reply {
    struct error error;
    pid_t pid;                /* of the process that runs */
    char folder[FOLDER_SIZE]; /* in the first reply */
};

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* ------------------------------------------------------------------ the supervisor's process
 *
 * It is forked while the program has one thread, so it may allocate. It ends by _exit: the
 * program's exit handlers and unwritten output are not its own. */

static struct {
    int channel, program;         /* the other end of the channel, and a pidfd */
    char parent_folder[PATH_MAX]; /* absolute once the folder is made */
    bool made_parent;
    char folder[FOLDER_SIZE];
    char locked[PATH_MAX]; /* the file to lock; "": not detached */
    int lock;
    sigset_t term; /* SIGTERM alone, which a detached one waits for */
    size_t count;  /* of processes; none is reaped before the end, so no number is used again */
    struct {
        pid_t pid;
        struct cpu_share share;
    } processes[SUPERVISOR_PROCESSES_MAX];
} own;

static void set_signals(void (*handler)(int))
{
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], handler);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* If the program's output stayed open, `zkherd | less` would wait for the supervisor's end. */
static void close_descriptors(int channel, int program)
{
    int null = open("/dev/null", O_RDWR);
    channel = fcntl(channel, F_DUPFD_CLOEXEC, 5); /* out of the way of the next lines */
    program = fcntl(program, F_DUPFD_CLOEXEC, 5);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    own.channel = dup3(channel, 3, O_CLOEXEC);
    own.program = dup3(program, 4, O_CLOEXEC);
    closefrom(5);
}

/* If the program made the folder, its death could leave it behind. */
static enum error_kind make_folder(const char *parent_folder, struct error *error)
{
    own.made_parent = mkdir(parent_folder, 0700) == 0;
    int os_error = errno;
    /* A file system may refuse a mkdir before it looks whether the folder exists. */
    if (realpath(parent_folder, own.parent_folder) != NULL) {
        int length =
            snprintf(own.folder, sizeof own.folder, "%s/" FOLDER_NAME "XXXXXX", own.parent_folder);
        if ((size_t)length < sizeof own.folder && mkdtemp(own.folder) != NULL)
            return ERROR_NONE;
        os_error = (size_t)length < sizeof own.folder ? errno : ENAMETOOLONG;
    }
    own.folder[0] = '\0';
    return error_from_errno(error, os_error, parent_folder,
                            "while making a temporary folder in it");
}

/* Runs in the child of the supervisor; errors go to the log. */
_Noreturn static void execute(pid_t supervisor, const struct cpu_share *share,
                              struct request *request)
{
    char *arguments[ARGUMENTS_MAX + 1] = {NULL};
    char *text = request->arguments;
    struct error error;
    size_t count = 0;
    do
        arguments[count++] = text;
    while (*(text += strlen(text) + 1) != '\0');
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) /* it died before the line above */
        _exit(127);
    set_signals(SIG_DFL);
    if (chdir(own.folder) != 0)
        _exit(127);
    int log = open(request->file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    if (share->folder[0] != '\0' && cpu_share_put(share, getpid(), &error) != ERROR_NONE)
        dprintf(2, "%s: %s\n", error.subject, error.detail);
    else if (execv(arguments[0], arguments) != 0)
        dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

static void run(struct request *request, struct reply *reply)
{
    struct cpu_share *share = &own.processes[own.count].share;
    char name[FOLDER_SIZE + 16];
    pid_t supervisor = getpid();
    snprintf(name, sizeof name, "%s.%zu", strrchr(own.folder, '/') + 1, own.count + 1);
    if (request->cpu_percent > 0 &&
        cpu_share_new(name, request->cpu_percent, share, &reply->error) != ERROR_NONE)
        return;
    reply->pid = fork();
    if (reply->pid == 0)
        execute(supervisor, share, request);
    if (reply->pid < 0) {
        error_from_errno(&reply->error, errno, request->arguments, "while starting a process");
        cpu_share_remove(share);
        return;
    }
    setpgid(reply->pid, reply->pid); /* also here: the group exists before the child gets so far */
    own.processes[own.count++].pid = reply->pid;
}

/* Blocks SIGTERM, which is waited for from then on. */
static enum error_kind take_lock(const char *path, struct error *error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    own.lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (own.lock < 0)
        return error_from_errno(error, errno, path, "while locking it");
    sigemptyset(&own.term);
    sigaddset(&own.term, SIGTERM);
    sigprocmask(SIG_BLOCK, &own.term, NULL);
    signal(SIGTERM, SIG_DFL); /* an ignored signal would not become pending */
    if (fcntl(own.lock, F_SETLK, &whole) != 0) {
        error_from_errno(error, errno, path, "while locking it");
        close(own.lock);
        return error->kind;
    }
    strcpy(own.locked, path);
    (void)!chdir("/");
    return ERROR_NONE;
}

/* Whether the path is still that of the locked file. */
static bool is_remembered(void)
{
    struct stat named, held;
    return lstat(own.locked, &named) == 0 && fstat(own.lock, &held) == 0 &&
           named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

/* Answers requests until the program is gone, or, once it has detached the supervisor, until that
 * is to end. */
static void serve(void)
{
    static struct request request;
    while (own.locked[0] == '\0') {
        struct pollfd waits[2] = {{.fd = own.channel, .events = POLLIN},
                                  {.fd = own.program, .events = POLLIN}};
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents != 0 || recv(own.channel, &request, sizeof request, 0) <= 0)
            return;
        struct reply reply = {.error.kind = ERROR_NONE};
        if (request.detaches)
            take_lock(request.file, &reply.error);
        else
            run(&request, &reply);
        send(own.channel, &reply, sizeof reply, MSG_NOSIGNAL);
    }
    close(own.channel);
    while (sigtimedwait(&own.term, NULL, &(struct timespec){.tv_sec = LOOK_S}) != SIGTERM &&
           is_remembered())
        ;
}

/* Waits until no child is left; false after GRACE_NS. The supervisor inherits the orphans of its
 * children: a java that is a shell script has a child. */
static bool reap_all(void)
{
    uint64_t deadline_ns = clock_now_ns() + GRACE_NS;
    while (clock_now_ns() < deadline_ns) {
        pid_t reaped = waitpid(-1, NULL, WNOHANG);
        if (reaped < 0 && errno == ECHILD)
            return true;
        if (reaped == 0)
            pause_ms(5);
    }
    return false;
}

static void signal_all(int number)
{
    for (size_t i = 0; i < own.count; i++)
        kill(-own.processes[i].pid, number);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

/* The folder is removed more than once: a process that was killed may still write for a moment. */
static void clear_away(void)
{
    struct error ignored;
    for (size_t i = 0; i < own.count; i++) {
        if (own.processes[i].share.folder[0] != '\0') /* a process ends slowly with its limit */
            (void)!cpu_share_set(&own.processes[i].share, 0, &ignored);
    }
    signal_all(SIGTERM);
    if (!reap_all()) {
        signal_all(SIGKILL);
        reap_all();
    }
    for (size_t i = 0; i < own.count; i++)
        cpu_share_remove(&own.processes[i].share);
    for (int attempt = 0; attempt < 20 && access(own.folder, F_OK) == 0; attempt++) {
        if (attempt > 0)
            pause_ms(20);
        nftw(own.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    if (own.made_parent)
        rmdir(own.parent_folder);
    if (own.locked[0] != '\0' && is_remembered())
        unlink(own.locked);
}

_Noreturn static void keep(int channel, int program, const char *parent_folder)
{
    struct reply greeting = {.error.kind = ERROR_NONE};
    setsid();
    prctl(PR_SET_NAME, "zkherd-servers");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* The program's handlers must not run here, and an ignored SIGCHLD would lose the children. */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    set_signals(SIG_IGN);
    close_descriptors(channel, program);
    make_folder(parent_folder, &greeting.error);
    strcpy(greeting.folder, own.folder);
    if (send(own.channel, &greeting, sizeof greeting, MSG_NOSIGNAL) > 0 &&
        greeting.error.kind == ERROR_NONE)
        serve();
    clear_away();
    _exit(0);
}

/* ------------------------------------------------------------------ the program's side */

struct supervisor {
    pid_t pid;
    int channel;
    char folder[FOLDER_SIZE];
};

/* Sends a request, unless it is NULL, and waits for the reply. */
static enum error_kind ask(const struct supervisor *supervisor, const struct request *request,
                           struct reply *reply, struct error *error)
{
    int channel = supervisor->channel;
    if ((request != NULL &&
         TEMP_FAILURE_RETRY(send(channel, request, sizeof *request, MSG_NOSIGNAL)) < 0) ||
        TEMP_FAILURE_RETRY(recv(channel, reply, sizeof *reply, 0)) != (ssize_t)sizeof *reply)
        return error_raise(error, ERROR_SYSTEM, 0, "private servers",
                           "the process that is to watch over them is gone");
    if (reply->error.kind != ERROR_NONE)
        *error = reply->error;
    return reply->error.kind;
}

enum error_kind supervisor_new(const char *parent_folder, struct supervisor **supervisor,
                               struct error *error)
{
    int ends[2], program = (int)syscall(SYS_pidfd_open, getpid(), 0);
    struct reply reply;
    sigset_t all, before;
    if (program < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_from_errno(error, errno, parent_folder, "while starting a process");
    /* Signals are blocked while the child still has the program's handlers. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        keep(ends[1], program, parent_folder);
    int os_error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(program);
    close(ends[1]);
    struct supervisor *made = memory_new(1, sizeof *made);
    *made = (struct supervisor){.pid = pid, .channel = ends[0]};
    enum error_kind kind =
        pid < 0 ? error_from_errno(error, os_error, parent_folder, "while starting a process")
                : ask(made, NULL, &reply, error);
    if (kind != ERROR_NONE) {
        supervisor_free(made);
        return kind;
    }
    strcpy(made->folder, reply.folder);
    *supervisor = made;
    return ERROR_NONE;
}

static void forget(struct supervisor *supervisor)
{
    close(supervisor->channel);
    free(supervisor);
}

void supervisor_free(struct supervisor *supervisor)
{
    if (supervisor == NULL)
        return;
    /* close alone is not enough: a forked child may have a copy. */
    shutdown(supervisor->channel, SHUT_WR);
    uint64_t deadline_ns = clock_now_ns() + FREE_NS;
    char ignored[64];
    bool ended = supervisor->pid < 0;
    while (!ended && tcp_await(supervisor->channel, POLLIN, deadline_ns))
        ended = TEMP_FAILURE_RETRY(recv(supervisor->channel, ignored, sizeof ignored, 0)) <= 0;
    if (supervisor->pid > 0)
        (void)TEMP_FAILURE_RETRY(waitpid(supervisor->pid, NULL, ended ? 0 : WNOHANG));
    forget(supervisor);
}

const char *supervisor_folder(const struct supervisor *supervisor)
{
    return supervisor->folder;
}

enum error_kind supervisor_run(struct supervisor *supervisor, const char *const arguments[],
                               const char *log_name, unsigned cpu_percent, pid_t *pid,
                               struct error *error)
{
    struct request request = {.cpu_percent = cpu_percent};
    struct reply reply;
    size_t length = 0;
    strcpy(request.file, log_name);
    for (size_t i = 0; arguments[i] != NULL; i++) {
        size_t bytes = strlen(arguments[i]) + 1;
        assert(i < ARGUMENTS_MAX && length + bytes < sizeof request.arguments);
        memcpy(request.arguments + length, arguments[i], bytes);
        length += bytes;
    }
    enum error_kind kind = ask(supervisor, &request, &reply, error);
    if (kind == ERROR_NONE)
        *pid = reply.pid;
    return kind;
}

enum error_kind supervisor_detach(struct supervisor *supervisor, const char *lock_path,
                                  struct error *error)
{
    struct request request = {.detaches = true};
    struct reply reply;
    strcpy(request.file, lock_path);
    enum error_kind kind = ask(supervisor, &request, &reply, error);
    if (kind == ERROR_NONE)
        forget(supervisor);
    return kind;
}

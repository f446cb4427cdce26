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
#define END_MS   10000
#define GRACE_NS NS_PER_S
/* How often a detached supervisor looks whether the file that it has locked still exists. */
#define LOOK_S        5
#define ARGUMENTS_MAX 64
#define FOLDER_NAME   "zkherd-server-"
#define FOLDER_SIZE   1024
#define DETACH        UINT32_MAX

/* What goes through the channel, a packet each. The supervisor replies when the folder is made, and
 * to each request. */
struct request {
    unsigned place; /* DETACH: lock the file log_name, and go on without the program */
    unsigned cpu_percent;
    char log_name[PATH_MAX];
    char arguments[32 * 1024]; /* each with its NUL; behind the last an empty one */
};

struct reply {
    int os_error;
    struct error share_error; /* why the program has no CPU share, or ERROR_NONE */
    pid_t pid;                /* of the program that runs */
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
    int channel, program;         /* -1: a kernel without pidfds, where only the channel shows the
                                     program's end */
    char parent_folder[PATH_MAX]; /* absolute once the folder is made */
    bool made_parent;
    char folder[FOLDER_SIZE];
    char locked[PATH_MAX]; /* the file to lock; "": not detached */
    int lock;
    struct place {
        pid_t pid; /* 0: none yet */
        struct cpu_share share;
    } places[SUPERVISOR_PLACES];
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
static void let_go_of_descriptors(int channel, int program)
{
    channel = fcntl(channel, F_DUPFD_CLOEXEC, 5);
    program = program < 0 ? -1 : fcntl(program, F_DUPFD_CLOEXEC, 5);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    own.channel = dup3(channel, 3, O_CLOEXEC);
    own.program = program < 0 ? -1 : dup3(program, 4, O_CLOEXEC);
    closefrom(program < 0 ? 4 : 5);
}

/* Returns 0 or an errno. If the program made the folder, its death could leave it behind. */
static int make_folder(const char *parent_folder)
{
    own.made_parent = mkdir(parent_folder, 0700) == 0;
    int os_error = errno;
    /* A file system may refuse a mkdir before it looks whether the folder exists. */
    if (realpath(parent_folder, own.parent_folder) == NULL)
        return os_error;
    if (snprintf(own.folder, sizeof own.folder, "%s/" FOLDER_NAME "XXXXXX", own.parent_folder) >=
        (int)sizeof own.folder)
        os_error = ENAMETOOLONG;
    else if (mkdtemp(own.folder) != NULL)
        return 0;
    else
        os_error = errno;
    own.folder[0] = '\0';
    return os_error;
}

/* Runs in the child of the supervisor; errors go to the log. A child with a share of the CPU stops
 * until the supervisor has put it there. */
_Noreturn static void execute(pid_t supervisor, bool has_share, struct request *request)
{
    char *arguments[ARGUMENTS_MAX + 1] = {NULL};
    char *text = request->arguments;
    size_t count = 0;
    do {
        arguments[count++] = text;
        text += strlen(text) + 1;
    } while (count < ARGUMENTS_MAX && *text != '\0');
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) /* it died before the line above */
        _exit(127);
    if (has_share)
        raise(SIGSTOP);
    set_signals(SIG_DFL);
    if (chdir(own.folder) != 0)
        _exit(127);
    int log = open(request->log_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    execv(arguments[0], arguments);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

/* Whether the place may get a process; its share is created for the first. */
static bool make_ready(const struct request *request, struct place *place, struct reply *reply)
{
    char name[FOLDER_SIZE + 16];
    siginfo_t ended = {0};
    if (place->pid > 0) {
        if (waitid(P_PID, (id_t)place->pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            ended.si_pid == 0)
            reply->os_error = EBUSY;
        else
            kill(-place->pid, SIGKILL); /* what is left of its group */
        return reply->os_error == 0;
    }
    snprintf(name, sizeof name, "%s.%u", strrchr(own.folder, '/') + 1, request->place + 1);
    return request->cpu_percent == 0 || cpu_share_new(name, request->cpu_percent, &place->share,
                                                      &reply->share_error) == ERROR_NONE;
}

/* A process that has ended keeps its place, and is not reaped, until another runs there: so its
 * number is not used again before (process_is_alive). */
static struct reply run(struct request *request)
{
    struct place *place = &own.places[request->place];
    struct reply reply = {0};
    pid_t supervisor = getpid();
    bool is_first = place->pid == 0;
    if (!make_ready(request, place, &reply))
        return reply;
    bool has_share = place->share.folder[0] != '\0';
    reply.pid = fork();
    if (reply.pid < 0) {
        reply.os_error = errno;
        if (is_first)
            cpu_share_remove(&place->share);
        return reply;
    }
    if (reply.pid == 0)
        execute(supervisor, has_share, request);
    setpgid(reply.pid, reply.pid); /* also here: the group exists before the child gets that far */
    if (!is_first)
        waitpid(place->pid, NULL, WNOHANG);
    place->pid = reply.pid;
    if (has_share) {
        siginfo_t stopped;
        waitid(P_PID, (id_t)reply.pid, &stopped, WSTOPPED | WEXITED | WNOWAIT);
        enum error_kind kind = cpu_share_put(&place->share, reply.pid, &reply.share_error);
        kill(reply.pid, kind == ERROR_NONE ? SIGCONT : SIGKILL);
    }
    return reply;
}

/* Returns 0 or an errno. Blocks SIGTERM, which is waited for from then on. */
static int take_lock(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    sigset_t term;
    own.lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (own.lock < 0)
        return errno;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    signal(SIGTERM, SIG_DFL); /* an ignored signal would not become pending */
    if (fcntl(own.lock, F_SETLK, &whole) != 0) {
        int os_error = errno;
        close(own.lock);
        return os_error;
    }
    strcpy(own.locked, path);
    (void)!chdir("/");
    return 0;
}

/* Whether the path still leads to the file that is locked. */
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
    sigset_t term;
    while (own.locked[0] == '\0') {
        struct pollfd waits[2] = {{.fd = own.channel, .events = POLLIN},
                                  {.fd = own.program, .events = POLLIN}};
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents != 0 || recv(own.channel, &request, sizeof request, 0) <= 0)
            return;
        struct reply reply = {0};
        if (request.place == DETACH)
            reply.os_error = take_lock(request.log_name);
        else
            reply = run(&request);
        send(own.channel, &reply, sizeof reply, MSG_NOSIGNAL);
    }
    close(own.channel);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    while (sigtimedwait(&term, NULL, &(struct timespec){.tv_sec = LOOK_S}) != SIGTERM &&
           is_remembered())
        ;
}

/* Waits until no child is left; false after GRACE_NS. The supervisor inherits the orphans of its
 * children: a java that is a shell script has a child. */
static bool reap_all(void)
{
    uint64_t deadline_ns = clock_now_ns() + GRACE_NS;
    do {
        pid_t reaped;
        do {
            reaped = waitpid(-1, NULL, WNOHANG);
        } while (reaped > 0);
        if (reaped < 0 && errno == ECHILD)
            return true;
        pause_ms(5);
    } while (clock_now_ns() < deadline_ns);
    return false;
}

static void signal_all(int number)
{
    for (size_t i = 0; i < SUPERVISOR_PLACES; i++) {
        if (own.places[i].pid > 0)
            kill(-own.places[i].pid, number);
    }
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

/* More than once: a process that was killed may still write for a moment. */
static void remove_folder(const char *folder)
{
    for (int attempt = 0; attempt < 20 && access(folder, F_OK) == 0; attempt++) {
        if (attempt > 0)
            pause_ms(20);
        nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
}

static void clear_away(void)
{
    struct error ignored;
    for (size_t i = 0; i < SUPERVISOR_PLACES; i++) {
        if (own.places[i].share.folder[0] != '\0') /* a process ends slowly with its limit */
            (void)!cpu_share_set(&own.places[i].share, 0, &ignored);
    }
    signal_all(SIGTERM);
    if (!reap_all()) {
        signal_all(SIGKILL);
        reap_all();
    }
    for (size_t i = 0; i < SUPERVISOR_PLACES; i++)
        cpu_share_remove(&own.places[i].share);
    remove_folder(own.folder);
    if (own.made_parent)
        rmdir(own.parent_folder);
    if (own.locked[0] != '\0' && is_remembered())
        unlink(own.locked);
}

_Noreturn static void keep(int channel, int program, const char *parent_folder)
{
    struct reply greeting = {0};
    setsid();
    prctl(PR_SET_NAME, "zkherd-servers");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* The program's handlers must not run here, and an ignored SIGCHLD would lose the children. */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    set_signals(SIG_IGN);
    let_go_of_descriptors(channel, program);
    greeting.os_error = make_folder(parent_folder);
    strcpy(greeting.folder, own.folder);
    if (send(own.channel, &greeting, sizeof greeting, MSG_NOSIGNAL) > 0 && greeting.os_error == 0)
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

/* Sends a request, if it is not NULL, and waits for the reply. attempt: what fails if the
 * supervisor cannot do it. */
static enum error_kind ask(const struct supervisor *supervisor, const struct request *request,
                           const char *subject, const char *attempt, struct reply *reply,
                           struct error *error)
{
    int channel = supervisor->channel;
    if ((request != NULL &&
         TEMP_FAILURE_RETRY(send(channel, request, sizeof *request, MSG_NOSIGNAL)) < 0) ||
        TEMP_FAILURE_RETRY(recv(channel, reply, sizeof *reply, 0)) != (ssize_t)sizeof *reply)
        return error_raise(error, ERROR_SYSTEM, 0, subject,
                           "the process that is to watch over the server is gone");
    return reply->os_error == 0 ? ERROR_NONE
                                : error_from_errno(error, reply->os_error, subject, "%s", attempt);
}

enum error_kind supervisor_new(const char *parent_folder, struct supervisor **supervisor,
                               struct error *error)
{
    int ends[2];
    struct reply reply;
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_from_errno(error, errno, parent_folder, "while starting a process");
    int program = (int)syscall(SYS_pidfd_open, getpid(), 0);
    /* Signals are blocked while the child still has the program's handlers. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        keep(ends[1], program, parent_folder);
    int os_error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (program >= 0)
        close(program);
    close(ends[1]);
    struct supervisor *made = memory_new(1, sizeof *made);
    *made = (struct supervisor){.pid = pid, .channel = ends[0]};
    enum error_kind kind =
        pid < 0 ? error_from_errno(error, os_error, parent_folder, "while starting a process")
                : ask(made, NULL, parent_folder, "while making a temporary folder in it", &reply,
                      error);
    if (kind != ERROR_NONE) {
        supervisor_free(made);
        return kind;
    }
    strcpy(made->folder, reply.folder);
    *supervisor = made;
    return ERROR_NONE;
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

enum error_kind supervisor_run(struct supervisor *supervisor, unsigned place,
                               const char *const arguments[], const char *log_name,
                               unsigned cpu_percent, pid_t *pid, struct error *error)
{
    struct request request = {.place = place, .cpu_percent = cpu_percent};
    struct reply reply = {0};
    size_t length = 0, count = 0;
    assert(place < SUPERVISOR_PLACES && strlen(log_name) < sizeof request.log_name);
    strcpy(request.log_name, log_name);
    for (; arguments[count] != NULL; count++) {
        size_t bytes = strlen(arguments[count]) + 1;
        if (count == ARGUMENTS_MAX || bytes >= sizeof request.arguments - length)
            return error_from_errno(error, E2BIG, arguments[0], "%s", "");
        memcpy(request.arguments + length, arguments[count], bytes);
        length += bytes;
    }
    enum error_kind kind =
        ask(supervisor, &request, arguments[0], "while starting a process", &reply, error);
    if (kind == ERROR_NONE && reply.share_error.kind != ERROR_NONE) {
        *error = reply.share_error;
        kind = error->kind;
    }
    if (reply.pid > 0)
        *pid = reply.pid;
    return kind;
}

enum error_kind supervisor_detach(struct supervisor *supervisor, const char *lock_path,
                                  struct error *error)
{
    struct request request = {.place = DETACH};
    struct reply reply;
    if (strlen(lock_path) >= sizeof request.log_name)
        return error_from_errno(error, ENAMETOOLONG, lock_path, "%s", "");
    strcpy(request.log_name, lock_path);
    enum error_kind kind = ask(supervisor, &request, lock_path, "while locking it", &reply, error);
    if (kind == ERROR_NONE)
        supervisor_forget(supervisor);
    return kind;
}

/* ------------------------------------------------------------------ detached supervisors */

pid_t supervisor_holder(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return 0;
    return whole.l_pid > 0 ? whole.l_pid : -1;
}

enum error_kind supervisor_end_detached(int descriptor, const char *lock_path, struct error *error)
{
    pid_t pid = supervisor_holder(descriptor);
    struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    /* The lock is looked at again: else the number might be that of a later process. */
    if (wait.fd >= 0 && supervisor_holder(descriptor) != pid) {
        close(wait.fd);
        wait.fd = -1;
        errno = ESRCH;
    }
    if (wait.fd < 0)
        return error_from_errno(error, errno, lock_path, "while looking for its supervisor");
    bool failed = syscall(SYS_pidfd_send_signal, wait.fd, SIGTERM, NULL, 0) != 0;
    int os_error = errno;
    bool ended = !failed && poll(&wait, 1, END_MS) == 1;
    close(wait.fd);
    if (failed)
        return error_from_errno(error, os_error, lock_path, "while ending its supervisor");
    if (!ended)
        return error_raise(error, ERROR_SYSTEM, 0, lock_path,
                           "its supervisor, process %d, has not ended within %d s",
                           (int)supervisor_holder(descriptor), END_MS / 1000);
    return ERROR_NONE;
}

void supervisor_remove_leftovers(const char *folder)
{
    struct stat status;
    const char *name = strrchr(folder, '/');
    if (name != NULL && strncmp(name + 1, FOLDER_NAME, strlen(FOLDER_NAME)) == 0 &&
        lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid())
        remove_folder(folder);
}

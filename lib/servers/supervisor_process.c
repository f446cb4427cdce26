// SPDX-License-Identifier: Apache-2.0

#include "servers/internal.h"

#include "base/clock.h"
#include "base/process.h"
#include "servers/cpu_share.h"

#include <dirent.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_NS NS_PER_S
/* How often a detached supervisor looks whether the file that it has locked still exists. */
#define LOOK_S 5

struct supervised {
    int channel;
    int program;                  /* see supervisor_process_keep */
    char parent_folder[PATH_MAX]; /* absolute once the folder is made */
    bool made_parent;
    char folder[SUPERVISOR_FOLDER_SIZE];
    const char *locked; /* the file to lock; NULL: not detached */
    int lock;
    pid_t processes[SUPERVISOR_PROCESSES_MAX];
    struct cpu_share shares[SUPERVISOR_PROCESSES_MAX]; /* of the processes, by index */
    size_t count;
};

static void close_all_but(int kept, int kept_too)
{
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL)
        return;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd != kept && fd != kept_too && fd != dirfd(directory))
            close(fd);
    }
    closedir(directory);
}

/* A copy of a descriptor above 2: the program may have closed 0, 1 or 2. */
static int move_up(int fd)
{
    return fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* If the program's output stayed open, `zkherd | less` would wait for the supervisor's end. */
static void let_go_of_descriptors(struct supervised *supervised)
{
    supervised->channel = move_up(supervised->channel);
    supervised->program = move_up(supervised->program);
    close_all_but(supervised->channel, supervised->program);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
}

static void set_signals(void (*handler)(int))
{
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], handler);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

bool supervisor_process_send(int channel, const void *packet, size_t size)
{
    return TEMP_FAILURE_RETRY(send(channel, packet, size, MSG_NOSIGNAL)) == (ssize_t)size;
}

ssize_t supervisor_process_receive(int channel, void *packet, size_t size)
{
    return TEMP_FAILURE_RETRY(recv(channel, packet, size, 0));
}

/* Runs in the child of the supervisor; errors go to the log. A child with a share of the CPU stops
 * until put_into_share continues it. */
_Noreturn static void execute(pid_t supervisor, const struct supervised *supervised, size_t place,
                              const char *log_name, char *const arguments[])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) /* it died before the line above */
        _exit(127);
    if (supervised->shares[place].folder[0] != '\0')
        raise(SIGSTOP);
    set_signals(SIG_DFL);
    if (chdir(supervised->folder) != 0)
        _exit(127);
    int log = open(log_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    execv(arguments[0], arguments);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

/* Creates the share of the next process. */
static enum error_kind make_share(struct supervised *supervised, unsigned cpu_percent,
                                  struct error *error)
{
    char name[SUPERVISOR_FOLDER_SIZE + 16];
    if (cpu_percent == 0)
        return ERROR_NONE;
    snprintf(name, sizeof name, "%s.%zu", strrchr(supervised->folder, '/') + 1,
             supervised->count + 1);
    return cpu_share_new(name, cpu_percent, &supervised->shares[supervised->count], error);
}

/* Waits until the child has stopped, and lets it go on inside its share. */
static enum error_kind put_into_share(const struct cpu_share *share, pid_t pid, struct error *error)
{
    siginfo_t stopped;
    if (share->folder[0] == '\0')
        return ERROR_NONE;
    waitid(P_PID, (id_t)pid, &stopped, WSTOPPED | WEXITED | WNOWAIT);
    enum error_kind kind = cpu_share_put(share, pid, error);
    kill(pid, kind == ERROR_NONE ? SIGCONT : SIGKILL);
    return kind;
}

/* Runs a program at a place whose share exists. A place that is not taken yet loses its share if
 * there is no process. */
static struct supervisor_process_reply run_at(struct supervised *supervised, size_t place,
                                              const char *log_name, char *const arguments[])
{
    pid_t supervisor = getpid();
    struct supervisor_process_reply reply = {0};
    pid_t pid = fork();
    if (pid < 0) {
        reply.os_error = errno;
        if (place == supervised->count)
            cpu_share_remove(&supervised->shares[place]);
        return reply;
    }
    if (pid == 0)
        execute(supervisor, supervised, place, log_name, arguments);
    /* Also here, so that the group exists before the child gets that far. */
    setpgid(pid, pid);
    reply.pid = supervised->processes[place] = pid;
    supervised->count += place == supervised->count;
    (void)!put_into_share(&supervised->shares[place], pid, &reply.share_error);
    return reply;
}

static struct supervisor_process_reply run(struct supervised *supervised, const char *log_name,
                                           unsigned cpu_percent, char *const arguments[])
{
    struct supervisor_process_reply reply = {0};
    if (supervised->count == SUPERVISOR_PROCESSES_MAX)
        return (struct supervisor_process_reply){.os_error = EAGAIN};
    if (make_share(supervised, cpu_percent, &reply.share_error) != ERROR_NONE)
        return reply;
    return run_at(supervised, supervised->count, log_name, arguments);
}

/* The process that is replaced is reaped: from here on its number may be another's. It is its
 * place's until then, also if there is no new process. */
static struct supervisor_process_reply replace(struct supervised *supervised, const char *log_name,
                                               pid_t pid, char *const arguments[])
{
    size_t place = 0;
    siginfo_t ended = {0};
    while (place < supervised->count && supervised->processes[place] != pid)
        place++;
    if (place == supervised->count)
        return (struct supervisor_process_reply){.os_error = ESRCH};
    if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0)
        return (struct supervisor_process_reply){.os_error = EBUSY};
    kill(-pid, SIGKILL); /* what is left of its group */
    struct supervisor_process_reply reply = run_at(supervised, place, log_name, arguments);
    if (reply.pid > 0)
        waitpid(pid, NULL, WNOHANG);
    return reply;
}

/* Returns 0 or an errno. Blocks SIGTERM for stand. */
static int take_lock(struct supervised *supervised, const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    sigset_t term;
    supervised->lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (supervised->lock < 0)
        return errno;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    signal(SIGTERM, SIG_DFL); /* an ignored signal would not become pending */
    if (fcntl(supervised->lock, F_SETLK, &whole) == 0)
        return 0;
    int os_error = errno;
    close(supervised->lock);
    return os_error;
}

/* Whether the path still leads to the file that is locked. */
static bool is_remembered(const struct supervised *supervised)
{
    struct stat named, held;
    return lstat(supervised->locked, &named) == 0 && fstat(supervised->lock, &held) == 0 &&
           named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

/* Waits, without a program, for the end. */
static void stand(const struct supervised *supervised)
{
    sigset_t term;
    int got;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    do {
        got = sigtimedwait(&term, NULL, &(struct timespec){.tv_sec = LOOK_S});
    } while (got != SIGTERM && is_remembered(supervised));
}

/* Answers requests until the program is gone or detaches the supervisor. Processes that end are not
 * reaped before they are replaced, so that their numbers are not used again (process_is_alive). */
static void serve(struct supervised *supervised)
{
    static char request[SUPERVISOR_REQUEST_SIZE];
    while (supervised->locked == NULL) {
        struct pollfd waits[2] = {{.fd = supervised->channel, .events = POLLIN},
                                  {.fd = supervised->program, .events = POLLIN}};
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents != 0)
            return;
        ssize_t size = supervisor_process_receive(supervised->channel, request, sizeof request);
        if (size <= 0)
            return;
        char *arguments[SUPERVISOR_ARGUMENTS_MAX + 3] = {NULL};
        size_t count = 0;
        char *string = request + strlen(request) + 1;
        for (; string < request + size && count < SUPERVISOR_ARGUMENTS_MAX + 2;
             string += strlen(string) + 1)
            arguments[count++] = string;
        struct supervisor_process_reply reply = {.os_error = EINVAL};
        if (count > 0 && request[0] == '\0') {
            reply.os_error = take_lock(supervised, arguments[0]);
            if (reply.os_error == 0 && chdir("/") == 0)
                supervised->locked = arguments[0];
        } else if (count > 2 && atoi(arguments[0]) != 0)
            reply = replace(supervised, request, atoi(arguments[0]), arguments + 2);
        else if (count > 2)
            reply = run(supervised, request, (unsigned)atoi(arguments[1]), arguments + 2);
        supervisor_process_send(supervised->channel, &reply, sizeof reply);
    }
    close(supervised->channel);
    stand(supervised);
}

/* Whether no child is left. The supervisor inherits the orphans of its children: a java that is a
 * shell script has a child. */
static bool all_reaped(void)
{
    pid_t reaped;
    do {
        reaped = waitpid(-1, NULL, WNOHANG);
    } while (reaped > 0);
    return reaped < 0 && errno == ECHILD;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void await_children(uint64_t limit_ns)
{
    uint64_t deadline_ns = clock_now_ns() + limit_ns;
    while (!all_reaped() && clock_now_ns() < deadline_ns)
        pause_ms(5);
}

static void end_processes(struct supervised *supervised)
{
    static const int numbers[] = {SIGTERM, SIGKILL};
    struct error ignored;
    for (size_t i = 0; i < supervised->count; i++) {
        if (supervised->shares[i].folder[0] != '\0') /* a process ends slowly with its limit */
            (void)!cpu_share_set(&supervised->shares[i], 0, &ignored);
    }
    for (size_t k = 0; k < 2 && !(k > 0 && all_reaped()); k++) {
        for (size_t i = 0; i < supervised->count; i++)
            kill(-supervised->processes[i], numbers[k]);
        await_children(GRACE_NS);
    }
    for (size_t i = 0; i < supervised->count; i++)
        cpu_share_remove(&supervised->shares[i]);
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
void supervisor_process_remove_folder(const char *folder)
{
    for (int attempt = 0; attempt < 20 && access(folder, F_OK) == 0; attempt++) {
        if (attempt > 0)
            pause_ms(20);
        nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
}

/* Returns 0 or an errno. If the program made the folder, its death could leave it behind. */
static int make_folder(struct supervised *supervised, const char *parent_folder)
{
    supervised->made_parent = mkdir(parent_folder, 0700) == 0;
    int os_error = errno;
    /* A file system may refuse a mkdir before it looks whether the folder exists. */
    if (realpath(parent_folder, supervised->parent_folder) == NULL)
        return os_error;
    int length = snprintf(supervised->folder, sizeof supervised->folder,
                          "%s/" SUPERVISOR_FOLDER_NAME "XXXXXX", supervised->parent_folder);
    if (length >= (int)sizeof supervised->folder)
        return ENAMETOOLONG;
    return mkdtemp(supervised->folder) == NULL ? errno : 0;
}

static void clear_away(const struct supervised *supervised)
{
    supervisor_process_remove_folder(supervised->folder);
    if (supervised->made_parent)
        rmdir(supervised->parent_folder);
    if (supervised->locked != NULL && is_remembered(supervised))
        unlink(supervised->locked);
}

_Noreturn void supervisor_process_keep(int channel, int program, const char *parent_folder)
{
    static struct supervised supervised;
    struct supervisor_process_reply greeting = {0};
    supervised = (struct supervised){.channel = channel, .program = program};
    setsid();
    prctl(PR_SET_NAME, "zkherd-servers");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* The program's handlers must not run here, and an ignored SIGCHLD would lose the children. */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    set_signals(SIG_IGN);
    let_go_of_descriptors(&supervised);
    greeting.os_error = make_folder(&supervised, parent_folder);
    memcpy(greeting.folder, supervised.folder, sizeof greeting.folder);
    bool made = greeting.os_error == 0;
    if (!made)
        supervised.folder[0] = '\0';
    if (supervisor_process_send(supervised.channel, &greeting, sizeof greeting) && made)
        serve(&supervised);
    end_processes(&supervised);
    clear_away(&supervised);
    _exit(0);
}

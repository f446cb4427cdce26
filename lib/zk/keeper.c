// SPDX-License-Identifier: Apache-2.0
#include "zk/keeper.h"

#include "base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
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

#define FOLDER_SIZE   1024
#define REQUEST_SIZE  (32 * (size_t)1024)
#define ARGUMENTS_MAX 128
#define GRACE_NS      NS_PER_S
#define FREE_MS       2000

struct keeper {
    pid_t pid;
    int channel;
    char folder[FOLDER_SIZE];
};

/*
 * What goes over the channel, a packet each. From the program: strings, each with its NUL, the
 * log's path first and the arguments behind it. From the keeper: one greeting, then a reply to each
 * request.
 */
struct greeting {
    int os_error;
    char folder[FOLDER_SIZE];
};

struct reply {
    int os_error;
    pid_t pid;
};

/* The keeper's side: everything from here to end_program_side runs in the keeper's process. It is
 * forked while the program has one thread, so it may allocate; it ends by _exit, because the
 * program's exit handlers and unwritten output are not its own. */
struct ward {
    int channel;
    int program; /* pidfd, -1 on a kernel without; then the closing channel alone tells */
    const char *parent_folder;
    bool made_parent;
    const char *folder;
    pid_t processes[KEEPER_PROCESSES_MAX];
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

/* A descriptor that is none of 0, 1 and 2, which the program may have had closed. */
static int move_up(int fd)
{
    return fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* To hold the program's output open would let `zkherd | less` wait for the keeper's end. */
static void let_go_of_descriptors(struct ward *ward)
{
    ward->channel = move_up(ward->channel);
    ward->program = move_up(ward->program);
    close_all_but(ward->channel, ward->program);
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

/* The program's handlers are not to run here; its ignored SIGCHLD would lose the children. */
static void take_own_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    set_signals(SIG_IGN);
}

static bool send_packet(int channel, const void *packet, size_t size)
{
    ssize_t sent;
    do {
        sent = send(channel, packet, size, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

static ssize_t receive_packet(int channel, void *packet, size_t size)
{
    ssize_t got;
    do {
        got = recv(channel, packet, size, 0);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Runs in the child of the keeper; the log is the only place left to complain to. */
_Noreturn static void execute(pid_t keeper, const char *folder, const char *log_name,
                              char *const arguments[])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) /* it died before the line above */
        _exit(127);
    set_signals(SIG_DFL);
    if (chdir(folder) != 0)
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

static struct reply run(struct ward *ward, const char *log_name, char *const arguments[])
{
    pid_t keeper = getpid();
    if (ward->count == KEEPER_PROCESSES_MAX)
        return (struct reply){.os_error = EAGAIN};
    pid_t pid = fork();
    if (pid < 0)
        return (struct reply){.os_error = errno};
    if (pid == 0)
        execute(keeper, ward->folder, log_name, arguments);
    /* Here as well: whoever signals the group must find it, however late the child gets there. */
    setpgid(pid, pid);
    ward->processes[ward->count++] = pid;
    return (struct reply){.pid = pid};
}

/* Answers requests until the program is gone or lets go. Processes that end are not reaped until
 * then, so that their numbers stay theirs (keeper_process_alive). */
static void serve(struct ward *ward)
{
    char request[REQUEST_SIZE];
    for (;;) {
        struct pollfd waits[2] = {{.fd = ward->channel, .events = POLLIN},
                                  {.fd = ward->program, .events = POLLIN}};
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents != 0)
            return;
        ssize_t size = receive_packet(ward->channel, request, sizeof request);
        if (size <= 0)
            return;
        char *arguments[ARGUMENTS_MAX + 1] = {NULL};
        size_t count = 0;
        char *string = request + strlen(request) + 1;
        for (; string < request + size && count < ARGUMENTS_MAX; string += strlen(string) + 1)
            arguments[count++] = string;
        struct reply reply = run(ward, request, arguments);
        send_packet(ward->channel, &reply, sizeof reply);
    }
}

/* Whether no child is left, that of a child (a java that is a shell script has one) included: the
 * keeper inherits the orphans of its children. */
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

static void signal_groups(const struct ward *ward, int number)
{
    for (size_t i = 0; i < ward->count; i++)
        kill(-ward->processes[i], number);
}

static void await_children(uint64_t limit_ns)
{
    uint64_t deadline_ns = clock_now_ns() + limit_ns;
    while (!all_reaped() && clock_now_ns() < deadline_ns)
        pause_ms(5);
}

static void end_processes(const struct ward *ward)
{
    signal_groups(ward, SIGTERM);
    await_children(GRACE_NS);
    if (!all_reaped()) {
        signal_groups(ward, SIGKILL);
        await_children(GRACE_NS);
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

/* More than once, since a process that was killed in a group may still write for a moment. */
static void remove_folder(const char *folder)
{
    for (int attempt = 0; attempt < 20 && access(folder, F_OK) == 0; attempt++) {
        if (attempt > 0)
            pause_ms(20);
        nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
}

/* Made here and not by the program, whose death would leave it behind. 0 or an errno. */
static int make_folder(struct ward *ward, char *folder)
{
    char parent_folder[PATH_MAX];
    ward->made_parent = mkdir(ward->parent_folder, 0700) == 0;
    int os_error = errno;
    /* A file system may refuse first and look afterwards whether the folder is there already. */
    if (realpath(ward->parent_folder, parent_folder) == NULL)
        return os_error;
    int length = snprintf(folder, FOLDER_SIZE, "%s/zkherd-server-XXXXXX", parent_folder);
    if (length >= FOLDER_SIZE)
        return ENAMETOOLONG;
    return mkdtemp(folder) == NULL ? errno : 0;
}

_Noreturn static void keep(struct ward *ward)
{
    struct greeting greeting = {.os_error = 0};
    setsid();
    prctl(PR_SET_NAME, "zkherd-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    take_own_signals();
    let_go_of_descriptors(ward);
    greeting.os_error = make_folder(ward, greeting.folder);
    ward->folder = greeting.folder;
    if (send_packet(ward->channel, &greeting, sizeof greeting) && greeting.os_error == 0)
        serve(ward);
    end_processes(ward);
    if (greeting.os_error == 0)
        remove_folder(greeting.folder);
    if (ward->made_parent)
        rmdir(ward->parent_folder);
    _exit(0);
}

/* The program's side. */

/* All signals wait while the child still has the program's handlers. */
static pid_t fork_keeper(int channel, const char *parent_folder)
{
    struct ward ward = {.channel = channel, .parent_folder = parent_folder};
    ward.program = (int)syscall(SYS_pidfd_open, getpid(), 0);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        keep(&ward);
    int os_error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (ward.program >= 0)
        close(ward.program);
    errno = os_error;
    return pid;
}

static enum fault_kind await_greeting(struct keeper *keeper, const char *parent_folder,
                                      struct fault *fault)
{
    struct greeting greeting;
    if (receive_packet(keeper->channel, &greeting, sizeof greeting) != (ssize_t)sizeof greeting)
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
    while (!ended && clock_now_ns() < deadline_ns) {
        int left_ms = (int)((deadline_ns - clock_now_ns()) / NS_PER_MS) + 1;
        struct pollfd wait = {.fd = keeper->channel, .events = POLLIN};
        if (poll(&wait, 1, left_ms) > 0)
            ended = receive_packet(keeper->channel, ignored, sizeof ignored) <= 0;
    }
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
    if (length > REQUEST_SIZE - *size)
        return false;
    memcpy(request + *size, string, length);
    *size += length;
    return true;
}

enum fault_kind keeper_run(struct keeper *keeper, const char *const arguments[],
                           const char *log_name, pid_t *pid, struct fault *fault)
{
    char request[REQUEST_SIZE];
    size_t size = 0, count = 0;
    bool fits = append(request, &size, log_name);
    for (; fits && arguments[count] != NULL; count++)
        fits = count < ARGUMENTS_MAX && append(request, &size, arguments[count]);
    if (!fits)
        return fault_from_errno(fault, E2BIG, arguments[0], "%s", "");
    struct reply reply;
    if (!send_packet(keeper->channel, request, size) ||
        receive_packet(keeper->channel, &reply, sizeof reply) != (ssize_t)sizeof reply)
        return fault_raise(fault, FAULT_SYSTEM, 0, arguments[0],
                           "the process that is to watch over the server is gone");
    if (reply.os_error != 0)
        return fault_from_errno(fault, reply.os_error, arguments[0], "while starting a process");
    *pid = reply.pid;
    return FAULT_NONE;
}

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
        pause_ms(1);
}

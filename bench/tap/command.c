// SPDX-License-Identifier: Apache-2.0
/* The command of a tap: a process group of its own, of which nothing runs after its end. */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/tap/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE "ZKHERD_CONNECT"
#define PATIENCE (2 * NS_PER_S) /* between SIGTERM and SIGKILL */
#define POLL_NS  (10 * NS_PER_MS)

/* A word with `connect` in place of {} and {connect}, and n, unless it is NULL, in place of {n};
 * the caller's to free. */
static char *fill_in(const char *word, const char *connect, const char *n)
{
    const struct {
        const char *sign, *text;
    } places[] = {{"{}", connect}, {"{connect}", connect}, {"{n}", n}};
    const size_t count = n != NULL ? 3 : 2;
    struct growing_text filled = {0};
    growing_text_add(&filled, "%s", "");
    while (*word != '\0') {
        size_t i = 0;
        while (i < count && strncmp(word, places[i].sign, strlen(places[i].sign)) != 0)
            i++;
        if (i < count)
            growing_text_add(&filled, "%s", places[i].text);
        else
            growing_text_add(&filled, "%c", *word);
        word += i < count ? strlen(places[i].sign) : 1;
    }
    return filled.text;
}

/* Becomes the command, in the child; else writes errno to `failure`. Standard input is empty, and
 * what the command prints goes to standard error. */
static void execute(char *const *words, const char *connect, const char *n, int failure)
{
    sigset_t none;
    size_t count = 0;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (words[count] != NULL)
        count++;
    char **filled = memory_new(count + 1, sizeof *filled);
    for (size_t i = 0; i < count; i++)
        filled[i] = fill_in(words[i], connect, n);
    setenv(VARIABLE, connect, 1);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(filled[0], filled);
    int os_error = errno;
    (void)!write(failure, &os_error, sizeof os_error);
    _exit(EXIT_FAILURE);
}

enum error_kind tap_command_start(struct tap_command *command, char *const *words,
                                  const char *connect, const char *n, struct error *error)
{
    int failure[2], os_error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0)
        return error_from_errno(error, errno, words[0], "while starting the command");
    pid_t pid = fork();
    if (pid == 0)
        execute(words, connect, n, failure[1]);
    close(failure[1]);
    if (pid < 0)
        os_error = errno;
    else /* the end of file, when the command is executed */
        (void)!read(failure[0], &os_error, sizeof os_error);
    close(failure[0]);
    if (pid > 0 && os_error != 0)
        waitpid(pid, NULL, 0);
    if (os_error != 0)
        return error_raise(error, ERROR_USAGE, os_error, words[0],
                           "the command cannot be executed");
    *command = (struct tap_command){.pid = pid};
    return ERROR_NONE;
}

/* The process stays, so that the number of its group stays its own. */
void tap_command_poll(struct tap_command *command)
{
    siginfo_t end = {0};
    if (command->pid > 0 && !command->ended)
        command->ended =
            waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            end.si_pid == command->pid;
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

/* Ends the command and all that is left in its process group; nothing if none runs. */
void tap_command_end(struct tap_command *command)
{
    struct rusage used;
    uint64_t until_ns = clock_now_ns() + PATIENCE;
    if (command->pid == 0)
        return;
    tap_command_poll(command);
    bool ended_itself = command->ended;
    kill(-command->pid, SIGTERM);
    for (; !command->ended && clock_now_ns() < until_ns; tap_command_poll(command))
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    kill(-command->pid, SIGKILL);
    wait4(command->pid, &command->status, 0, &used);
    *command = (struct tap_command){.ended = ended_itself,
                                    .status = command->status,
                                    .cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime),
                                    .rss_kib = (uint64_t)used.ru_maxrss};
}

/* Whether a command that was ended had failed, or was ended by a signal of its own. */
bool tap_command_failed(const struct tap_command *command)
{
    return WIFEXITED(command->status) ? WEXITSTATUS(command->status) != 0 : command->ended;
}

bool tap_command_succeeded(const struct tap_command *command)
{
    return command->ended && !tap_command_failed(command);
}

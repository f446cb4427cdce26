// SPDX-License-Identifier: Apache-2.0
/* The command of a tap: a process group of its own, of which nothing runs after its end. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/tap/internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE    "ZKHERD_CONNECT"
#define VARIABLE_N  "ZKHERD_N"
#define SCRIPT_MOST 65536
#define PIPE_BYTES  (1 << 20)
#define PATIENCE    (2 * NS_PER_S) /* between SIGTERM and SIGKILL */
#define POLL_NS     (10 * NS_PER_MS)

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

bool tap_command_knows_n(char *const *words)
{
    bool found = false;
    char *script = memory_new(SCRIPT_MOST, 1);
    for (; *words != NULL && !found; words++)
        found = strstr(*words, "{n}") != NULL || strstr(*words, VARIABLE_N) != NULL ||
                (text_read(*words, script, SCRIPT_MOST) && strstr(script, VARIABLE_N) != NULL);
    free(script);
    return found;
}

/* Becomes the command, in the child; else writes errno to `failure`. Standard input is empty, and
 * what the command prints goes to `output`. */
static void execute(char *const *words, const char *connect, const char *n, int failure, int output)
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
    if (n != NULL)
        setenv(VARIABLE_N, n, 1);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(filled[0], filled);
    int os_error = errno;
    (void)!write(failure, &os_error, sizeof os_error);
    _exit(EXIT_FAILURE);
}

enum error_kind tap_command_start(struct tap_command *command, char *const *words,
                                  const char *connect, const char *n, struct error *error)
{
    int failure[2], output[2], os_error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0)
        return error_from_errno(error, errno, words[0], "while starting the command");
    if (pipe2(output, O_CLOEXEC) != 0) {
        (void)error_from_errno(error, errno, words[0], "while starting the command");
        close(failure[0]);
        close(failure[1]);
        return error->kind;
    }
    (void)fcntl(output[0], F_SETPIPE_SZ, PIPE_BYTES);
    (void)fcntl(output[0], F_SETFL, O_NONBLOCK);
    pid_t pid = fork();
    if (pid == 0)
        execute(words, connect, n, failure[1], output[1]);
    close(failure[1]);
    close(output[1]);
    if (pid < 0)
        os_error = errno;
    else /* the end of file, when the command is executed */
        (void)!read(failure[0], &os_error, sizeof os_error);
    close(failure[0]);
    if (pid > 0 && os_error != 0)
        waitpid(pid, NULL, 0);
    if (os_error != 0) {
        close(output[0]);
        return error_raise(error, ERROR_USAGE, os_error, words[0],
                           "the command cannot be executed");
    }
    *command = (struct tap_command){.pid = pid, .output = output[0]};
    return ERROR_NONE;
}

/* Adds a character to the line that is being printed; its end makes that the last one. */
static void keep(struct tap_command *command, char one)
{
    if (one != '\n' && command->length < sizeof command->line - 1)
        command->line[command->length++] = (char)(iscntrl((unsigned char)one) ? ' ' : one);
    if (one != '\n' || command->length == 0)
        return;
    snprintf(command->last, sizeof command->last, "%.*s", (int)command->length, command->line);
    command->length = 0;
}

/* Passes on what the command has printed, and keeps its last line. */
static void pass_output(struct tap_command *command)
{
    char bytes[4096];
    ssize_t count;
    while ((count = read(command->output, bytes, sizeof bytes)) > 0) {
        (void)!write(STDERR_FILENO, bytes, (size_t)count);
        for (ssize_t i = 0; i < count; i++)
            keep(command, bytes[i]);
    }
}

/* The process stays, so that the number of its group stays its own. */
void tap_command_poll(struct tap_command *command)
{
    siginfo_t end = {0};
    if (command->pid > 0)
        pass_output(command);
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
    pass_output(command);
    close(command->output);
    command->pid = 0;
    command->ended = ended_itself;
    command->cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
    command->rss_kib = (uint64_t)used.ru_maxrss;
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

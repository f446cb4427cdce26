// SPDX-License-Identifier: Apache-2.0
/*
 * command: the program run as a user runs it, in a test's nest.
 */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include "tests/live/soon.h"
#include "tests/live/work.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define COMMAND_TEXT_SIZE (64 * 1024)
#define COMMAND_LIMIT_NS  (120 * NS_PER_S)

/* What an end in good order may take on a busy machine: the program gives its workers three
 * seconds, its private servers two. As a rule it is much less. */
#define COMMAND_END_NS (15 * NS_PER_S)

/* The arguments of a command, argv[0] included. */
#define COMMAND(...) ((const char *const[]){"zkherd", __VA_ARGS__, NULL})

/* A setting in which the program finds no gnuplot, whose plots take their time … */
#define NO_PROGRAMS "PATH=/nonexistent"

/* … and two in which it finds no Java either: who would start a server says so. */
#define NO_JAVA NO_PROGRAMS, "JAVA_HOME"

/* What a command is to find, and what came of it. Lies in static storage: it is large. */
struct command {
    const char *const *settings; /* NAME=value to set, NAME to unset, then NULL; or NULL */
    void (*prepare)(void);       /* runs in the child before the program; or NULL */
    pid_t pid;
    int out_descriptor, err_descriptor;
    uint64_t started_ns, took_ns;
    int status; /* of the exit; 128 and more: the signal that ended it */
    char out[COMMAND_TEXT_SIZE], err[COMMAND_TEXT_SIZE];
};

static inline void apply_settings(const char *const *settings)
{
    for (; settings != NULL && *settings != NULL; settings++) {
        char name[64] = "";
        size_t length = strcspn(*settings, "=");
        memcpy(name, *settings, length);
        if ((*settings)[length] == '\0')
            unsetenv(name);
        else
            setenv(name, *settings + length + 1, 1);
    }
}

_Noreturn static inline void become_program(const struct command *command,
                                            const char *const arguments[])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL); /* a shell ignores it for what it runs in the background */
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    dup2(command->out_descriptor, 1);
    dup2(command->err_descriptor, 2);
    setenv("TMPDIR", nest_temporary, 1);
    apply_settings(command->settings);
    if (chdir(nest_work) != 0)
        _exit(126);
    if (command->prepare != NULL)
        command->prepare();
    execv(command_program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static inline void command_start(struct command *command, const char *const arguments[])
{
    command->out_descriptor = memfd_create("out", MFD_CLOEXEC);
    command->err_descriptor = memfd_create("err", MFD_CLOEXEC);
    command->started_ns = clock_now_ns();
    command->pid = fork();
    assert_true(command->pid >= 0);
    if (command->pid == 0)
        become_program(command, arguments);
    setpgid(command->pid, command->pid);
}

static inline void read_output(int descriptor, char *text)
{
    ssize_t length = pread(descriptor, text, COMMAND_TEXT_SIZE - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(descriptor);
}

/* Waits for a started command to end by itself within this time from now. */
static inline void command_finish(struct command *command, uint64_t limit_ns)
{
    uint64_t until_ns = clock_now_ns() + limit_ns;
    int status = 0;
    bool in_time = true;
    while (waitpid(command->pid, &status, WNOHANG) == 0) {
        if (in_time && clock_now_ns() > until_ns) {
            in_time = false;
            kill(command->pid, SIGKILL);
        }
        pause_ms(2);
    }
    command->took_ns = clock_now_ns() - command->started_ns;
    command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_output(command->out_descriptor, command->out);
    read_output(command->err_descriptor, command->err);
    if (!in_time)
        fail_msg("it did not end within %.1f s\n%s", (double)limit_ns / 1e9, command->err);
}

static inline void command_run(struct command *command, const char *const arguments[])
{
    command_start(command, arguments);
    command_finish(command, COMMAND_LIMIT_NS);
}

/* Sends a signal to a started command, its group (its number below zero), or a process that it
 * cannot do without, and waits for the command's end, which is to be soon (SOON_TEST). */
static inline void command_end(struct command *command, pid_t whom, int signal)
{
    struct lateness_mark begun = lateness_mark();
    kill(whom, signal);
    command_finish(command, COMMAND_END_NS);
    soon_ended(begun);
}

#define COMMAND_TEST_SOON(test) SOON_TEST(test, nest_make, nest_remove)

/* Whether a started command still runs; does not take its status. */
static inline bool command_runs(const struct command *command)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0;
}

/* Waits until a file that the command is writing has so many lines below its header's. */
static inline void command_await_rows(struct command *command, const char *name, size_t wanted)
{
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    for (size_t rows = 0; rows <= wanted; pause_ms(5)) {
        FILE *file = fopen(in_work("%s", name), "re");
        rows = 0;
        for (int byte = file == NULL ? EOF : getc(file); byte != EOF; byte = getc(file))
            rows += byte == '\n';
        if (file != NULL)
            fclose(file);
        if (!command_runs(command) || clock_now_ns() > until_ns) {
            command_finish(command, 0);
            fail_msg("it does not run as it should: %s", command->err);
        }
    }
}

/* ------------------------------------------------------------------ for prepare */

static inline void print_to_a_full_device(void)
{
    dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
}

static inline void print_to_a_closed_pipe(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    dup2(ends[1], 1);
}

static inline void become_nobody(void)
{
    if (setuid(65534) != 0)
        _exit(125);
}

#endif

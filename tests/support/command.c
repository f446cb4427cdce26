// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command.h"

#include "tests/support/words.h"

#include <sys/mman.h>

#define ARGUMENTS_MAX 64

static void apply_settings(const char *const *settings)
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

_Noreturn static void become_program(const struct command *command, const char *const arguments[])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL); /* a shell ignores it for what it runs in the background */
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    dup2(command->out_descriptor, 1);
    dup2(command->err_descriptor, 2);
    setenv("TMPDIR", work_temporary, 1);
    apply_settings(command->settings);
    if (chdir(work_folder) != 0)
        _exit(126);
    if (command->prepare != NULL)
        command->prepare();
    execv(command_program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

/* Whether a command measures the machine's noise unless it is told not to: a test must not depend
 * on what else the machine does. */
static bool measures_noise(const char *const arguments[])
{
    static const char *const measuring[] = {"run", "load", "paper", "plan"};
    static const char *const others[] = {"--noise"};
    bool measures = false;
    for (size_t i = 0; i < sizeof measuring / sizeof measuring[0]; i++)
        measures = measures || (arguments[1] != NULL && strcmp(arguments[1], measuring[i]) == 0);
    for (size_t i = 1; arguments[i] != NULL; i++) {
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            measures = measures && strcmp(arguments[i], others[k]) != 0;
    }
    return measures && (strcmp(arguments[1], "paper") != 0 || arguments[2] != NULL);
}

/* Adds --noise off behind the subcommand, or behind the experiment of the paper. */
static void add_noise_off(const char *const arguments[], const char *changed[])
{
    size_t from = 0, to = 0, place = 2;
    if (strcmp(arguments[1], "paper") == 0 && arguments[2][0] != '-')
        place = 3;
    do {
        if (from == place) {
            changed[to++] = "--noise";
            changed[to++] = "off";
        }
        assert_true(to < ARGUMENTS_MAX);
        changed[to++] = arguments[from];
    } while (arguments[from++] != NULL);
}

void command_start(struct command *command, const char *const arguments[])
{
    const char *changed[ARGUMENTS_MAX];
    if (measures_noise(arguments)) {
        add_noise_off(arguments, changed);
        arguments = changed;
    }
    command->out_descriptor = memfd_create("out", MFD_CLOEXEC);
    command->err_descriptor = memfd_create("err", MFD_CLOEXEC);
    command->started_ns = clock_now_ns();
    command->pid = fork();
    assert_true(command->pid >= 0);
    if (command->pid == 0)
        become_program(command, arguments);
    setpgid(command->pid, command->pid);
}

static void read_output(int descriptor, char *text)
{
    ssize_t length = pread(descriptor, text, COMMAND_TEXT_SIZE - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(descriptor);
}

void command_finish(struct command *command, uint64_t limit_ns)
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
    words_unwrap(command->err);
    if (!in_time)
        fail_msg("it did not end within %.1f s\n%s", (double)limit_ns / 1e9, command->err);
}

void command_run(struct command *command, const char *const arguments[])
{
    command_start(command, arguments);
    command_finish(command, COMMAND_LIMIT_NS);
}

void command_end(struct command *command, pid_t whom, int signal)
{
    struct lateness_mark begun = lateness_mark();
    kill(whom, signal);
    command_finish(command, COMMAND_END_NS);
    soon_ended(begun);
}

bool command_runs(const struct command *command)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0;
}

void command_await_rows(struct command *command, const char *name, size_t wanted)
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

void print_to_a_full_device(void)
{
    dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
}

void print_to_a_closed_pipe(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    dup2(ends[1], 1);
}

void become_nobody(void)
{
    if (setuid(65534) != 0)
        _exit(125);
}

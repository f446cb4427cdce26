// SPDX-License-Identifier: Apache-2.0
#include "bench/output/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A script ends with this status when there is nothing for it to draw: no waiters, say. */
#define NOTHING_TO_DRAW 3
/* How often it is looked whether gnuplot has ended. */
#define LOOK_MS 10
/* Of the environment gnuplot finds its own programs and libraries, and a place to work. */
#define SETTINGS_MAX 4
#define SETTING_SIZE 4096

void gnuplot_quote(const char *text, char *quoted, size_t size)
{
    size_t at = 0;
    quoted[at++] = '\'';
    for (; *text != '\0' && at + 4 < size; text++) {
        /* A quote is written twice. */
        if (*text == '\'')
            quoted[at++] = '\'';
        quoted[at++] = *text;
    }
    quoted[at++] = '\'';
    quoted[at] = '\0';
}

bool gnuplot_is_interrupted(int interrupts, int patience_ms)
{
    struct pollfd polled = {.fd = interrupts, .events = POLLIN};
    return poll(&polled, 1, patience_ms) > 0;
}

/* Everything else is left out: GNUTERM and GDFONTPATH, the language with its decimal comma, HOME
 * with its .gnuplot and its fonts. */
static size_t gather_environment(char settings[SETTINGS_MAX][SETTING_SIZE],
                                 char *environment[SETTINGS_MAX + 1])
{
    static const char *const kept[] = {"PATH", "LD_LIBRARY_PATH", "TMPDIR"};
    size_t count = 0;
    snprintf(settings[count++], SETTING_SIZE, "LC_ALL=C.UTF-8");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *value = getenv(kept[i]);
        if (value != NULL)
            snprintf(settings[count++], SETTING_SIZE, "%s=%s", kept[i], value);
    }
    for (size_t i = 0; i < count; i++)
        environment[i] = settings[i];
    environment[count] = NULL;
    return count;
}

/* Its output is kept; the signals that this program blocks are its own affair. */
static int spawn(char *variables, char *script, int log, pid_t *child)
{
    char name[] = "gnuplot", no_defaults[] = "-d", evaluate[] = "-e";
    char *const arguments[] = {name, no_defaults, evaluate, variables, script, NULL};
    char settings[SETTINGS_MAX][SETTING_SIZE];
    char *environment[SETTINGS_MAX + 1];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    gather_environment(settings, environment);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(child, name, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* The first line that gnuplot complained with, or what ended it without a word. */
static void read_complaint(int log, int status, char *why, size_t size)
{
    char text[512] = "";
    ssize_t length = pread(log, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    char *line = text + strspn(text, "\n ");
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '\0' && WIFSIGNALED(status))
        snprintf(why, size, "gnuplot was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, size, "gnuplot failed: %s", line);
}

/* A Ctrl-C reaches gnuplot too; another signal reaches this program alone. */
static int await(pid_t child, int interrupts)
{
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (gnuplot_is_interrupted(interrupts, LOOK_MS)) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
    }
    return status;
}

enum gnuplot_end gnuplot_run(char *variables, char *script, int interrupts, char *why, size_t size)
{
    pid_t child;
    int log = memfd_create("gnuplot", MFD_CLOEXEC);
    if (log < 0) {
        snprintf(why, size, "%s", strerror(errno));
        return GNUPLOT_FAILED;
    }
    enum gnuplot_end end = GNUPLOT_FAILED;
    int error = spawn(variables, script, log, &child);
    if (error != 0) {
        snprintf(why, size, "gnuplot is not installed (%s)", strerror(error));
    } else {
        int status = await(child, interrupts);
        if (status == 0)
            end = GNUPLOT_DONE;
        else if (WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_TO_DRAW)
            end = GNUPLOT_NOTHING;
        else
            read_complaint(log, status, why, size);
    }
    close(log);
    return end;
}

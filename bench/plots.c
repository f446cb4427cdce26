// SPDX-License-Identifier: Apache-2.0
#include "bench/plots.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const of_run[] = {"rpcs",       "messages", "bytes", "handoff_latency",
                                     "drain_time", NULL};
static const char *const of_comparison[] = {"compare", NULL};
static const char *const formats[] = {"svg", "png"};

/* Beside the program: in the sources it is build/zkherd, installed it is bin/zkherd. */
static bool find_scripts(char *folder, size_t size)
{
    static const char *const places[] = {"../share/zkherd/plots", "../plots"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    const char *beside = dirname(program);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char script[PATH_MAX + 64];
        int written = snprintf(folder, size, "%s/%s", beside, places[i]);
        if (written < 0 || (size_t)written >= size)
            return false;
        snprintf(script, sizeof script, "%s/common.gp", folder);
        if (access(script, R_OK) == 0)
            return true;
    }
    return false;
}

/* A gnuplot string in single quotes; a quote in it is written twice. */
static void quote(const char *text, char *quoted, size_t size)
{
    size_t at = 0;
    quoted[at++] = '\'';
    for (; *text != '\0' && at + 4 < size; text++) {
        if (*text == '\'')
            quoted[at++] = '\'';
        quoted[at++] = *text;
    }
    quoted[at++] = '\'';
    quoted[at] = '\0';
}

static void list_recipes(const struct options *options, char *list, size_t size)
{
    size_t at = 0;
    list[0] = '\0';
    for (size_t i = 0; i < options->recipe_count && at < size; i++)
        at += (size_t)snprintf(list + at, size - at, "%s%s", i > 0 ? " " : "",
                               options->recipes[i]->name);
}

/* Runs gnuplot with its output kept; the signals that this program blocks are its own affair. */
static int spawn_gnuplot(char *variables, char *script, int log, pid_t *child)
{
    char name[] = "gnuplot", option[] = "-e";
    char *const arguments[] = {name, option, variables, script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(child, "gnuplot", &actions, &attributes, arguments, environ);
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

/* A script ends with this status when the run has nothing for it to draw: no waiters, say. */
#define NOTHING_TO_DRAW 3
/* How often it is looked whether gnuplot has ended. */
#define LOOK_MS 10

static bool is_readable(int descriptor, int patience_ms)
{
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, patience_ms) > 0;
}

/* A Ctrl-C reaches gnuplot too; another signal reaches this program alone. */
static int await_gnuplot(pid_t child, int interrupts)
{
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (is_readable(interrupts, LOOK_MS)) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
    }
    return status;
}

static bool run_gnuplot(char *variables, char *script, int interrupts, char *why, size_t size)
{
    pid_t child;
    int status = 0;
    int log = memfd_create("gnuplot", MFD_CLOEXEC);
    if (log < 0) {
        snprintf(why, size, "%s", strerror(errno));
        return false;
    }
    int error = spawn_gnuplot(variables, script, log, &child);
    if (error != 0) {
        snprintf(why, size, "gnuplot is not installed (%s)", strerror(error));
    } else {
        status = await_gnuplot(child, interrupts);
        if (WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_TO_DRAW)
            status = 0;
        if (status != 0)
            read_complaint(log, status, why, size);
    }
    close(log);
    return error == 0 && status == 0;
}

/* The folder and all pictures in it, the one that was being drawn among them. */
static void remove_pictures(const char *const scripts[], const char *plots)
{
    for (size_t i = 0; scripts[i / 2] != NULL; i++) {
        char picture[PATH_MAX + 64];
        snprintf(picture, sizeof picture, "%s/%s.%s", plots, scripts[i / 2], formats[i % 2]);
        unlink(picture);
    }
    rmdir(plots);
}

static enum plots_end draw(const char *const scripts[], const char *results, const char *recipes,
                           int interrupts, char *why, size_t size)
{
    char folder[PATH_MAX], run[2 * PATH_MAX], quoted_folder[2 * PATH_MAX];
    char plots[PATH_MAX + 8];
    if (!find_scripts(folder, sizeof folder)) {
        snprintf(why, size, "the scripts are not beside the program");
        return PLOTS_SKIPPED;
    }
    snprintf(plots, sizeof plots, "%s/plots", results);
    if (mkdir(plots, 0777) != 0 && errno != EEXIST) {
        snprintf(why, size, "%s: %s", plots, strerror(errno));
        return PLOTS_SKIPPED;
    }
    quote(results, run, sizeof run);
    quote(folder, quoted_folder, sizeof quoted_folder);
    bool good = true;
    for (size_t i = 0; good && scripts[i / 2] != NULL; i++) {
        char variables[5 * PATH_MAX], script[PATH_MAX + 64];
        snprintf(variables, sizeof variables, "run=%s; scripts=%s; recipes='%s'; format='%s'", run,
                 quoted_folder, recipes, formats[i % 2]);
        snprintf(script, sizeof script, "%s/%s.gp", folder, scripts[i / 2]);
        good = run_gnuplot(variables, script, interrupts, why, size);
    }
    if (is_readable(interrupts, 0)) {
        remove_pictures(scripts, plots);
        return PLOTS_INTERRUPTED;
    }
    if (!good)
        rmdir(plots); /* only if nothing was drawn at all */
    return good ? PLOTS_DRAWN : PLOTS_SKIPPED;
}

enum plots_end plots_draw(const struct results *results, const struct options *options,
                          int interrupts, char *why, size_t size)
{
    char recipes[2048];
    list_recipes(options, recipes, sizeof recipes);
    return draw(of_run, results->folder, recipes, interrupts, why, size);
}

bool plots_draw_comparison(const char *folder, const char *recipes, char *why, size_t size)
{
    return draw(of_comparison, folder, recipes, -1, why, size) == PLOTS_DRAWN;
}

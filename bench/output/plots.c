// SPDX-License-Identifier: Apache-2.0
#include "bench/output/plots.h"

#include "base/memory.h"
#include "base/printable.h"
#include "bench/cli/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
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

/* A script ends with this status when there is nothing for it to draw: no waiters, say. */
#define NOTHING_TO_DRAW 3
/* How often it is looked whether gnuplot has ended. */
#define LOOK_MS   10
#define PATH_SIZE (PATH_MAX + 64)
/* Longer ones the script cuts. */
#define LABEL_SIZE 200
#define TAIL_SIZE  16

/* ------------------------------------------------------------------ gnuplot */

static bool is_interrupted(int interrupts, int patience_ms)
{
    struct pollfd polled = {.fd = interrupts, .events = POLLIN};
    return poll(&polled, 1, patience_ms) > 0;
}

/* Its output is kept; the signals that this program blocks are its own affair. Of the environment
 * it gets its own programs and libraries, and a place to work, and not GNUTERM and GDFONTPATH, the
 * language with its decimal comma, HOME with its .gnuplot and its fonts. */
static int spawn(char *variables, char *script, int log, pid_t *child)
{
    static const char *const kept[] = {"PATH", "LD_LIBRARY_PATH", "TMPDIR"};
    char name[] = "gnuplot", no_defaults[] = "-d", evaluate[] = "-e", language[] = "LC_ALL=C.UTF-8";
    char *const arguments[] = {name, no_defaults, evaluate, variables, script, NULL};
    char *environment[5] = {language};
    size_t count = 1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *value = getenv(kept[i]);
        if (value != NULL)
            environment[count++] = memory_format("%s=%s", kept[i], value);
    }
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
    while (count > 1)
        free(environment[--count]);
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

/* Runs a script with these variables ("name='value'; …"); neither text is changed. A plot depends
 * on them and the files that it reads, and not on the user's settings. A Ctrl-C reaches gnuplot
 * too; another signal reaches this program alone. */
static enum plots_end run_script(char *variables, char *script, int interrupts, char *why,
                                 size_t size)
{
    pid_t child;
    int status = 0, log = memfd_create("gnuplot", MFD_CLOEXEC);
    if (log < 0) {
        snprintf(why, size, "%s", strerror(errno));
        return PLOTS_SKIPPED;
    }
    int error = spawn(variables, script, log, &child);
    if (error != 0)
        snprintf(why, size, "gnuplot is not installed (%s)", strerror(error));
    while (error == 0 && waitpid(child, &status, WNOHANG) == 0) {
        if (is_interrupted(interrupts, LOOK_MS)) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
    }
    bool has_nothing = WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_TO_DRAW;
    if (error == 0 && status != 0 && !has_nothing)
        read_complaint(log, status, why, size);
    close(log);
    return error != 0    ? PLOTS_SKIPPED
           : has_nothing ? PLOTS_NOTHING
           : status == 0 ? PLOTS_DRAWN
                         : PLOTS_SKIPPED;
}

/* gnuplot does not tell that a write has failed: on a full disk it ends as if all were well, and
 * leaves a file that lacks its end. White space may follow it. */
static bool is_whole(const char *path, const char *format)
{
    const char *end = strcmp(format, "svg") == 0   ? "</svg>"
                      : strcmp(format, "png") == 0 ? "IEND\xae\x42\x60\x82"
                                                   : "%%EOF";
    char tail[TAIL_SIZE] = "";
    size_t size = strlen(end), length = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    if (fseek(file, -TAIL_SIZE, SEEK_END) == 0)
        length = fread(tail, 1, TAIL_SIZE, file);
    fclose(file);
    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == '\r'))
        length--;
    return length >= size && memcmp(tail + length - size, end, size) == 0;
}

/* ------------------------------------------------------------------ plots */

/* A script, and the file that it cannot do without. */
struct plot {
    const char *name;
    const char *source;
};

static const struct plot of_run[] = {
    {"rpcs", "trials.csv"},       {"messages", "waiters.csv"},
    {"bytes", "trials.csv"},      {"handoff_latency", "waiters.csv"},
    {"drain_time", "trials.csv"}, {"background", "background.csv"},
    {"anatomy", "trace.csv"},     {NULL, NULL}};
static const struct plot of_comparison[] = {{"compare", "compare.csv"}, {NULL, NULL}};
#define OF_EXPERIMENTS                                                                             \
    {"paper_table1", "table1.csv"}, {"paper_table2", "table2.csv"},                                \
        {"paper_table3", "table3.csv"},                                                            \
    {                                                                                              \
        "paper_figure8", "samples.csv"                                                             \
    }
static const struct plot of_load[] = {{"load_reads", "cells.csv"},
                                      {"load_rate", "cells.csv"},
                                      {"load_fan_out", "cells.csv"},
                                      {"load_timeline", "timeline.csv"},
                                      OF_EXPERIMENTS,
                                      {NULL, NULL}};
/* What the folder of an experiment of the paper has besides, whose loads are drawn before. */
static const struct plot of_paper[] = {OF_EXPERIMENTS, {NULL, NULL}};

static const struct plot of_plan[] = {{"plan", "plan.csv"}, {NULL, NULL}};

static const struct plot *const plots_of[] = {[PLOTS_OF_RUN] = of_run,
                                              [PLOTS_OF_COMPARISON] = of_comparison,
                                              [PLOTS_OF_LOAD] = of_load,
                                              [PLOTS_OF_PAPER] = of_paper,
                                              [PLOTS_OF_PLAN] = of_plan};

bool plots_add_recipe(char list[PLOTS_RECIPES_SIZE], const char *name)
{
    size_t length = strlen(list);
    if (length + strlen(name) + 2 > PLOTS_RECIPES_SIZE)
        return false;
    snprintf(list + length, PLOTS_RECIPES_SIZE - length, "%s%s", length > 0 ? " " : "", name);
    return true;
}

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
        char script[PATH_SIZE];
        int written = snprintf(folder, size, "%s/%s", beside, places[i]);
        if (written < 0 || (size_t)written >= size)
            return false;
        snprintf(script, sizeof script, "%s/common.gp", folder);
        if (access(script, R_OK) == 0)
            return true;
    }
    return false;
}

static bool has_file(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* name='value'; a quote within is written twice. */
static void add_variable(struct growing_text *text, const char *name, const char *value)
{
    growing_text_add(text, "%s='", name);
    for (; *value != '\0'; value++)
        growing_text_add(text, *value == '\'' ? "%c'" : "%c", *value);
    growing_text_add(text, "'; ");
}

static void set_picture(const struct plots *plots, const char *name, const char *format,
                        char picture[PATH_SIZE])
{
    snprintf(picture, PATH_SIZE, "%s/plots/%s.%s", plots->folder, name, format);
}

/* A picture that gnuplot could not write to its end is removed. */
static enum plots_end draw_one(const struct plot *plot, const char *format,
                               const struct plots *plots, const char *scripts,
                               const char *variables, char *why, size_t size)
{
    char picture[PATH_SIZE];
    if (!has_file(plots->folder, plot->source))
        return PLOTS_NOTHING;
    set_picture(plots, plot->name, format, picture);
    char *all = memory_format("%sformat='%s'", variables, format),
         *script = memory_format("%s/%s.gp", scripts, plot->name);
    enum plots_end end = run_script(all, script, plots->interrupts, why, size);
    free(all);
    free(script);
    if (end == PLOTS_DRAWN && !is_whole(picture, format)) {
        snprintf(why, size, "%s could not be written to its end: the disk may be full", picture);
        unlink(picture);
        return PLOTS_SKIPPED;
    }
    if (end == PLOTS_NOTHING)
        unlink(picture);
    else if (end == PLOTS_DRAWN && plots->drawn != NULL)
        plots->drawn(plots->context, picture);
    return end;
}

/* All of them, until one fails. */
static enum plots_end draw_all(const struct plots *plots, const char *scripts,
                               const char *variables, char *why, size_t size)
{
    enum plots_end end = PLOTS_NOTHING;
    for (const struct plot *plot = plots_of[plots->kind]; plot->name != NULL; plot++) {
        for (size_t i = 0; i < PLOT_FORMATS; i++) {
            if ((plots->formats & 1u << i) == 0)
                continue;
            enum plots_end one =
                draw_one(plot, plot_formats[i], plots, scripts, variables, why, size);
            if (one == PLOTS_SKIPPED)
                return one;
            if (one == PLOTS_DRAWN)
                end = one;
        }
    }
    return end;
}

/* After an interruption: all pictures, the one that was being drawn among them. */
static void remove_pictures(const struct plots *plots)
{
    for (const struct plot *plot = plots_of[plots->kind]; plot->name != NULL; plot++) {
        for (size_t i = 0; i < PLOT_FORMATS; i++) {
            char picture[PATH_SIZE];
            set_picture(plots, plot->name, plot_formats[i], picture);
            if ((plots->formats & 1u << i) != 0)
                unlink(picture);
        }
    }
}

enum plots_end plots_draw(const struct plots *plots, char *why, size_t size)
{
    char scripts[PATH_MAX], folder[PATH_SIZE];
    struct growing_text variables = {0};
    if (!find_scripts(scripts, sizeof scripts)) {
        snprintf(why, size, "the scripts are not beside the program");
        return PLOTS_SKIPPED;
    }
    snprintf(folder, sizeof folder, "%s/plots", plots->folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        snprintf(why, size, "%s: %s", folder, strerror(errno));
        return PLOTS_SKIPPED;
    }
    add_variable(&variables, "run", plots->folder);
    add_variable(&variables, "scripts", scripts);
    add_variable(&variables, "recipes", plots->recipes);
    growing_text_add(&variables, "fitted=%d; ", has_file(plots->folder, "fits.csv"));
    for (size_t i = 0; i < plots->label_count; i++) {
        char name[32], label[LABEL_SIZE];
        snprintf(name, sizeof name, "label_%zu", i + 1);
        add_variable(&variables, name, printable_text(plots->labels[i], label, sizeof label));
    }
    enum plots_end end = draw_all(plots, scripts, variables.text, why, size);
    free(variables.text);
    if (is_interrupted(plots->interrupts, 0)) {
        remove_pictures(plots);
        end = PLOTS_INTERRUPTED;
    }
    if (end != PLOTS_DRAWN)
        rmdir(folder); /* only if nothing was drawn at all */
    return end;
}

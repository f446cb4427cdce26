// SPDX-License-Identifier: Apache-2.0
#include "bench/output/plots.h"

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

/* ------------------------------------------------------------------ gnuplot */

enum gnuplot_end {
    GNUPLOT_DONE,
    GNUPLOT_NOTHING, /* the script had nothing to draw: exit status 3 */
    GNUPLOT_FAILED,  /* the reason is in `why` */
};

/* A script ends with this status when there is nothing for it to draw: no waiters, say. */
#define NOTHING_TO_DRAW 3
/* How often it is looked whether gnuplot has ended. */
#define LOOK_MS 10
/* The environment that gnuplot needs: its own programs and libraries, and a place to work. */
#define SETTINGS_MAX 4
#define SETTING_SIZE 4096

/* Writes a text as a gnuplot string, cut to `size` bytes. size >= 4. */
static void quote(const char *text, char *quoted, size_t size)
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

static bool is_interrupted(int interrupts, int patience_ms)
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
        if (is_interrupted(interrupts, LOOK_MS)) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
    }
    return status;
}

/* Runs a script with these variables ("name='value'; …"); neither text is changed. A plot depends
 * on them and the files that it reads, and not on the user's settings of gnuplot, language or
 * fonts. */
static enum gnuplot_end run_script(char *variables, char *script, int interrupts, char *why,
                                   size_t size)
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

#define TAIL_SIZE 16

/* The end of a file. White space may follow it. */
static const char *end_of(const char *format)
{
    if (strcmp(format, "svg") == 0)
        return "</svg>";
    return strcmp(format, "png") == 0 ? "IEND\xae\x42\x60\x82" : "%%EOF";
}

static size_t read_tail(const char *path, char tail[TAIL_SIZE])
{
    FILE *file = fopen(path, "re");
    size_t length = 0;
    if (file == NULL)
        return 0;
    if (fseek(file, -TAIL_SIZE, SEEK_END) == 0)
        length = fread(tail, 1, TAIL_SIZE, file);
    fclose(file);
    return length;
}

/* gnuplot does not tell that a write has failed: on a full disk it ends as if all were well, and
 * leaves a file that lacks its end. */
static bool is_whole(const char *path, const char *format)
{
    char tail[TAIL_SIZE];
    const char *end = end_of(format);
    size_t size = strlen(end), length = read_tail(path, tail);
    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == '\r'))
        length--;
    return length >= size && memcmp(tail + length - size, end, size) == 0;
}

/* ------------------------------------------------------------------ plots */

#define PATH_SIZE (PATH_MAX + 64)
/* As much as gnuplot takes of a line, the names of 16 sides included. */
#define VARIABLES_SIZE (8 * PATH_MAX)

/* Longer ones the script cuts. */
#define LABEL_SIZE 200

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

/* Appends to text, cut to fit. */
static void append_variable(char *text, size_t size, const char *name, const char *value)
{
    char quoted[2 * PATH_MAX];
    size_t length = strlen(text);
    quote(value, quoted, sizeof quoted);
    snprintf(text + length, size - length, "%s=%s; ", name, quoted);
}

/* What does not depend on the plot or its format. */
static void set_variables(const struct plots *plots, const char *scripts, char *text, size_t size)
{
    text[0] = '\0';
    append_variable(text, size, "run", plots->folder);
    append_variable(text, size, "scripts", scripts);
    append_variable(text, size, "recipes", plots->recipes);
    size_t length = strlen(text);
    snprintf(text + length, size - length, "fitted=%d; ", has_file(plots->folder, "fits.csv"));
}

static void set_picture(const struct plots *plots, const char *name, const char *format,
                        char picture[PATH_SIZE])
{
    snprintf(picture, PATH_SIZE, "%s/plots/%s.%s", plots->folder, name, format);
}

/* Tells of a picture, or removes one that gnuplot could not write to its end. */
static enum gnuplot_end check_picture(const struct plot *plot, const char *format,
                                      const struct plots *plots, char *why, size_t size)
{
    char picture[PATH_SIZE];
    set_picture(plots, plot->name, format, picture);
    if (is_whole(picture, format)) {
        if (plots->drawn != NULL)
            plots->drawn(plots->context, picture);
        return GNUPLOT_DONE;
    }
    unlink(picture);
    snprintf(why, size, "%s could not be written to its end: the disk may be full", picture);
    return GNUPLOT_FAILED;
}

static void remove_picture(const struct plots *plots, const char *name, const char *format)
{
    char picture[PATH_SIZE];
    set_picture(plots, name, format, picture);
    unlink(picture);
}

static enum gnuplot_end draw_one(const struct plot *plot, const char *format,
                                 const struct plots *plots, const char *scripts,
                                 const char *variables, char *why, size_t size)
{
    char all[VARIABLES_SIZE + 32], script[PATH_SIZE];
    if (!has_file(plots->folder, plot->source))
        return GNUPLOT_NOTHING;
    snprintf(all, sizeof all, "%sformat='%s'", variables, format);
    snprintf(script, sizeof script, "%s/%s.gp", scripts, plot->name);
    enum gnuplot_end end = run_script(all, script, plots->interrupts, why, size);
    if (end == GNUPLOT_NOTHING)
        remove_picture(plots, plot->name, format);
    return end == GNUPLOT_DONE ? check_picture(plot, format, plots, why, size) : end;
}

/* All of them, until one fails. */
static enum plots_end draw_all(const struct plot *list, const struct plots *plots,
                               const char *scripts, const char *variables, char *why, size_t size)
{
    enum plots_end end = PLOTS_NOTHING;
    for (; list->name != NULL; list++) {
        for (size_t i = 0; i < PLOT_FORMATS; i++) {
            if ((plots->formats & 1u << i) == 0)
                continue;
            enum gnuplot_end one =
                draw_one(list, plot_formats[i], plots, scripts, variables, why, size);
            if (one == GNUPLOT_FAILED)
                return PLOTS_SKIPPED;
            if (one == GNUPLOT_DONE)
                end = PLOTS_DRAWN;
        }
    }
    return end;
}

/* All pictures, the one that was being drawn among them, and the folder if that was all. */
static void remove_pictures(const struct plot *list, const struct plots *plots, const char *folder)
{
    for (; list->name != NULL; list++) {
        for (size_t i = 0; i < PLOT_FORMATS; i++) {
            if ((plots->formats & 1u << i) != 0)
                remove_picture(plots, list->name, plot_formats[i]);
        }
    }
    rmdir(folder);
}

static enum plots_end draw(const struct plot *list, const struct plots *plots, const char *scripts,
                           const char *variables, char *why, size_t size)
{
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s/plots", plots->folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        snprintf(why, size, "%s: %s", folder, strerror(errno));
        return PLOTS_SKIPPED;
    }
    enum plots_end end = draw_all(list, plots, scripts, variables, why, size);
    if (is_interrupted(plots->interrupts, 0)) {
        remove_pictures(list, plots, folder);
        return PLOTS_INTERRUPTED;
    }
    if (end != PLOTS_DRAWN)
        rmdir(folder); /* only if nothing was drawn at all */
    return end;
}

enum plots_end plots_draw(const struct plots *plots, char *why, size_t size)
{
    char scripts[PATH_MAX], variables[VARIABLES_SIZE];
    if (!find_scripts(scripts, sizeof scripts)) {
        snprintf(why, size, "the scripts are not beside the program");
        return PLOTS_SKIPPED;
    }
    set_variables(plots, scripts, variables, sizeof variables);
    for (size_t i = 0; i < plots->label_count; i++) {
        char name[32], label[LABEL_SIZE];
        snprintf(name, sizeof name, "label_%zu", i + 1);
        append_variable(variables, sizeof variables, name,
                        printable_text(plots->labels[i], label, sizeof label));
    }
    return draw(plots_of[plots->kind], plots, scripts, variables, why, size);
}

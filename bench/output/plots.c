// SPDX-License-Identifier: Apache-2.0
#include "bench/output/plots.h"

#include "base/memory.h"
#include "base/printable.h"
#include "base/process.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/output/about.h"
#include "bench/output/folder.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
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
/* What stands below a picture: lines, and their bytes; the others are left out. */
#define ABOUT_LINES_MAX (COMPARED_RUNS_MAX + 1)
#define ABOUT_SIZE      600
#define TAIL_SIZE       16

__attribute__((format(printf, 2, 3))) static enum plots_end skip(struct plots *plots,
                                                                 const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(plots->why, sizeof plots->why, why, arguments);
    va_end(arguments);
    return PLOTS_SKIPPED;
}

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
static enum plots_end read_complaint(int log, int status, struct plots *plots)
{
    char text[512] = "";
    ssize_t length = pread(log, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    char *line = text + strspn(text, "\n ");
    line[strcspn(line, "\n")] = '\0';
    return line[0] == '\0' && WIFSIGNALED(status)
               ? skip(plots, "gnuplot was ended by signal %d", WTERMSIG(status))
               : skip(plots, "gnuplot failed: %s", line);
}

/* Runs a script with these variables ("name='value'; …"); neither text is changed. A plot depends
 * on them and the files that it reads, and not on the user's settings. A Ctrl-C reaches gnuplot
 * too; another signal reaches this program alone. */
static enum plots_end run_script(char *variables, char *script, struct plots *plots)
{
    pid_t child;
    int status = 0, log = memfd_create("gnuplot", MFD_CLOEXEC);
    enum plots_end end = PLOTS_DRAWN;
    if (log < 0)
        return skip(plots, "%s", strerror(errno));
    int error = spawn(variables, script, log, &child);
    while (error == 0 && waitpid(child, &status, WNOHANG) == 0) {
        if (is_interrupted(plots->interrupts, LOOK_MS)) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
    }
    if (error != 0)
        end = skip(plots, "gnuplot is not installed (%s)", strerror(error));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_TO_DRAW)
        end = PLOTS_NOTHING;
    else if (status != 0)
        end = read_complaint(log, status, plots);
    close(log);
    return end;
}

/* gnuplot does not report that a write has failed: on a full disk it ends as if all were well, and
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

/* ------------------------------------------------------------------ variables of the scripts */

/* name='value'; a quote within is written twice. */
static void add_variable(struct growing_text *text, const char *name, const char *value)
{
    growing_text_add(text, "%s='", name);
    for (; *value != '\0'; value++)
        growing_text_add(text, *value == '\'' ? "%c'" : "%c", *value);
    growing_text_add(text, "'; ");
}

/* name_1='value'; name_2='value'; …: the next of them. */
static void add_numbered(struct growing_text *text, const char *name, size_t *count,
                         const char *value)
{
    char numbered[32];
    snprintf(numbered, sizeof numbered, "%s_%zu", name, ++*count);
    add_variable(text, numbered, value);
}

/* about_1, about_2, …: a line each. Those of a comparison come from a file, which may be foreign.
 */
static void add_about(struct growing_text *variables, const struct plots *plots)
{
    char *lines = about_folder(plots->folder, plots->manifest), *line, *rest = lines,
         about[ABOUT_SIZE];
    size_t count = 0;
    while (count < ABOUT_LINES_MAX && (line = strsep(&rest, "\n")) != NULL && line[0] != '\0')
        add_numbered(variables, "about", &count, printable_text(line, about, sizeof about));
    free(lines);
}

struct parts {
    struct growing_text *variables;
    size_t count;
};

/* trials_1, trials_2, …: the folders with the trials of a load, on one topology or on several. */
static enum error_kind add_part(void *context, const char *folder, struct error *error)
{
    struct parts *parts = context;
    (void)error;
    if (folder_has(folder, "load.csv"))
        add_numbered(parts->variables, "trials", &parts->count, folder);
    return ERROR_NONE;
}

static char *describe(const struct plots *plots, const char *scripts)
{
    struct growing_text variables = {0};
    struct parts parts = {&variables, 0};
    struct error error;
    add_variable(&variables, "run", plots->folder);
    add_variable(&variables, "scripts", scripts);
    add_variable(&variables, "recipes", plots->recipes.length > 0 ? plots->recipes.text : "");
    add_about(&variables, plots);
    if (plots->kind == PLOTS_OF_LOAD)
        (void)!add_part(&parts, plots->folder, &error);
    if (plots->kind == PLOTS_OF_LOAD && parts.count == 0)
        (void)!folder_each(plots->folder, add_part, &parts, &error);
    growing_text_add(&variables, "fitted=%d; ", folder_has(plots->folder, "fits.csv"));
    for (size_t i = 0; i < plots->label_count;) {
        char label[LABEL_SIZE];
        const char *shown = printable_text(plots->labels[i], label, sizeof label);
        add_numbered(&variables, "label", &i, shown);
    }
    return variables.text;
}

/* ------------------------------------------------------------------ pictures */

/* A script, the file that it cannot do without, and the kinds of folders that have it. The folder
 * of an experiment of the paper has tables besides, whose loads are drawn before. */
static const struct {
    const char *name, *source;
    unsigned kinds;
    const char *column; /* of the file, which those of earlier releases lack; NULL: none */
} list[] = {
#define OF(kind) 1u << PLOTS_OF_##kind
    {"rpcs", "trials.csv", OF(RUN), NULL},
    {"messages", "waiters.csv", OF(RUN), NULL},
    {"bytes", "trials.csv", OF(RUN), NULL},
    {"handoff_latency", "waiters.csv", OF(RUN), NULL},
    {"drain_time", "trials.csv", OF(RUN), NULL},
    {"background", "background.csv", OF(RUN), NULL},
    {"anatomy", "trace.csv", OF(RUN), NULL},
    {"compare", "compare.csv", OF(COMPARISON), NULL},
    {"load_reads", "cells.csv", OF(LOAD), NULL},
    {"load_rate", "cells.csv", OF(LOAD), NULL},
    {"load_fan_out", "cells.csv", OF(LOAD), NULL},
    {"load_timeline", "timeline.csv", OF(LOAD), NULL},
    {"paper_table1", "table1.csv", OF(LOAD) | OF(PAPER), NULL},
    {"paper_table2", "table2.csv", OF(LOAD) | OF(PAPER), NULL},
    {"paper_table3", "table3.csv", OF(LOAD) | OF(PAPER), NULL},
    {"paper_figure8", "samples.csv", OF(LOAD) | OF(PAPER), NULL},
    {"plan", "plan.csv", OF(PLAN), NULL},
    {"autopsy", "periods.csv", OF(AUTOPSY), NULL},
    {"noise", "trials.csv", OF(RUN), "noise_disturbed"},
    {"load_noise", "load.csv", OF(LOAD), "noise_disturbed"},
    {"plan_noise", "plan.csv", OF(PLAN), "noise_disturbed"},
#undef OF
};

void plots_add_recipe(struct plots *plots, const char *name)
{
    growing_text_add(&plots->recipes, "%s%s", plots->recipes.length > 0 ? " " : "", name);
}

/* Whether the folder has the file and the column of a plot. */
static bool has_source(const char *folder, size_t plot)
{
    char path[FOLDER_FILE_SIZE], header[4096];
    struct error error;
    if (folder_find(folder, list[plot].source, path, &error))
        return false;
    (void)text_read(path, header, sizeof header);
    header[strcspn(header, "\n")] = '\0';
    return list[plot].column == NULL || strstr(header, list[plot].column) != NULL;
}

/* Draws a picture. One that gnuplot could not write to its end is removed. */
static enum plots_end draw_one(struct plots *plots, size_t plot, const char *format,
                               const char *picture, const char *scripts, const char *variables)
{
    if (!has_source(plots->folder, plot))
        return PLOTS_NOTHING;
    char *all = memory_format("%sformat='%s'", variables, format),
         *script = memory_format("%s/%s.gp", scripts, list[plot].name);
    enum plots_end end = run_script(all, script, plots);
    free(all);
    free(script);
    if (end == PLOTS_DRAWN && !is_whole(picture, format)) {
        unlink(picture);
        return skip(plots, "%s could not be written to its end: the disk may be full", picture);
    }
    if (end == PLOTS_NOTHING)
        unlink(picture);
    else if (end == PLOTS_DRAWN && plots->drawn != NULL)
        plots->drawn(plots->context, picture);
    return end;
}

/* Finds the next picture, from *at on: each plot in each of its formats. False: there is none. */
static bool next_picture(const struct plots *plots, size_t *at, char picture[PATH_SIZE])
{
    for (; *at < sizeof list / sizeof list[0] * PLOT_FORMATS; ++*at) {
        size_t plot = *at / PLOT_FORMATS, format = *at % PLOT_FORMATS;
        if ((list[plot].kinds & 1u << plots->kind) == 0 || (plots->formats & 1u << format) == 0)
            continue;
        snprintf(picture, PATH_SIZE, "%s/plots/%s.%s", plots->folder, list[plot].name,
                 plot_formats[format]);
        return true;
    }
    return false;
}

/* All pictures, until one fails. */
static enum plots_end draw(struct plots *plots)
{
    static const char *const places[] = {"share/zkherd/plots", "plots", NULL};
    char scripts[PATH_SIZE], folder[PATH_SIZE], picture[PATH_SIZE];
    enum plots_end end = PLOTS_NOTHING;
    if (!process_find_beside(places, "common.gp", scripts, sizeof scripts))
        return skip(plots, "the scripts are not beside the program");
    snprintf(folder, sizeof folder, "%s/plots", plots->folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return skip(plots, "%s: %s", folder, strerror(errno));
    char *variables = describe(plots, scripts);
    for (size_t at = 0; end != PLOTS_SKIPPED && next_picture(plots, &at, picture); at++) {
        enum plots_end one = draw_one(plots, at / PLOT_FORMATS, plot_formats[at % PLOT_FORMATS],
                                      picture, scripts, variables);
        end = one != PLOTS_NOTHING ? one : end;
    }
    free(variables);
    if (is_interrupted(plots->interrupts, 0)) {
        for (size_t at = 0; next_picture(plots, &at, picture); at++)
            unlink(picture); /* the one that was being drawn among them */
        end = PLOTS_INTERRUPTED;
    }
    if (end != PLOTS_DRAWN)
        rmdir(folder); /* only if nothing was drawn at all */
    return end;
}

enum plots_end plots_draw(struct plots *plots)
{
    enum plots_end end = draw(plots);
    free(plots->recipes.text);
    plots->recipes = (struct growing_text){0};
    return end;
}

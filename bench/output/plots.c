// SPDX-License-Identifier: Apache-2.0
#include "bench/output/plots.h"

#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/output/about.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "measure/csv.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
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
#define PATH_SIZE       (PATH_MAX + 64)
/* Longer ones the script cuts. */
#define LABEL_SIZE 200
/* What stands below a picture: lines, and their bytes; the others are left out. */
#define ABOUT_LINES_MAX (COMPARED_RUNS_MAX + 1)
#define ABOUT_SIZE      600
#define TAIL_SIZE       16

/* Sets why the pictures are skipped. */
#define skip(plots, ...)                                                                           \
    (error_raise(&(plots)->why, ERROR_NOT_DRAWN, 0, (plots)->folder, __VA_ARGS__), PLOTS_SKIPPED)

/* ------------------------------------------------------------------ gnuplot */

/* Its output is kept. Of the environment it gets its own programs and libraries, and a place to
 * work, and not GNUTERM and GDFONTPATH, the language with its decimal comma, HOME with its .gnuplot
 * and its fonts. */
static int spawn(char *variables, char *script, int log, pid_t *child)
{
    static const char *const kept[] = {"PATH", "LD_LIBRARY_PATH", "TMPDIR"};
    char name[] = "gnuplot", no_defaults[] = "-d", evaluate[] = "-e", language[] = "LC_ALL=C.UTF-8";
    char *const arguments[] = {name, no_defaults, evaluate, variables, script, NULL};
    char *environment[5] = {language};
    size_t count = 1;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *value = getenv(kept[i]);
        if (value != NULL)
            environment[count++] = memory_format("%s=%s", kept[i], value);
    }
    int error = process_start(arguments, environment, log, false, child);
    while (count > 1)
        free(environment[--count]);
    return error;
}

/* Runs a script with these variables ("name='value'; …"); neither text is changed. A plot depends
 * on them and the files that it reads, and not on the user's settings. A Ctrl-C ends gnuplot, and
 * with it the drawing. */
static enum plots_end run_script(char *variables, char *script, struct plots *plots)
{
    pid_t child;
    int status = 0, log = memfd_create("gnuplot", MFD_CLOEXEC);
    char text[512] = "";
    if (log < 0)
        return skip(plots, "%s", strerror(errno));
    int error = spawn(variables, script, log, &child);
    if (error == 0)
        waitpid(child, &status, 0);
    ssize_t length = pread(log, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(log);
    if (error != 0)
        return skip(plots, "gnuplot is not installed (%s)", strerror(error));
    if (status == 0)
        return PLOTS_DRAWN;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_TO_DRAW)
        return PLOTS_NOTHING;
    /* The first line that it complained with, or what ended it without a word. */
    char *line = text + strspn(text, "\n ");
    line[strcspn(line, "\n")] = '\0';
    return line[0] == '\0' && WIFSIGNALED(status)
               ? skip(plots, "gnuplot was ended by signal %d", WTERMSIG(status))
               : skip(plots, "gnuplot failed: %s", line);
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

/* name_1='value'; name_2='value'; … */
struct numbered {
    struct growing_text *variables;
    const char *name;
    size_t count; /* so far */
};

static void add_numbered(struct numbered *list, const char *value)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%zu", list->name, ++list->count);
    add_variable(list->variables, name, value);
}

/* about_1, about_2, …: a line each. Those of a comparison come from a file, which may be foreign.
 */
static void add_about(struct growing_text *variables, const char *folder)
{
    struct numbered list = {variables, "about", 0};
    char *lines = about_folder(folder), *line, *rest = lines, about[ABOUT_SIZE];
    while (list.count < ABOUT_LINES_MAX && (line = strsep(&rest, "\n")) != NULL && line[0] != '\0')
        add_numbered(&list, printable_text(line, about, sizeof about));
    free(lines);
}

/* trials_1, trials_2, …: the folders with the trials of a load, on one topology or on several. */
static enum error_kind add_trials(void *list, const char *folder, struct error *error)
{
    (void)error;
    if (folder_has(folder, "load.csv"))
        add_numbered(list, folder);
    return ERROR_NONE;
}

/* counted_recipe_1, counted_law_1, …: the laws of the requests, of recipes that common.gp does not
 * know too. An earlier release wrote none. */
static enum error_kind add_laws(struct plots *plots, struct growing_text *variables)
{
    struct numbered recipes = {variables, "counted_recipe", 0},
                    laws = {variables, "counted_law", 0};
    struct csv_reader reader = {0};
    char path[FOLDER_FILE_SIZE], text[LABEL_SIZE];
    size_t recipe, metric, law;
    struct error error;
    if (folder_find(plots->folder, "fits.csv", path, &error))
        return ERROR_NONE;
    enum error_kind kind = csv_reader_open(path, &reader, &plots->why);
    bool lacks_laws = kind != ERROR_NONE || csv_reader_column(&reader, "recipe", &recipe, &error) ||
                      csv_reader_column(&reader, "metric", &metric, &error) ||
                      csv_reader_column(&reader, "law", &law, &error);
    for (size_t row = 0; !lacks_laws && row < reader.rows; row++) {
        const char *of = csv_reader_text(&reader, row, recipe),
                   *counted = csv_reader_text(&reader, row, law);
        if (counted[0] == '\0' || strcmp(csv_reader_text(&reader, row, metric), "rpcs") != 0)
            continue;
        add_numbered(&recipes, printable_text(of, text, sizeof text));
        add_numbered(&laws, printable_text(counted, text, sizeof text));
    }
    csv_reader_deinit(&reader);
    return kind;
}

/* ------------------------------------------------------------------ recipes */

static bool is_listed(const char *list, const char *name)
{
    char item[NAME_MAX + 1];
    while (text_next_item(&list, item, sizeof item)) {
        if (strcmp(item, name) == 0)
            return true;
    }
    return false;
}

/* Adds a name. Scripts are composed of names: what is none is left out, and what is not among those
 * that are to be drawn. */
static void add_recipe(const struct plots *plots, const char *name, struct growing_text *recipes)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (name == NULL || name[strspn(name, letters)] != '\0' ||
        (plots->recipes != NULL && !is_listed(plots->recipes, name)))
        return;
    growing_text_add(recipes, "%s%s", recipes->length > 0 ? " " : "", name);
}

/* The recipes of a comparison, whose rows follow each other; and label_1, label_2, …, the names of
 * its sides: "C/A" names sides 2 and 0. */
static enum error_kind read_comparison(struct plots *plots, const struct csv_reader *reader,
                                       struct growing_text *recipes, struct growing_text *variables)
{
    enum { METRIC, PAIR, LABEL_A, LABEL_B, RECIPE, COLUMNS };
    static const char *const names[] = {"metric", "pair", "label_a", "label_b", "recipe"};
    const char *of[COLUMNS], *labels[COMPARED_RUNS_MAX + 1] = {NULL}, *last = "";
    struct numbered list = {variables, "label", 0};
    size_t columns[COLUMNS];
    char label[LABEL_SIZE];
    for (size_t i = 0; i < COLUMNS; i++) {
        if (csv_reader_column(reader, names[i], &columns[i], &plots->why))
            return plots->why.kind;
    }
    for (size_t row = 0; row < reader->rows; row++) {
        for (size_t i = 0; i < COLUMNS; i++)
            of[i] = csv_reader_text(reader, row, columns[i]);
        const char *pair = of[PAIR];
        if (strlen(pair) != 3 || pair[1] != '/' || pair[2] < 'A' || pair[0] <= pair[2] ||
            pair[0] >= 'A' + COMPARED_RUNS_MAX)
            return csv_reader_refuse(reader, row, columns[PAIR], "is no pair of sides",
                                     &plots->why);
        labels[pair[2] - 'A'] = of[LABEL_A];
        labels[pair[0] - 'A'] = of[LABEL_B];
        if (strcmp(of[METRIC], "handoff_p50_us") != 0 || strcmp(of[RECIPE], last) == 0)
            continue;
        last = of[RECIPE];
        add_recipe(plots, last, recipes);
    }
    while (labels[list.count] != NULL)
        add_numbered(&list, printable_text(labels[list.count], label, sizeof label));
    return ERROR_NONE;
}

/* The recipes that are to be drawn, of a plan or a comparison. */
static void find_recipes(struct plots *plots, struct growing_text *recipes,
                         struct growing_text *variables)
{
    struct csv_reader comparison = {0};
    struct error error = {0}, *why = &plots->why;
    char path[FOLDER_FILE_SIZE];
    json_t *manifest = folder_manifest(plots->folder, &error); /* it may have none */
    const json_t *named = json_object_get(json_object_get(manifest, "plan"), "recipes");
    for (size_t i = 0; i < json_array_size(named); i++)
        add_recipe(plots, json_string_value(json_array_get(named, i)), recipes);
    json_decref(manifest);
    if (error.kind == ERROR_MALFORMED)
        *why = error;
    if (folder_find(plots->folder, "compare.csv", path, &error) == ERROR_NONE) {
        ERROR_FIRST(why, csv_reader_open(path, &comparison, why));
        ERROR_FIRST(why, read_comparison(plots, &comparison, recipes, variables));
        csv_reader_deinit(&comparison);
    }
    if (why->kind == ERROR_NONE && plots->recipes != NULL && recipes->length == 0)
        error_raise(why, ERROR_USAGE, 0, plots->recipes, "none of these recipes is in %s",
                    plots->folder);
}

/* The variables of all scripts. NULL: a file is malformed, and why says so. */
static char *describe(struct plots *plots, const char *scripts)
{
    struct growing_text variables = {0}, recipes = {.text = memory_text("")},
                        labels = {.text = memory_text("")};
    struct numbered trials = {&variables, "trials", 0};
    struct error error;
    find_recipes(plots, &recipes, &labels);
    if (plots->recipes != NULL)
        snprintf(plots->part, sizeof plots->part, "/%s", recipes.text);
    for (char *space = plots->part; (space = strchr(space, ' ')) != NULL;)
        *space = '-';
    add_variable(&variables, "run", plots->folder);
    if (plots->part[0] != '\0')
        add_variable(&variables, "part", plots->part);
    add_variable(&variables, "scripts", scripts);
    add_variable(&variables, "recipes", recipes.text);
    add_about(&variables, plots->folder);
    ERROR_FIRST(&plots->why, add_laws(plots, &variables));
    (void)!add_trials(&trials, plots->folder, &error);
    if (trials.count == 0)
        (void)!folder_each(plots->folder, add_trials, &trials, &error);
    growing_text_add(&variables, "fitted=%d; bare=%d; %s", folder_has(plots->folder, "fits.csv"),
                     plots->bare, labels.text);
    free(labels.text);
    free(recipes.text);
    if (plots->why.kind == ERROR_NONE)
        return variables.text;
    free(variables.text);
    return NULL;
}

/* ------------------------------------------------------------------ pictures */

/* A script, the file that it cannot do without, and a column that this file may lack: another of
 * its name, or that of an earlier release. */
static const struct {
    const char *name, *source, *column;
} list[] = {
    {"rpcs", "trials.csv", ""},
    {"messages", "waiters.csv", ""},
    {"bytes", "trials.csv", ""},
    {"handoff_latency", "waiters.csv", ""},
    {"drain_time", "trials.csv", ""},
    {"background", "background.csv", ""},
    {"anatomy", "trace.csv", ""},
    {"compare", "compare.csv", ""},
    {"load_reads", "cells.csv", "reads_percent"},
    {"load_rate", "cells.csv", "reads_percent"},
    {"load_fan_out", "cells.csv", "reads_percent"},
    {"load_timeline", "timeline.csv", ""},
    {"paper_table1", "table1.csv", ""},
    {"paper_table2", "table2.csv", ""},
    {"paper_table3", "table3.csv", ""},
    {"plan", "plan.csv", ""},
    {"autopsy", "periods.csv", ""},
    {"noise", "trials.csv", "noise_disturbed"},
    {"load_noise", "load.csv", "noise_disturbed"},
    {"plan_noise", "plan.csv", "noise_disturbed"},
};

#define PLOTS (sizeof list / sizeof list[0])

/* Whether the folder has the file and the column of a plot. */
static bool has_source(const char *folder, size_t plot)
{
    char path[FOLDER_FILE_SIZE], header[4096];
    struct error error;
    if (folder_find(folder, list[plot].source, path, &error))
        return false;
    (void)text_read(header, sizeof header, "%s", path);
    header[strcspn(header, "\n")] = '\0';
    return strstr(header, list[plot].column) != NULL;
}

bool plots_are_of(const char *folder)
{
    size_t plot = 0;
    while (plot < PLOTS && !has_source(folder, plot))
        plot++;
    return plot < PLOTS;
}

/* Draws a picture. One that gnuplot could not write to its end is removed. */
static enum plots_end draw_one(struct plots *plots, const char *name, const char *format,
                               const char *scripts, const char *variables)
{
    char *all = memory_format("%sformat='%s'", variables, format),
         *script = memory_format("%s/%s.gp", scripts, name),
         *picture = memory_format("%s/plots%s/%s.%s", plots->folder, plots->part, name, format);
    enum plots_end end = run_script(all, script, plots);
    bool whole = is_whole(picture, format);
    if (end == PLOTS_NOTHING || !whole)
        unlink(picture);
    if (end == PLOTS_DRAWN && !whole)
        end = skip(plots, "%s could not be written to its end: the disk may be full", picture);
    else if (end == PLOTS_DRAWN && plots->pictures != NULL)
        json_array_append_new(plots->pictures, json_text(picture));
    free(all);
    free(script);
    free(picture);
    return end;
}

/* Each plot in each of its formats, until one fails. */
enum plots_end plots_draw(struct plots *plots)
{
    static const char *const places[] = {"share/zkherd/plots", "plots", NULL};
    const char *only = plots->only != NULL ? plots->only : "";
    char scripts[PATH_SIZE], outer[PATH_SIZE], folder[PATH_SIZE];
    enum plots_end end = PLOTS_NOTHING;
    if (!process_find_beside(places, "common.gp", scripts, sizeof scripts))
        return skip(plots, "the scripts are not beside the program");
    char *variables = describe(plots, scripts);
    if (variables == NULL)
        return PLOTS_SKIPPED;
    snprintf(outer, sizeof outer, "%s/plots", plots->folder);
    (void)!mkdir(outer, 0777);
    snprintf(folder, sizeof folder, "%s/plots%s", plots->folder, plots->part);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        end = skip(plots, "%s: %s", folder, strerror(errno));
    for (size_t i = 0; end != PLOTS_SKIPPED && i < PLOTS * PLOT_FORMATS; i++) {
        size_t plot = i / PLOT_FORMATS, format = i % PLOT_FORMATS;
        if (strncmp(list[plot].name, only, strlen(only)) != 0 ||
            (plots->formats & 1u << format) == 0 || !has_source(plots->folder, plot))
            continue;
        enum plots_end one =
            draw_one(plots, list[plot].name, plot_formats[format], scripts, variables);
        end = one != PLOTS_NOTHING ? one : end;
    }
    free(variables);
    if (end != PLOTS_DRAWN) { /* an empty folder goes */
        rmdir(folder);
        rmdir(outer);
    }
    return end;
}

void plots_add(const char *folder, const char *only, const struct output_options *output)
{
    struct plots plots = {.folder = folder, .only = only, .formats = output->plots};
    if (plots_draw(&plots) == PLOTS_SKIPPED && !output->quiet)
        complain_mildly("the plots are skipped: %s", plots.why.detail);
}

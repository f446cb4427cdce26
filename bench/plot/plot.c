// SPDX-License-Identifier: Apache-2.0
#include "bench/plot/plot.h"

#include "base/error.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/output/compared_runs.h"
#include "bench/output/folder.h"
#include "bench/output/past_run.h"
#include "bench/output/plots.h"
#include "bench/plot/plot_json.h"
#include "measure/csv_reader.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE (PATH_MAX + 32)

static const char usage[] =
    "Usage: zkherd plot [OPTION]... FOLDER...\n"
    "Draw the plots of past runs, loads, evaluations, plans and comparisons again,\n"
    "from their CSV files, into plots/ of each folder. FOLDER is what zkherd run,\n"
    "load, paper, plan or compare has written. An existing plot is replaced.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 2 wrong usage, a folder without data of zkherd, or a\n"
    "malformed file; 3 the environment: no gnuplot, no permission, no space.\n"
    "\n"
    "Examples:\n"
    "  zkherd plot results/reference/standalone --plots pdf\n"
    "  zkherd plot both/standalone both/ensemble3 --plots svg,eps\n"
    "  zkherd plot results/20261122T101500Z-paper/table1\n";

struct plot {
    unsigned formats;
    bool json;
    json_t *results; /* with json: those so far */
};

static const struct option_row rows[] = {
    {.name = "--plots",
     OPTION_PLOTS(struct plot, formats),
     .value = "svg,png",
     .help = "      --plots FORMATS  svg, png, pdf, eps [svg,png]\n"},
    {.name = "--json",
     OPTION_FLAG(struct plot, json),
     .help = "      --json           print JSON in place of the text: the pictures\n"},
    OPTION_ROW_HELP("  -h, --help           print this help\n"),
    {0},
};

/* ------------------------------------------------------------------ a folder of any kind */

/* Draws, and tells of the pictures. */
static enum error_kind draw(struct plot *plot, struct plots plots, struct error *error)
{
    char why[640];
    plots.formats = plot->formats;
    plots.interrupts = -1;
    if (plot->json) {
        plots.drawn = plot_json_add_picture;
        plots.context = plot_json_add_folder(plot->results, plots.folder);
    }
    enum plots_end end = plots_draw(&plots, why, sizeof why);
    if (end == PLOTS_NOTHING)
        return error_raise(error, ERROR_NOT_DRAWN, 0, plots.folder, "there is nothing to draw");
    if (end != PLOTS_DRAWN)
        return error_raise(error, ERROR_NOT_DRAWN, 0, plots.folder, "%s", why);
    if (!plot->json)
        printf("plots in %s/plots\n", plots.folder);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a run */

static enum error_kind list_recipes(const struct past_run *run, char *list, struct error *error)
{
    for (size_t i = 0; past_run_recipe(run, i) != NULL; i++) {
        if (!plots_add_recipe(list, past_run_recipe(run, i)))
            return error_raise(error, ERROR_MALFORMED, 0, run->folder, "too many recipes");
    }
    return ERROR_NONE;
}

static enum error_kind plot_run(const char *folder, struct plot *plot, struct error *error)
{
    struct past_run run;
    char recipes[PLOTS_RECIPES_SIZE] = "";
    enum error_kind kind = past_run_open(folder, &run, error);
    if (kind != ERROR_NONE)
        return kind;
    const struct plots plots = {.kind = PLOTS_OF_RUN, .folder = run.folder, .recipes = recipes};
    kind = list_recipes(&run, recipes, error);
    if (kind == ERROR_NONE)
        kind = draw(plot, plots, error);
    past_run_deinit(&run);
    return kind;
}

/* ------------------------------------------------------------------ a comparison */

/* What is to be known of one before it is drawn: its rows name recipes and sides. */
struct past_comparison {
    struct csv_reader rows;
    size_t recipe, pair, label_a, label_b; /* columns */
    char recipes[PLOTS_RECIPES_SIZE];
    const char *labels[COMPARED_RUNS_MAX];
    size_t label_count;
};

static enum error_kind find_columns(struct past_comparison *past, struct error *error)
{
    const struct {
        const char *name;
        size_t *column;
    } wanted[] = {{"recipe", &past->recipe},
                  {"pair", &past->pair},
                  {"label_a", &past->label_a},
                  {"label_b", &past->label_b}};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof wanted / sizeof wanted[0]; i++)
        kind = csv_reader_column(&past->rows, wanted[i].name, wanted[i].column, error);
    return kind;
}

/* The rows of a recipe stand together. */
static enum error_kind add_recipe(struct past_comparison *past, size_t row, struct error *error)
{
    const char *name = csv_reader_text(&past->rows, row, past->recipe);
    if (row > 0 && strcmp(name, csv_reader_text(&past->rows, row - 1, past->recipe)) == 0)
        return ERROR_NONE;
    if (!past_run_is_name(name))
        return csv_reader_refuse(&past->rows, row, past->recipe, "is no name of a recipe", error);
    if (!plots_add_recipe(past->recipes, name))
        return csv_reader_refuse(&past->rows, row, past->recipe, "is one recipe too many", error);
    return ERROR_NONE;
}

/* "C/A" names side 2, and A. */
static enum error_kind add_labels(struct past_comparison *past, size_t row, struct error *error)
{
    const char *pair = csv_reader_text(&past->rows, row, past->pair);
    size_t side = (size_t)(pair[0] - 'A');
    if (pair[0] < 'B' || side >= COMPARED_RUNS_MAX || strcmp(pair + 1, "/A") != 0)
        return csv_reader_refuse(&past->rows, row, past->pair, "is no pair of sides", error);
    past->labels[0] = csv_reader_text(&past->rows, row, past->label_a);
    past->labels[side] = csv_reader_text(&past->rows, row, past->label_b);
    if (side >= past->label_count)
        past->label_count = side + 1;
    return ERROR_NONE;
}

static enum error_kind read_rows(struct past_comparison *past, struct error *error)
{
    enum error_kind kind = find_columns(past, error);
    for (size_t i = 0; i < COMPARED_RUNS_MAX; i++)
        past->labels[i] = "";
    for (size_t row = 0; kind == ERROR_NONE && row < past->rows.rows; row++) {
        kind = add_recipe(past, row, error);
        if (kind == ERROR_NONE)
            kind = add_labels(past, row, error);
    }
    return kind;
}

static enum error_kind plot_comparison(const char *folder, struct plot *plot, struct error *error)
{
    struct past_comparison past = {0};
    char file[PATH_SIZE];
    snprintf(file, sizeof file, "%s/compare.csv", folder);
    enum error_kind kind = csv_reader_open(file, &past.rows, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = read_rows(&past, error);
    const struct plots plots = {.kind = PLOTS_OF_COMPARISON,
                                .folder = folder,
                                .recipes = past.recipes,
                                .labels = past.labels,
                                .label_count = past.label_count};
    if (kind == ERROR_NONE)
        kind = draw(plot, plots, error);
    csv_reader_deinit(&past.rows);
    return kind;
}

/* ------------------------------------------------------------------ a load */

/* Its scripts read numbers alone, and need nothing that is read here. */
static enum error_kind plot_load(const char *folder, struct plot *plot, struct error *error)
{
    return draw(plot, (struct plots){.kind = PLOTS_OF_LOAD, .folder = folder, .recipes = ""},
                error);
}

/* ------------------------------------------------------------------ a plan */

/* The recipes of answers.csv, of which each has a row. */
static enum error_kind read_answers(const struct csv_reader *answers,
                                    char recipes[PLOTS_RECIPES_SIZE], struct error *error)
{
    size_t recipe;
    enum error_kind kind = csv_reader_column(answers, "recipe", &recipe, error);
    for (size_t row = 0; kind == ERROR_NONE && row < answers->rows; row++) {
        const char *name = csv_reader_text(answers, row, recipe);
        if (!past_run_is_name(name))
            kind = csv_reader_refuse(answers, row, recipe, "is no name of a recipe", error);
        else if (!plots_add_recipe(recipes, name))
            kind = csv_reader_refuse(answers, row, recipe, "is one recipe too many", error);
    }
    return kind;
}

static enum error_kind plot_plan(const char *folder, struct plot *plot, struct error *error)
{
    struct csv_reader answers;
    char file[PATH_SIZE], recipes[PLOTS_RECIPES_SIZE] = "";
    snprintf(file, sizeof file, "%s/answers.csv", folder);
    enum error_kind kind = csv_reader_open(file, &answers, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = read_answers(&answers, recipes, error);
    const struct plots plots = {.kind = PLOTS_OF_PLAN, .folder = folder, .recipes = recipes};
    if (kind == ERROR_NONE)
        kind = draw(plot, plots, error);
    csv_reader_deinit(&answers);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static bool has_file(const char *folder, const char *name)
{
    char file[2 * PATH_SIZE];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    return access(file, F_OK) == 0;
}

/* A load, the common folder of several, or an evaluation. */
static bool is_load(const char *folder)
{
    static const char *const files[] = {"load.csv",   "cells.csv",  "table1.csv",
                                        "table2.csv", "table3.csv", "samples.csv"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (has_file(folder, files[i]))
            return true;
    }
    return false;
}

static bool has_data(const char *folder)
{
    return has_file(folder, "compare.csv") || has_file(folder, "plan.csv") || is_load(folder) ||
           has_file(folder, "trials.csv");
}

/* The folders in this one that can be drawn: those of several topologies, or of several
 * evaluations. Returns how many; as many as fit are in the text, with commas between. */
static size_t list_inner(const char *folder, char *text, size_t size)
{
    size_t found = 0, length = 0;
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE + NAME_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && has_data(path)) {
            if (length < size)
                length += (size_t)snprintf(text + length, size - length, "%s%s",
                                           found > 0 ? ", " : "", path);
            found++;
        }
        free(entries[i]);
    }
    free(entries);
    return found;
}

static enum error_kind plot_folder(const char *named, struct plot *plot, struct error *error)
{
    char folder[PATH_MAX], inner[400];
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    if (has_file(folder, "compare.csv"))
        return plot_comparison(folder, plot, error);
    if (has_file(folder, "plan.csv"))
        return plot_plan(folder, plot, error);
    if (is_load(folder))
        return plot_load(folder, plot, error);
    if (!has_data(folder) && list_inner(folder, inner, sizeof inner) > 0)
        return error_raise(error, ERROR_USAGE, 0, folder,
                           "nothing to draw but in its folders: name %s", inner);
    return plot_run(folder, plot, error);
}

static int plot_folders(char *const folders[], size_t count, struct plot *plot)
{
    struct error error = {0};
    for (size_t i = 0; i < count; i++) {
        if (plot_folder(folders[i], plot, &error) != ERROR_NONE)
            return complain_about("plot", &error);
    }
    return plot->json && plot_json_write(plot->results, stdout, &error) != ERROR_NONE
               ? complain(&error)
               : 0;
}

int plot_main(int argc, char **argv)
{
    static const struct arguments arguments = {"plot", usage, rows, notes, NULL};
    struct plot plot = {0};
    int first = argc;
    int status = arguments_take(&arguments, argc, argv, &plot, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return complain_usage("plot", "folders",
                              "expected the folder of a run, a load or a comparison");
    plot.results = plot.json ? json_array() : NULL;
    status = plot_folders(argv + first, (size_t)(argc - first), &plot);
    json_decref(plot.results);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/output/past_run.h"
#include "bench/output/plots.h"
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

static void add_picture(void *pictures, const char *file)
{
    json_array_append_new(pictures, json_text(file));
}

/* Draws, and tells of the pictures. */
static enum error_kind draw(struct plot *plot, struct plots *plots, struct error *error)
{
    plots->formats = plot->formats;
    plots->interrupts = -1;
    if (plot->json) {
        json_t *result = json_pack("{s:o, s:[]}", "folder", json_text(plots->folder), "plots");
        json_array_append_new(plot->results, result);
        plots->drawn = add_picture;
        plots->context = json_object_get(result, "plots");
    }
    enum plots_end end = plots_draw(plots);
    if (end != PLOTS_DRAWN)
        return error_raise(error, ERROR_NOT_DRAWN, 0, plots->folder, "%s",
                           end == PLOTS_NOTHING ? "there is nothing to draw" : plots->why);
    if (!plot->json)
        printf("plots in %s/plots\n", plots->folder);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a run */

static enum error_kind plot_run(const char *folder, struct plot *plot, struct error *error)
{
    struct past_run run;
    enum error_kind kind = past_run_open(folder, &run, error);
    if (kind != ERROR_NONE)
        return kind;
    struct plots plots = {.kind = PLOTS_OF_RUN, .folder = run.folder};
    for (size_t i = 0; past_run_recipe(&run, i) != NULL; i++)
        plots_add_recipe(&plots, past_run_recipe(&run, i));
    kind = draw(plot, &plots, error);
    past_run_deinit(&run);
    return kind;
}

/* ------------------------------------------------------------------ a comparison or a plan */

/* Adds the recipe that a row names. The rows of a recipe stand together. */
static enum error_kind add_recipe(const struct csv_reader *reader, size_t row, size_t column,
                                  struct plots *plots, struct error *error)
{
    const char *name = csv_reader_text(reader, row, column);
    if (row > 0 && strcmp(name, csv_reader_text(reader, row - 1, column)) == 0)
        return ERROR_NONE;
    if (!past_run_is_name(name))
        return csv_reader_refuse(reader, row, column, "is no name of a recipe", error);
    plots_add_recipe(plots, name);
    return ERROR_NONE;
}

/* The side of a letter; COMPARED_RUNS_MAX: none. */
static size_t side_of(char letter)
{
    return letter >= 'A' && letter < 'A' + COMPARED_RUNS_MAX ? (size_t)(letter - 'A')
                                                             : COMPARED_RUNS_MAX;
}

/* The sides of a comparison by name: "C/A" names sides 2 and 0. */
static enum error_kind read_labels(const struct csv_reader *reader,
                                   const char *labels[COMPARED_RUNS_MAX], size_t *count,
                                   struct error *error)
{
    size_t pair_column, label_a, label_b;
    enum error_kind kind = csv_reader_column(reader, "pair", &pair_column, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_column(reader, "label_a", &label_a, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_column(reader, "label_b", &label_b, error);
    for (size_t i = 0; i < COMPARED_RUNS_MAX; i++)
        labels[i] = "";
    for (size_t row = 0; kind == ERROR_NONE && row < reader->rows; row++) {
        const char *pair = csv_reader_text(reader, row, pair_column);
        size_t side = side_of(pair[0]),
               against = strlen(pair) == 3 && pair[1] == '/' ? side_of(pair[2]) : COMPARED_RUNS_MAX;
        if (side >= COMPARED_RUNS_MAX || against >= side)
            return csv_reader_refuse(reader, row, pair_column, "is no pair of sides", error);
        labels[against] = csv_reader_text(reader, row, label_a);
        labels[side] = csv_reader_text(reader, row, label_b);
        if (side >= *count)
            *count = side + 1;
    }
    return kind;
}

/* A comparison of loads, plans and the like has nothing that the plot shows. */
static enum error_kind check_metrics(const struct csv_reader *reader, const char *folder,
                                     struct error *error)
{
    size_t metric;
    enum error_kind kind = csv_reader_column(reader, "metric", &metric, error);
    for (size_t row = 0; kind == ERROR_NONE && row < reader->rows; row++) {
        if (strcmp(csv_reader_text(reader, row, metric), "handoff_p50_us") == 0)
            return ERROR_NONE;
    }
    return kind != ERROR_NONE || reader->rows == 0
               ? kind
               : error_raise(error, ERROR_NOT_DRAWN, 0, folder,
                             "only a comparison of runs has a plot");
}

/* The rows of this file name the recipes. */
static enum error_kind plot_rows(const char *folder, const char *name, enum plots_kind of,
                                 struct plot *plot, struct error *error)
{
    struct csv_reader reader;
    const char *labels[COMPARED_RUNS_MAX];
    char file[PATH_SIZE];
    struct plots plots = {.kind = of, .folder = folder};
    size_t recipe;
    snprintf(file, sizeof file, "%s/%s", folder, name);
    enum error_kind kind = csv_reader_open(file, &reader, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = of == PLOTS_OF_COMPARISON ? check_metrics(&reader, folder, error) : ERROR_NONE;
    if (kind == ERROR_NONE)
        kind = csv_reader_column(&reader, "recipe", &recipe, error);
    for (size_t row = 0; kind == ERROR_NONE && row < reader.rows; row++)
        kind = add_recipe(&reader, row, recipe, &plots, error);
    if (kind == ERROR_NONE && of == PLOTS_OF_COMPARISON) {
        plots.labels = labels;
        kind = read_labels(&reader, labels, &plots.label_count, error);
    }
    if (kind == ERROR_NONE)
        kind = draw(plot, &plots, error);
    free(plots.recipes.text); /* of a file that is refused */
    csv_reader_deinit(&reader);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

/* By which file a folder is known: a load may be the common folder of several, or an evaluation. */
static const struct {
    const char *file;
    enum plots_kind kind;
} kinds[] = {
    {"compare.csv", PLOTS_OF_COMPARISON}, {"plan.csv", PLOTS_OF_PLAN},
    {"load.csv", PLOTS_OF_LOAD},          {"cells.csv", PLOTS_OF_LOAD},
    {"table1.csv", PLOTS_OF_LOAD},        {"table2.csv", PLOTS_OF_LOAD},
    {"table3.csv", PLOTS_OF_LOAD},        {"samples.csv", PLOTS_OF_LOAD},
    {"trials.csv", PLOTS_OF_RUN},         {"periods.csv", PLOTS_OF_AUTOPSY},
};

static bool find_kind(const char *folder, enum plots_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char file[2 * PATH_SIZE];
        snprintf(file, sizeof file, "%s/%s", folder, kinds[i].file);
        *kind = kinds[i].kind;
        if (access(file, F_OK) == 0)
            return true;
    }
    return false;
}

/* The folders in this one that can be drawn: those of several topologies, or of several
 * evaluations. Returns how many; as many as fit are in the text, with commas between. */
static size_t list_inner(const char *folder, char *text, size_t size)
{
    size_t found = 0, length = 0;
    struct dirent **entries = NULL;
    enum plots_kind kind;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE + NAME_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && find_kind(path, &kind)) {
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
    enum plots_kind of;
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    bool has_data = find_kind(folder, &of);
    if (!has_data && list_inner(folder, inner, sizeof inner) > 0)
        return error_raise(error, ERROR_USAGE, 0, folder,
                           "nothing to draw but in its folders: name %s", inner);
    if (!has_data || of == PLOTS_OF_RUN)
        return plot_run(folder, plot, error);
    if (of == PLOTS_OF_COMPARISON)
        return plot_rows(folder, "compare.csv", of, plot, error);
    if (of == PLOTS_OF_PLAN)
        return plot_rows(folder, "answers.csv", of, plot, error);
    /* The scripts of a load and of an autopsy read numbers alone. */
    return draw(plot, &(struct plots){.kind = of, .folder = folder}, error);
}

static int plot_folders(char *const folders[], size_t count, struct plot *plot)
{
    struct error error = {0};
    for (size_t i = 0; i < count; i++) {
        if (plot_folder(folders[i], plot, &error) != ERROR_NONE)
            return complain_about("plot", &error);
    }
    if (plot->json)
        json_result_write(json_pack("{s:O}", "results", plot->results), stdout);
    return 0;
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

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

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------ what a folder holds */

/* The file by which a folder is known, and the file whose rows name its recipes: NULL if those are
 * in the manifest, or if there are none. A load may be the common folder of several, or an
 * evaluation; a run has cells, too. */
static const struct kind {
    const char *file;
    enum plots_kind kind;
    const char *recipes;
} kinds[] = {
    {"compare.csv", PLOTS_OF_COMPARISON, "compare.csv"},
    {"plan.csv", PLOTS_OF_PLAN, "answers.csv"},
    {"trials.csv", PLOTS_OF_RUN, NULL},
    {"load.csv", PLOTS_OF_LOAD, NULL},
    {"cells.csv", PLOTS_OF_LOAD, NULL},
    {"table1.csv", PLOTS_OF_LOAD, NULL},
    {"table2.csv", PLOTS_OF_LOAD, NULL},
    {"table3.csv", PLOTS_OF_LOAD, NULL},
    {"samples.csv", PLOTS_OF_LOAD, NULL},
    {"periods.csv", PLOTS_OF_AUTOPSY, NULL},
};

/* NULL: nothing that can be drawn. */
static const struct kind *find_kind(const char *folder)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (folder_has(folder, kinds[i].file))
            return &kinds[i];
    }
    return NULL;
}

static enum error_kind add_inner(void *list, const char *folder, struct error *error)
{
    struct growing_text *text = list;
    (void)error;
    if (find_kind(folder) != NULL)
        growing_text_add(text, "%s%s", text->length > 0 ? ", " : "", folder);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ recipes and labels */

/* Of a folder of nothing: it is refused as a run without files, or with ERROR_USAGE if it holds
 * others that can be drawn. */
static enum error_kind add_recipes_of_run(struct plots *plots, bool is_run, struct error *error)
{
    struct past_run run;
    struct growing_text inner = {0};
    enum error_kind kind = ERROR_NONE;
    if (!is_run)
        kind = folder_each(plots->folder, add_inner, &inner, error);
    if (inner.length > 0)
        kind = error_raise(error, ERROR_USAGE, 0, plots->folder,
                           "nothing to draw but in its folders: name %.400s", inner.text);
    free(inner.text);
    if (kind == ERROR_NONE)
        kind = past_run_open(plots->folder, &trial_row_table, &run, error);
    if (kind != ERROR_NONE)
        return kind;
    for (size_t i = 0; past_run_recipe(&run, i) != NULL; i++)
        plots_add_recipe(plots, past_run_recipe(&run, i));
    past_run_deinit(&run);
    return ERROR_NONE;
}

/* Adds each recipe once: its rows follow each other. */
static enum error_kind add_recipes(const struct csv_reader *reader, struct plots *plots,
                                   struct error *error)
{
    size_t column;
    enum error_kind kind = csv_reader_column(reader, "recipe", &column, error);
    for (size_t row = 0; kind == ERROR_NONE && row < reader->rows; row++) {
        const char *name = csv_reader_text(reader, row, column);
        if (row > 0 && strcmp(name, csv_reader_text(reader, row - 1, column)) == 0)
            continue;
        if (!past_run_is_name(name))
            return csv_reader_refuse(reader, row, column, "is no name of a recipe", error);
        plots_add_recipe(plots, name);
    }
    return kind;
}

/* The sides of a comparison by name: "C/A" names sides 2 and 0. A comparison of loads, plans and
 * the like has nothing that the plot shows. */
static enum error_kind read_labels(const struct csv_reader *reader, struct plots *plots,
                                   const char *labels[COMPARED_RUNS_MAX], struct error *error)
{
    static const char *const names[] = {"metric", "pair", "label_a", "label_b"};
    size_t columns[4];
    bool of_runs = reader->rows == 0;
    for (size_t i = 0; i < COMPARED_RUNS_MAX; i++)
        labels[i] = "";
    for (size_t i = 0; i < 4; i++) {
        if (csv_reader_column(reader, names[i], &columns[i], error) != ERROR_NONE)
            return error->kind;
    }
    for (size_t row = 0; row < reader->rows; row++) {
        const char *pair = csv_reader_text(reader, row, columns[1]);
        if (strlen(pair) != 3 || pair[1] != '/' || pair[2] < 'A' || pair[0] <= pair[2] ||
            pair[0] >= 'A' + COMPARED_RUNS_MAX)
            return csv_reader_refuse(reader, row, columns[1], "is no pair of sides", error);
        size_t side = (size_t)(pair[0] - 'A');
        labels[pair[2] - 'A'] = csv_reader_text(reader, row, columns[2]);
        labels[side] = csv_reader_text(reader, row, columns[3]);
        plots->label_count = side >= plots->label_count ? side + 1 : plots->label_count;
        of_runs |= strcmp(csv_reader_text(reader, row, columns[0]), "handoff_p50_us") == 0;
    }
    plots->labels = labels;
    return of_runs ? ERROR_NONE
                   : error_raise(error, ERROR_NOT_DRAWN, 0, plots->folder,
                                 "only a comparison of runs has a plot");
}

/* ------------------------------------------------------------------ drawing */

static void add_picture(void *pictures, const char *file)
{
    json_array_append_new(pictures, json_text(file));
}

/* Draws, and prints where the pictures are. */
static enum error_kind draw(struct plot *plot, struct plots *plots, struct error *error)
{
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

static void plot_folder(const char *named, struct plot *plot, struct error *error)
{
    const char *labels[COMPARED_RUNS_MAX];
    char folder[PATH_MAX], file[PATH_SIZE];
    struct csv_reader reader = {0};
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    const struct kind *found = find_kind(folder);
    struct plots plots = {.kind = found != NULL ? found->kind : PLOTS_OF_RUN,
                          .folder = folder,
                          .formats = plot->formats,
                          .interrupts = -1};
    if (plots.kind == PLOTS_OF_RUN)
        ERROR_FIRST(error, add_recipes_of_run(&plots, found != NULL, error));
    else if (found->recipes != NULL) {
        snprintf(file, sizeof file, "%s/%s", folder, found->recipes);
        ERROR_FIRST(error, csv_reader_open(file, &reader, error));
        if (plots.kind == PLOTS_OF_COMPARISON)
            ERROR_FIRST(error, read_labels(&reader, &plots, labels, error));
        ERROR_FIRST(error, add_recipes(&reader, &plots, error));
    }
    ERROR_FIRST(error, draw(plot, &plots, error));
    free(plots.recipes.text); /* of a file that is refused */
    csv_reader_deinit(&reader);
}

int plot_main(int argc, char **argv)
{
    static const struct arguments arguments = {"plot", usage, rows, notes, NULL};
    struct plot plot = {0};
    struct error error = {0};
    int first = argc;
    int status = arguments_parse(&arguments, argc, argv, &plot, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return complain_usage("plot", "folders",
                              "expected the folder of a run, a load or a comparison");
    plot.results = json_array();
    for (int i = first; error.kind == ERROR_NONE && i < argc; i++)
        plot_folder(argv[i], &plot, &error);
    if (error.kind == ERROR_NONE && plot.json)
        json_result_write(json_pack("{s:O}", "results", plot.results), stdout);
    json_decref(plot.results);
    return error.kind == ERROR_NONE ? 0 : complain_about("plot", &error);
}

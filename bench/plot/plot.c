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
    "load, paper, plan or compare has written, or holds several such folders. An\n"
    "existing plot is replaced.\n"
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
    bool found;      /* something to draw in the present folder */
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

extern const struct table_type plan_row_table; /* by name alone */

/* The file by which a folder is known. A load may be the common folder of several, or an
 * evaluation; a run has cells, too. */
static const struct kind {
    const char *file;
    enum plots_kind kind;
    const struct table_type *planned; /* its rows, if the manifest names its recipes; else NULL */
} kinds[] = {
    {"compare.csv", PLOTS_OF_COMPARISON, NULL},
    {"plan.csv", PLOTS_OF_PLAN, &plan_row_table},
    {"trials.csv", PLOTS_OF_RUN, &trial_row_table},
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

static enum error_kind add_recipe(struct plots *plots, const char *name, struct error *error)
{
    if (!past_run_is_name(name))
        return error_raise(error, ERROR_MALFORMED, 0, plots->folder,
                           "'%.80s' is no name of a recipe", name != NULL ? name : "");
    plots_add_recipe(plots, name);
    return ERROR_NONE;
}

/* The recipes of a run or a search, as its plan names them. */
static enum error_kind read_plan(struct plots *plots, const struct table_type *type,
                                 struct error *error)
{
    struct past_run run;
    if (past_run_open(plots->folder, type, &run, error) != ERROR_NONE)
        return error->kind;
    const json_t *recipes = json_object_get(run.plan, "recipes");
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < json_array_size(recipes); i++)
        kind = add_recipe(plots, json_string_value(json_array_get(recipes, i)), error);
    past_run_deinit(&run);
    return kind;
}

/* The recipes of a comparison, whose rows follow each other, and its sides by name: "C/A" names
 * sides 2 and 0. A comparison of loads, plans and the like has nothing that the plot shows. */
static enum error_kind read_comparison(struct plots *plots, const struct csv_reader *reader,
                                       const char *labels[COMPARED_RUNS_MAX], struct error *error)
{
    enum { METRIC, PAIR, LABEL_A, LABEL_B, RECIPE, COLUMNS };
    static const char *const names[] = {"metric", "pair", "label_a", "label_b", "recipe"};
    const char *of[COLUMNS], *last = "";
    size_t columns[COLUMNS];
    bool of_runs = reader->rows == 0;
    for (size_t i = 0; i < COLUMNS; i++)
        ERROR_FIRST(error, csv_reader_column(reader, names[i], &columns[i], error));
    for (size_t i = 0; i < COMPARED_RUNS_MAX; i++)
        labels[i] = "";
    for (size_t row = 0; error->kind == ERROR_NONE && row < reader->rows; row++) {
        for (size_t i = 0; i < COLUMNS; i++)
            of[i] = csv_reader_text(reader, row, columns[i]);
        const char *pair = of[PAIR];
        if (strlen(pair) != 3 || pair[1] != '/' || pair[2] < 'A' || pair[0] <= pair[2] ||
            pair[0] >= 'A' + COMPARED_RUNS_MAX)
            return csv_reader_refuse(reader, row, columns[PAIR], "is no pair of sides", error);
        size_t side = (size_t)(pair[0] - 'A');
        labels[pair[2] - 'A'] = of[LABEL_A];
        labels[side] = of[LABEL_B];
        plots->label_count = side >= plots->label_count ? side + 1 : plots->label_count;
        if (strcmp(of[METRIC], "handoff_p50_us") != 0)
            continue;
        of_runs = true;
        if (strcmp(of[RECIPE], last) != 0)
            ERROR_FIRST(error, add_recipe(plots, of[RECIPE], error));
        last = of[RECIPE];
    }
    plots->labels = labels;
    return error->kind != ERROR_NONE || of_runs
               ? error->kind
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

/* A folder of which nothing can be drawn is passed over. */
static enum error_kind plot_folder(void *context, const char *folder, struct error *error)
{
    struct plot *plot = context;
    const char *labels[COMPARED_RUNS_MAX];
    char file[PATH_SIZE];
    struct csv_reader reader = {0};
    const struct kind *found = find_kind(folder);
    if (found == NULL)
        return ERROR_NONE;
    plot->found = true;
    struct plots plots = {
        .kind = found->kind, .folder = folder, .formats = plot->formats, .interrupts = -1};
    if (found->planned != NULL)
        ERROR_FIRST(error, read_plan(&plots, found->planned, error));
    if (found->kind == PLOTS_OF_COMPARISON) {
        snprintf(file, sizeof file, "%s/%s", folder, found->file);
        ERROR_FIRST(error, csv_reader_open(file, &reader, error));
        ERROR_FIRST(error, read_comparison(&plots, &reader, labels, error));
    }
    ERROR_FIRST(error, draw(plot, &plots, error));
    free(plots.recipes.text); /* of a file that is refused */
    csv_reader_deinit(&reader);
    return error->kind;
}

/* A folder of folders means all in it. */
static void plot_named(struct plot *plot, const char *named, struct error *error)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    plot->found = false;
    ERROR_FIRST(error, plot_folder(plot, folder, error));
    if (!plot->found)
        ERROR_FIRST(error, folder_each(folder, plot_folder, plot, error));
    if (error->kind == ERROR_NONE && !plot->found)
        (void)error_raise(error, ERROR_NOT_A_RUN, 0, folder, "nothing in it can be drawn");
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
        plot_named(&plot, argv[i], &error);
    if (error.kind == ERROR_NONE && plot.json)
        json_result_write(json_pack("{s:O}", "results", plot.results), stdout);
    json_decref(plot.results);
    return error.kind == ERROR_NONE ? 0 : complain_about("plot", &error);
}

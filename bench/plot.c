// SPDX-License-Identifier: Apache-2.0
#include "bench/plot.h"

#include "base/fault.h"
#include "bench/arguments.h"
#include "bench/complain.h"
#include "bench/folder.h"
#include "bench/past_run.h"
#include "bench/plots.h"
#include "bench/sides.h"
#include "measure/csv_reader.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE (PATH_MAX + 32)
/* The names of as many recipes as a run may have, with room to spare. */
#define RECIPES_SIZE 8192

static const char help[] =
    "Usage: zkherd plot [OPTION]... FOLDER...\n"
    "Draw the plots of past runs and comparisons again, from their CSV files, into\n"
    "plots/ of each folder. FOLDER is what zkherd run or zkherd compare has written.\n"
    "An existing plot is replaced.\n"
    "\n"
    "      --plots FORMATS  svg, png, pdf, eps [svg,png]\n"
    "  -h, --help           this help\n"
    "\n"
    "Exit status: 0 done; 2 wrong usage, no run or comparison, or a malformed file;\n"
    "3 the environment: no gnuplot, no permission, no space.\n"
    "\n"
    "Examples:\n"
    "  zkherd plot results/reference/standalone --plots pdf\n"
    "  zkherd plot both/standalone both/ensemble3 --plots svg,eps\n";

static bool take(int option, const char *value, void *context)
{
    unsigned *formats = context;
    (void)option; /* there is one */
    return arguments_take_plots("plot", value, formats);
}

/* ------------------------------------------------------------------ a run */

static enum fault_kind list_recipes(const struct past_run *run, char *list, struct fault *fault)
{
    size_t at = 0;
    for (size_t i = 0; past_run_recipe(run, i) != NULL; i++) {
        at += (size_t)snprintf(list + at, RECIPES_SIZE - at, "%s%s", i > 0 ? " " : "",
                               past_run_recipe(run, i));
        if (at >= RECIPES_SIZE)
            return fault_raise(fault, FAULT_MALFORMED, 0, run->folder, "too many recipes");
    }
    return FAULT_NONE;
}

static enum fault_kind tell(enum plots_end end, const char *folder, const char *why,
                            struct fault *fault)
{
    if (end == PLOTS_NOTHING)
        why = "there is nothing to draw";
    if (end != PLOTS_DRAWN)
        return fault_raise(fault, FAULT_NOT_DRAWN, 0, folder, "%s", why);
    printf("plots in %s/plots\n", folder);
    return FAULT_NONE;
}

static enum fault_kind plot_run(const char *folder, unsigned formats, struct fault *fault)
{
    struct past_run run;
    char recipes[RECIPES_SIZE] = "", why[640];
    enum fault_kind kind = past_run_open(folder, &run, fault);
    if (kind != FAULT_NONE)
        return kind;
    const struct plots plots = {run.folder, recipes, formats, -1};
    kind = list_recipes(&run, recipes, fault);
    if (kind == FAULT_NONE)
        kind = tell(plots_draw(&plots, why, sizeof why), run.folder, why, fault);
    past_run_deinit(&run);
    return kind;
}

/* ------------------------------------------------------------------ a comparison */

/* What is to be known of one before it is drawn: its rows name recipes and sides. */
struct past_comparison {
    struct csv_reader rows;
    size_t recipe, pair, label_a, label_b; /* columns */
    char recipes[RECIPES_SIZE];
    const char *labels[SIDES_MAX];
    size_t label_count;
};

static enum fault_kind find_columns(struct past_comparison *past, struct fault *fault)
{
    const struct {
        const char *name;
        size_t *column;
    } wanted[] = {{"recipe", &past->recipe},
                  {"pair", &past->pair},
                  {"label_a", &past->label_a},
                  {"label_b", &past->label_b}};
    enum fault_kind kind = FAULT_NONE;
    for (size_t i = 0; kind == FAULT_NONE && i < sizeof wanted / sizeof wanted[0]; i++)
        kind = csv_reader_column(&past->rows, wanted[i].name, wanted[i].column, fault);
    return kind;
}

/* The rows of a recipe stand together. */
static enum fault_kind add_recipe(struct past_comparison *past, size_t row, struct fault *fault)
{
    const char *name = csv_reader_text(&past->rows, row, past->recipe);
    size_t length = strlen(past->recipes);
    if (row > 0 && strcmp(name, csv_reader_text(&past->rows, row - 1, past->recipe)) == 0)
        return FAULT_NONE;
    if (!past_run_is_name(name))
        return csv_reader_refuse(&past->rows, row, past->recipe, "is no name of a recipe", fault);
    if (length + strlen(name) + 2 > sizeof past->recipes)
        return csv_reader_refuse(&past->rows, row, past->recipe, "is one recipe too many", fault);
    snprintf(past->recipes + length, sizeof past->recipes - length, "%s%s", length > 0 ? " " : "",
             name);
    return FAULT_NONE;
}

/* "C/A" names side 2, and A. */
static enum fault_kind add_labels(struct past_comparison *past, size_t row, struct fault *fault)
{
    const char *pair = csv_reader_text(&past->rows, row, past->pair);
    size_t side = (size_t)(pair[0] - 'A');
    if (pair[0] < 'B' || side >= SIDES_MAX || strcmp(pair + 1, "/A") != 0)
        return csv_reader_refuse(&past->rows, row, past->pair, "is no pair of sides", fault);
    past->labels[0] = csv_reader_text(&past->rows, row, past->label_a);
    past->labels[side] = csv_reader_text(&past->rows, row, past->label_b);
    if (side >= past->label_count)
        past->label_count = side + 1;
    return FAULT_NONE;
}

static enum fault_kind read_rows(struct past_comparison *past, struct fault *fault)
{
    enum fault_kind kind = find_columns(past, fault);
    for (size_t i = 0; i < SIDES_MAX; i++)
        past->labels[i] = "";
    for (size_t row = 0; kind == FAULT_NONE && row < past->rows.rows; row++) {
        kind = add_recipe(past, row, fault);
        if (kind == FAULT_NONE)
            kind = add_labels(past, row, fault);
    }
    return kind;
}

static enum fault_kind plot_comparison(const char *folder, const char *file, unsigned formats,
                                       struct fault *fault)
{
    struct past_comparison past = {0};
    char why[640];
    const struct plots plots = {folder, past.recipes, formats, -1};
    enum fault_kind kind = csv_reader_open(file, &past.rows, fault);
    if (kind != FAULT_NONE)
        return kind;
    kind = read_rows(&past, fault);
    if (kind == FAULT_NONE)
        kind = tell(plots_draw_comparison(&plots, past.labels, past.label_count, why, sizeof why),
                    folder, why, fault);
    csv_reader_deinit(&past.rows);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum fault_kind plot_folder(const char *named, unsigned formats, struct fault *fault)
{
    char folder[PATH_MAX], file[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    snprintf(file, sizeof file, "%s/compare.csv", folder);
    return access(file, F_OK) == 0 ? plot_comparison(folder, file, formats, fault)
                                   : plot_run(folder, formats, fault);
}

int plot_main(int argc, char **argv)
{
    static const struct option options[] = {
        {"plots", required_argument, NULL, 'p'}, {"help", no_argument, NULL, 'h'}, {0}};
    static const struct arguments arguments = {"plot", help, ":h", options, take};
    unsigned formats = PLOTS_FORMATS_DEFAULT;
    int first = argc;
    int status = arguments_take(&arguments, argc, argv, &formats, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return complain_usage("plot", "folders", "expected the folder of a run or a comparison");
    for (status = 0; first < argc && status == 0; first++) {
        struct fault fault = {0};
        if (plot_folder(argv[first], formats, &fault) != FAULT_NONE)
            status = complain(&fault);
    }
    return status;
}

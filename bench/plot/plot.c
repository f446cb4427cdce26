// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/output/plots.h"

#include <stdbool.h>
#include <stdio.h>

static const char usage[] =
    "Usage: zkherd plot [OPTION]... FOLDER...\n"
    "Draw the plots of past runs, loads, evaluations, plans and comparisons again,\n"
    "from their CSV files, into plots/ of each folder. FOLDER is what zkherd run,\n"
    "load, paper, plan or compare has written, or holds several such folders. An\n"
    "existing plot is replaced.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 2 wrong usage, or a folder without data of zkherd; 3 no\n"
    "gnuplot, no permission, no space, or a file that gnuplot cannot draw.\n"
    "\n"
    "Examples:\n"
    "  zkherd plot results/reference/standalone --plots pdf\n"
    "  zkherd plot both/standalone both/ensemble3 --plots svg,eps\n"
    "  zkherd plot run --only nonscalable,scalable --bare --plots pdf\n"
    "  zkherd plot results/20261122T101500Z-paper/table1\n";

struct plot {
    unsigned formats;
    const char *only; /* NULL: all recipes */
    bool bare, json;
    json_t *results; /* with json: those so far */
    bool found;      /* something to draw in the present folder */
};

static const struct option_row rows[] = {
    {.name = "--plots",
     OPTION_PLOTS(struct plot, formats),
     .value = "svg,png",
     .help = "      --plots FORMATS  svg, png, pdf, eps [svg,png]\n"},
    {.name = "--only",
     OPTION_INTO(option_row_text, struct plot, only),
     .expected = "expected names of recipes",
     .help = "      --only RECIPES   draw these recipes alone, such as nonscalable,scalable,\n"
             "                       into plots/RECIPES, joined by dashes\n"},
    {.name = "--bare",
     OPTION_FLAG(struct plot, bare),
     .help = "      --bare           without a title and the small print, for a paper whose\n"
             "                       caption says what the picture is of\n"},
    {.name = "--json",
     OPTION_FLAG(struct plot, json),
     .help = "      --json           print JSON in place of the text: the pictures\n"},
    OPTION_ROW_HELP("  -h, --help           print this help\n"),
    {0},
};

/* Draws, and prints where the pictures are. A folder of which nothing can be drawn is passed over.
 */
static enum error_kind plot_folder(void *context, const char *folder, struct error *error)
{
    struct plot *plot = context;
    struct plots plots = {
        .folder = folder, .formats = plot->formats, .recipes = plot->only, .bare = plot->bare};
    if (!plots_are_of(folder))
        return ERROR_NONE;
    plot->found = true;
    if (plot->json) {
        json_t *result = json_pack("{s:o, s:[]}", "folder", json_text(folder), "plots");
        json_array_append_new(plot->results, result);
        plots.pictures = json_object_get(result, "plots");
    }
    enum plots_end end = plots_draw(&plots);
    if (end == PLOTS_NOTHING)
        return error_raise(error, ERROR_NOT_DRAWN, 0, folder, "there is nothing to draw");
    *error = plots.why;
    if (end == PLOTS_DRAWN && !plot->json)
        printf("plots in %s/plots%s\n", folder, plots.part);
    return error->kind;
}

/* A folder of folders means all in it. */
static void plot_named(struct plot *plot, char *folder, struct error *error)
{
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

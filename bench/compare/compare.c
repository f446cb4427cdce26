// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/printable.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/compare/internal.h"
#include "bench/output/about.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/output/verdict.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd compare [OPTION]... RUN...\n"
    "Compare runs of one plan: an ensemble with a standalone server, a version with\n"
    "another; or loads, plans, evaluations of the paper. RUN is a folder of results;\n"
    "every one is compared with the first; if releases of ZooKeeper and numbers of\n"
    "servers differ, with the first of as many servers. A folder that holds runs, as\n"
    "'run --servers 1,3' writes it, stands for all of them: few servers first, then\n"
    "old releases.\n"
    "\n"
    "Under lockstep the counts must be equal. Times are compared by their ratio, from\n"
    "5 trials on with a 95 % interval; * marks where that differs from 1, whatever\n"
    "the number of ratios. Only valid trials count.\n"
    "\n"
    "--fail-if makes the exit status depend on times: LIMIT is a metric, < or >, and\n"
    "how many times A's, such as 'handoff p50 > 1.2' or 'handoffs < 0.8'. All sizes\n"
    "are judged together, or one: 'drain > 1.5 at n=64'.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done, the counts are equal, nothing is worse than a limit;\n"
    "1 a count differs, a trial's own verdict had failed, or a limit is exceeded;\n"
    "2 wrong usage, no run, a malformed file, or runs of different plans; 3 the\n"
    "environment; 4 no valid trial to compare, or a limit is undetermined.\n"
    "\n"
    "Examples:\n"
    "  zkherd compare before after                  the folders of two runs\n"
    "  zkherd compare -o results/compared both      the runs in the folder 'both'\n"
    "  zkherd compare old new --fail-if 'handoff p50 > 1.2'    in a pipeline\n";

struct compare {
    const char *out;
    unsigned plots; /* their formats */
    struct gate gates[GATES_MAX];
    size_t gate_count;
    bool json;
    bool quiet;
    char **folders;
    size_t folder_count;
    struct comparison comparison;
    char results[PATH_MAX];
};

/* ------------------------------------------------------------------ the command line */

static bool take_gate(struct option_given *given)
{
    struct compare *compare = given->options;
    if (compare->gate_count == GATES_MAX)
        return option_row_refuse(given, "at most %d limits", GATES_MAX);
    return gate_parse(given->value, &compare->gates[compare->gate_count++], given->why,
                      sizeof given->why);
}

static const struct option_row rows[] = {
    {.name = "--fail-if",
     .parse = take_gate,
     .help = "      --fail-if LIMIT  exit with 1 if this is exceeded, with 4 if that is not\n"
             "                       decided; may be given several times\n"},
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct compare, out),
     .help = "  -o, --out DIR        for compare.csv and plots/, a folder that does not exist\n"
             "                       yet [results/TIME-compare]\n"},
    {.name = "--plots",
     OPTION_PLOTS(struct compare, plots),
     .value = "svg,png",
     .help = "      --plots FORMATS  of the plot: svg, png, pdf, eps [svg,png]\n"},
    {.name = "--json",
     OPTION_FLAG(struct compare, json),
     .help = "      --json           print JSON; zkherd-compare(1) lists the keys\n"},
    {.name = "--quiet",
     .letter = 'q',
     OPTION_FLAG(struct compare, quiet),
     .help = "  -q, --quiet          print only errors and failed verdicts\n"},
    OPTION_ROW_HELP("  -h, --help           print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct compare *compare)
{
    static const struct arguments arguments = {"compare", usage, rows, notes, NULL};
    int first = argc;
    int status = arguments_take(&arguments, argc, argv, compare, &first);
    compare->folders = argv + first;
    compare->folder_count = (size_t)(argc - first);
    if (status == ARGUMENTS_GO && compare->folder_count == 0)
        status = complain_usage("compare", "runs", "expected the folders of two runs at least");
    return status;
}

/* ------------------------------------------------------------------ reading */

static const char manifest[] = "manifest.json"; /* of a run */

/* Where the results of an operand go. */
struct reading {
    struct comparison *comparison;
    size_t operand;
};

static enum error_kind add_run(void *context, const char *folder, struct error *error)
{
    const struct reading *reading = context;
    return folder_has(folder, manifest)
               ? comparison_add(reading->comparison, folder, reading->operand, error)
               : ERROR_NONE;
}

/* A run; or the runs that lie in a folder: those of several topologies do. */
static enum error_kind read_folder(struct comparison *comparison, const char *named, size_t operand,
                                   struct error *error)
{
    char folder[PATH_MAX];
    struct reading reading = {comparison, operand};
    size_t before = comparison->side_count;
    enum error_kind kind = ERROR_NONE;
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    if (!folder_has(folder, manifest)) {
        kind = folder_each(folder, add_run, &reading, error);
        comparison_sort(comparison, before);
    }
    /* A folder that holds no run is reported as a run that has no files. */
    if (kind == ERROR_NONE && comparison->side_count == before)
        kind = comparison_add(comparison, named, operand, error);
    return kind;
}

static enum error_kind read_all(struct compare *compare, struct error *error)
{
    enum error_kind kind = folder_check(compare->out, error);
    for (size_t i = 0; kind == ERROR_NONE && i < compare->folder_count; i++)
        kind = read_folder(&compare->comparison, compare->folders[i], i, error);
    return kind;
}

/* ------------------------------------------------------------------ writing */

/* What the sides have in common, and a line for each: it stands below the plots. */
static void write_about(FILE *stream, const void *context)
{
    const struct comparison *comparison = context;
    char *plan = about_plan(comparison->sides[0].run.manifest);
    fprintf(stream, "%s\n", plan);
    free(plan);
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        char label[SIDE_LABEL_SIZE], *place = about_place(&side->run.manifest, 1);
        fprintf(stream, "%s %s: %s%s\n", side->letter,
                printable_text(side->label, label, sizeof label),
                about_simulation(side->run.manifest), place);
        free(place);
    }
}

static void draw(const struct compare *compare)
{
    const struct comparison *comparison = &compare->comparison;
    const char *labels[COMPARED_RUNS_MAX], *name;
    struct plots plots = {.kind = PLOTS_OF_COMPARISON,
                          .folder = compare->results,
                          .formats = compare->plots,
                          .interrupts = -1,
                          .labels = labels,
                          .label_count = comparison->side_count};
    for (size_t i = 0; (name = past_run_recipe(&comparison->sides[0].run, i)) != NULL; i++)
        plots_add_recipe(&plots, name);
    for (size_t i = 0; i < comparison->side_count; i++)
        labels[i] = comparison->sides[i].label;
    if (plots_draw(&plots) == PLOTS_SKIPPED && !compare->quiet)
        complain_mildly("the plots are skipped: %s", plots.why);
}

static enum verdict judge(const struct comparison *comparison)
{
    bool failed = false, compared = false;
    for (size_t i = 0; i < comparison->side_count; i++)
        failed = failed || comparison->sides[i].failed > 0;
    for (size_t i = 0; i < comparison->cell_count; i++) {
        failed = failed || comparison->cells[i].counts_differ;
        compared = compared || ratio_cell_is_compared(comparison, &comparison->cells[i]);
    }
    if (!compared)
        complain_mildly("nothing was compared: no cell has a usable trial on both sides");
    return failed ? VERDICT_FAILS : compared ? comparison_gates(comparison) : VERDICT_UNDETERMINED;
}

static void tell(const struct compare *compare, enum verdict verdict)
{
    if (compare->json || compare->quiet)
        comparison_complain_of_gates(&compare->comparison);
    if (compare->json) {
        json_t *result = comparison_describe(&compare->comparison);
        json_object_set_new(result, "verdict", json_string(verdict_word(verdict)));
        json_object_set_new(result, "folder", json_text(compare->results));
        json_result_write(result, stdout);
    } else if (!compare->quiet) {
        comparison_tell(&compare->comparison);
        printf("\nresults in %s\n", compare->results);
    }
}

static enum error_kind write_files(struct compare *compare, struct error *error)
{
    enum error_kind kind =
        folder_make(compare->out, clock_utc_ns(), "compare", compare->results, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = output_write(compare->results, "compare.csv", comparison_write_csv, &compare->comparison,
                        error);
    if (kind == ERROR_NONE && compare->comparison.is_of_runs)
        kind = output_write(compare->results, ABOUT_FILE, write_about, &compare->comparison, error);
    if (kind != ERROR_NONE)
        folder_discard(compare->results);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static int lead(struct compare *compare)
{
    static const int statuses[] = {
        [VERDICT_HOLDS] = 0, [VERDICT_FAILS] = 1, [VERDICT_UNDETERMINED] = 4};
    struct error error = {0};
    struct comparison *comparison = &compare->comparison;
    enum error_kind kind = read_all(compare, &error);
    if (kind != ERROR_NONE)
        return complain_about("compare", &error);
    if (comparison->side_count < 2)
        return complain_usage("compare", compare->folders[0],
                              "this is one run: expected at least two");
    comparison_settle(comparison);
    comparison_find(comparison);
    kind = comparison_judge(comparison, compare->gates, compare->gate_count, &error);
    if (kind == ERROR_NONE)
        kind = write_files(compare, &error);
    if (kind != ERROR_NONE)
        return complain_about("compare", &error);
    if (comparison->is_of_runs)
        draw(compare);
    comparison_complain(comparison);
    enum verdict verdict = judge(comparison);
    tell(compare, verdict);
    return statuses[verdict];
}

int compare_main(int argc, char **argv)
{
    struct compare *compare = memory_new(1, sizeof *compare);
    int status = parse(argc, argv, compare);
    if (status == ARGUMENTS_GO) {
        status = lead(compare);
        comparison_deinit(&compare->comparison);
    }
    free(compare);
    return status;
}

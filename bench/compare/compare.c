// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/compare/internal.h"
#include "bench/output/about.h"
#include "bench/output/file_set.h"
#include "bench/output/json_result.h"

#include <stdlib.h>

static const char usage[] =
    "Usage: zkherd compare [OPTION]... RUN...\n"
    "Compare runs of one plan: an ensemble with a standalone server, a version with\n"
    "another; or loads, or Table 3 of the paper. RUN is a folder of results, or one\n"
    "that holds some, as 'run --servers 1,3' writes it. The first is the baseline;\n"
    "if both releases and numbers of servers differ, the first of as many servers is.\n"
    "\n"
    "Under lockstep counts must be equal. Times are compared by their ratio, from 5\n"
    "valid trials on with a 95 % interval; * marks a ratio that differs from 1.\n"
    "\n"
    "--fail-if makes the exit status depend on times: LIMIT is a metric, < or >, and\n"
    "how many times the baseline's: 'handoff p50 > 1.2', 'handoffs < 0.8'. All sizes\n"
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
    struct output_options output;
    struct limit limits[LIMITS_MAX];
    size_t limit_count;
    struct comparison comparison;
    char results[PATH_MAX];
};

static bool parse_limit(struct option_given *given)
{
    struct compare *compare = given->options;
    if (compare->limit_count == LIMITS_MAX)
        return option_row_refuse(given, "at most %d limits", LIMITS_MAX);
    return limit_parse(given->value, &compare->limits[compare->limit_count++]) ||
           option_row_refuse(given,
                             "expected METRIC > RATIO or METRIC < RATIO, how many times A's, "
                             "and 'at n=SIZE' behind for one size, such as 'handoff p50 > "
                             "1.2'");
}

static const struct option_row rows[] = {
    {.name = "--fail-if",
     .parse = parse_limit,
     .help = "      --fail-if LIMIT      exit with 1 beyond this limit, with 4 if that is\n"
             "                           undecided; may be given several times\n"},
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct compare, output.out),
     .help = "  -o, --out DIR            new folder for the results [results/TIME-compare]\n"},
    ROW_PLOTS(struct compare),
    ROW_BRIEF(struct compare),
    ROW_JSON(struct compare),
    ROW_QUIET(struct compare),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* Writes a line for each side: it stands below the plots. */
static void write_about(FILE *stream, const void *comparison)
{
    const struct comparison *cmp = comparison;
    for (size_t i = 0; i < cmp->side_count; i++) {
        const struct side *side = &cmp->sides[i];
        char label[SIDE_LABEL_SIZE], *about = about_manifest(side->manifest);
        fprintf(stream, "%s %s: %s\n", side->letter,
                printable_text(side->label, label, sizeof label), about);
        free(about);
    }
}

static enum error_kind write_files(struct compare *compare, struct error *error)
{
    const struct comparison *cmp = &compare->comparison;
    const char *folder = compare->results;
    if (folder_make(compare->output.out, clock_utc_ns(), "compare", compare->results, error) !=
        ERROR_NONE)
        return error->kind;
    ERROR_FIRST(error, output_write(folder, ratio_table.file, comparison_write_csv, cmp, error));
    ERROR_FIRST(error, file_set_save_table(folder, &cmp->findings, NULL, error));
    if (cmp->is_of_runs)
        ERROR_FIRST(error, output_write(folder, ABOUT_FILE, write_about, cmp, error));
    if (error->kind != ERROR_NONE)
        folder_discard(folder);
    return error->kind;
}

/* Writes the results into a new folder, draws, and prints. Returns the exit status. */
static int conclude(struct compare *compare)
{
    struct comparison *cmp = &compare->comparison;
    const struct output_options *output = &compare->output;
    struct error error = {0};
    comparison_pair_sides(cmp);
    comparison_choose_columns(cmp);
    comparison_find_cells(cmp);
    comparison_find_ratios(cmp);
    ERROR_FIRST(&error,
                comparison_judge_limits(cmp, compare->limits, compare->limit_count, &error));
    comparison_conclude(cmp);
    ERROR_FIRST(&error, write_files(compare, &error));
    if (error.kind != ERROR_NONE)
        return complain_about("compare", &error);
    enum verdict verdict = findings_verdict(&cmp->findings);
    if (cmp->is_of_runs)
        plots_add(compare->results, NULL, output);
    if (output->json || output->quiet)
        findings_complain(&cmp->findings, "", false);
    if (output->json) {
        json_t *result = comparison_json(cmp);
        json_object_set_new(result, "verdict", json_string(verdict_word(verdict)));
        json_object_set_new(result, "folder", json_text(compare->results));
        json_result_write(result, stdout);
    } else if (!output->quiet) {
        comparison_print(cmp, output->brief);
        printf("\nresults in %s\n", compare->results);
    }
    return verdict_status(verdict);
}

int compare_main(int argc, char **argv)
{
    static const struct arguments arguments = {"compare", usage, rows, notes, NULL};
    struct compare *compare = memory_new(1, sizeof *compare);
    struct comparison *cmp = &compare->comparison;
    struct error error = {0};
    int first = argc, status = arguments_parse(&arguments, argc, argv, compare, &first);
    if (status == ARGUMENTS_GO && first == argc)
        status = complain_usage("compare", "runs", "expected the folders of two runs at least");
    if (status == ARGUMENTS_GO) {
        ERROR_FIRST(&error, folder_check(compare->output.out, &error));
        ERROR_FIRST(&error, comparison_read(cmp, argv + first, (size_t)(argc - first), &error));
        status = error.kind != ERROR_NONE ? complain_about("compare", &error)
                 : cmp->side_count < 2    ? complain_usage("compare", argv[first],
                                                           "this is one run: expected at least two")
                                          : conclude(compare);
    }
    comparison_deinit(cmp);
    free(compare);
    return status;
}

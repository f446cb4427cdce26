// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/compare/internal.h"
#include "bench/output/folder.h"
#include "bench/output/verdict.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE (PATH_MAX + NAME_MAX + 32)

static const char usage[] =
    "Usage: zkherd compare [OPTION]... RUN...\n"
    "Compare runs of one plan: an ensemble with a standalone server, a version with\n"
    "another. RUN is the folder of a run; every one is compared with the first; if\n"
    "releases of ZooKeeper and numbers of servers differ, with the first of as many\n"
    "servers. A folder that holds runs, as 'run --servers 1,3' writes it, stands for\n"
    "all of them: few servers first, then old releases.\n"
    "\n"
    "Under lockstep the counts must be equal. Times are compared by their ratio, from\n"
    "5 trials on with a 95 % interval; * marks where that excludes 1. Only valid\n"
    "trials count.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done, the counts are equal; 1 a count differs, or a trial's own\n"
    "verdict had failed; 2 wrong usage, no run, a malformed file, or runs of\n"
    "different plans; 3 the environment; 4 no valid trial to compare.\n"
    "\n"
    "Examples:\n"
    "  zkherd compare before after                  the folders of two runs\n"
    "  zkherd compare -o results/compared both      the runs in the folder 'both'\n";

struct compare {
    const char *out;
    unsigned plots; /* their formats */
    bool json;
    bool quiet;
    char **folders;
    size_t folder_count;
    struct past_run runs[COMPARED_RUNS_MAX];
    size_t run_count;
    struct compared_runs compared;
    struct ratios ratios;
    char results[PATH_MAX];
};

/* ------------------------------------------------------------------ the command line */

static const struct option_row rows[] = {
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

static bool is_same(const char *folder, const char *other)
{
    struct stat its, others;
    return stat(folder, &its) == 0 && stat(other, &others) == 0 && its.st_dev == others.st_dev &&
           its.st_ino == others.st_ino;
}

static enum error_kind read_run(struct compare *compare, const char *folder, struct error *error)
{
    struct past_run *run = &compare->runs[compare->run_count];
    if (compare->run_count == COMPARED_RUNS_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d runs in all",
                           COMPARED_RUNS_MAX);
    /* A run is equal to itself: naming it twice, by whatever names, is a slip. */
    for (size_t i = 0; i < compare->run_count; i++) {
        if (is_same(folder, compare->runs[i].folder))
            return error_raise(error, ERROR_USAGE, 0, folder,
                               "it is the same run as '%.200s': name different runs",
                               compare->runs[i].folder);
    }
    enum error_kind kind = past_run_open(folder, run, error);
    if (kind != ERROR_NONE)
        return kind;
    compare->run_count++;
    kind = past_run_check_plan(&compare->runs[0], run, error);
    return kind == ERROR_NONE ? compared_runs_add(&compare->compared, run, error) : kind;
}

static bool is_run(const char *folder)
{
    char path[PATH_SIZE + sizeof "/manifest.json"];
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    return access(path, F_OK) == 0;
}

/* The runs that lie in a folder, if any: those of several topologies do. */
static enum error_kind read_runs_in(struct compare *compare, const char *folder,
                                    struct error *error)
{
    size_t first = compare->compared.count, length = strlen(folder);
    struct dirent **entries = NULL;
    enum error_kind kind = ERROR_NONE;
    int count = scandir(folder, &entries, NULL, alphasort);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, entries[i]->d_name);
        if (kind == ERROR_NONE && entries[i]->d_name[0] != '.' && is_run(path))
            kind = read_run(compare, path, error);
        free(entries[i]);
    }
    free(entries);
    compared_runs_sort(&compare->compared, first);
    return kind;
}

static enum error_kind read_folder(struct compare *compare, const char *folder, struct error *error)
{
    size_t before = compare->run_count;
    enum error_kind kind = is_run(folder) ? ERROR_NONE : read_runs_in(compare, folder, error);
    /* A folder that holds no run is reported as a run that has no files. */
    if (kind == ERROR_NONE && compare->run_count == before)
        kind = read_run(compare, folder, error);
    return kind;
}

static enum error_kind read_all(struct compare *compare, struct error *error)
{
    enum error_kind kind = folder_check(compare->out, error);
    for (size_t i = 0; kind == ERROR_NONE && i < compare->folder_count; i++)
        kind = read_folder(compare, compare->folders[i], error);
    return kind;
}

/* ------------------------------------------------------------------ writing */

static void write_csv(FILE *stream, const void *context)
{
    const struct compare *compare = context;
    struct csv csv = {.stream = stream};
    ratios_write(&compare->ratios, &compare->compared, &csv);
}

static enum plots_end draw_in(const struct compare *compare, char *why, size_t size)
{
    const char *labels[COMPARED_RUNS_MAX], *name;
    char recipes[PLOTS_RECIPES_SIZE] = "";
    for (size_t i = 0; (name = past_run_recipe(&compare->runs[0], i)) != NULL; i++) {
        if (!plots_add_recipe(recipes, name)) {
            snprintf(why, size, "too many recipes");
            return PLOTS_SKIPPED;
        }
    }
    for (size_t i = 0; i < compare->compared.count; i++)
        labels[i] = compare->compared.list[i].label;
    const struct plots plots = {.kind = PLOTS_OF_COMPARISON,
                                .folder = compare->results,
                                .recipes = recipes,
                                .formats = compare->plots,
                                .interrupts = -1,
                                .labels = labels,
                                .label_count = compare->compared.count};
    return plots_draw(&plots, why, size);
}

static void draw(const struct compare *compare)
{
    char why[640];
    if (draw_in(compare, why, sizeof why) == PLOTS_SKIPPED && !compare->quiet)
        complain_mildly("the plots are skipped: %s", why);
}

static enum verdict judge(const struct compare *compare)
{
    bool failed = false, compared = false;
    for (size_t i = 0; i < compare->compared.count; i++)
        failed = failed || compare->compared.list[i].failed > 0;
    for (size_t i = 0; i < compare->ratios.count; i++) {
        const struct ratio_cell *cell = &compare->ratios.list[i];
        failed = failed || ratios_counts_differ(&compare->ratios, cell);
        compared = compared || ratios_is_compared(&cell->of[RATIO_RPCS]);
    }
    if (!compared)
        complain_mildly("nothing was compared: no cell has a usable trial on both sides");
    return failed ? VERDICT_FAILS : compared ? VERDICT_HOLDS : VERDICT_UNDETERMINED;
}

static void tell_in_text(const struct compare *compare)
{
    compare_table_write_sides(&compare->compared, stdout);
    fputc('\n', stdout);
    compare_table_write(&compare->ratios, terminal_columns(STDOUT_FILENO), stdout);
    fputc('\n', stdout);
    compare_sentences_write(&compare->ratios, &compare->compared, stdout);
    printf("\nresults in %s\n", compare->results);
}

static enum error_kind tell(const struct compare *compare, enum verdict verdict,
                            struct error *error)
{
    if (compare->json)
        return compare_json_write(&compare->ratios, &compare->compared, verdict_word(verdict),
                                  compare->results, stdout, error);
    if (!compare->quiet)
        tell_in_text(compare);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the whole */

static int lead(struct compare *compare)
{
    static const int statuses[] = {
        [VERDICT_HOLDS] = 0, [VERDICT_FAILS] = 1, [VERDICT_UNDETERMINED] = 4};
    struct error error = {0};
    enum error_kind kind = read_all(compare, &error);
    if (kind != ERROR_NONE)
        return complain_about("compare", &error);
    if (compare->compared.count < 2)
        return complain_usage("compare", compare->folders[0], "one run: expected two at least");
    compared_runs_pair(&compare->compared);
    compared_runs_label(&compare->compared);
    ratios_init(&compare->compared, &compare->ratios);
    kind = folder_make(compare->out, clock_utc_ns(), "compare", compare->results, &error);
    if (kind == ERROR_NONE) {
        kind = output_write(compare->results, "compare.csv", write_csv, compare, &error);
        if (kind != ERROR_NONE)
            folder_discard(compare->results);
    }
    if (kind != ERROR_NONE)
        return complain_about("compare", &error);
    draw(compare);
    compare_table_complain(&compare->ratios, &compare->compared);
    enum verdict verdict = judge(compare);
    if (tell(compare, verdict, &error) != ERROR_NONE)
        return complain_about("compare", &error);
    return statuses[verdict];
}

static void release(struct compare *compare)
{
    ratios_deinit(&compare->ratios);
    compared_runs_deinit(&compare->compared);
    for (size_t i = 0; i < compare->run_count; i++)
        past_run_deinit(&compare->runs[i]);
}

int compare_main(int argc, char **argv)
{
    struct compare *compare = memory_new(1, sizeof *compare);
    int status = parse(argc, argv, compare);
    if (status == ARGUMENTS_GO) {
        status = lead(compare);
        release(compare);
    }
    free(compare);
    return status;
}

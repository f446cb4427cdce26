// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/series.h"
#include "bench/page/page.h"
#include "bench/paper/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct evaluation *const evaluations[] = {&evaluation_table1, &evaluation_table2,
                                                       &evaluation_table3, &evaluation_figure8};

#define EVALUATIONS (sizeof evaluations / sizeof evaluations[0])

/* ------------------------------------------------------------------ one */

/* argv[1] is its name. */
static int run_one(const struct evaluation *evaluation, int argc, char **argv,
                   struct paper_json *json, bool *interrupted)
{
    struct paper paper = {.evaluation = evaluation, .argc = argc, .argv = argv};
    struct output_options *output = &paper.options.load.output;
    struct error error;
    char folder[PATH_MAX];
    size_t before = json_array_size(json->list);
    int status = paper_options_parse(evaluation, argc - 1, argv + 1, &paper.options);
    if (status != ARGUMENTS_GO)
        return status;
    bool named = output->out != NULL;
    if (!named && folder_make(NULL, clock_utc_ns(), "paper", folder, &error) != ERROR_NONE) {
        paper_options_deinit(&paper.options);
        return complain(&error);
    }
    if (!named) { /* a new name in results/: the evaluation makes the folder itself */
        rmdir(folder);
        series_discard_on_signal(folder);
        output->out = folder;
    }
    paper.json = output->json ? json : NULL;
    status = evaluation->run(&paper);
    *interrupted = paper.interrupted;
    if (output->json && json_array_size(json->list) == before)
        paper_json_add(json, evaluation->name, NULL, NULL, NULL, NULL);
    if (!named)
        folder_discard(folder); /* if nothing was kept */
    paper_options_deinit(&paper.options);
    return status;
}

/* ------------------------------------------------------------------ all */

static const struct option_row rows[] = {LOAD_ROW_TRIALS(2, "3"), PAPER_ROWS_COMMON};

static const char usage[] =
    "Usage: zkherd paper [NAME] [OPTION]...\n"
    "Repeat the evaluation of the ZooKeeper paper (Hunt et al., USENIX ATC 2010),\n"
    "scaled to this machine, and judge its shape; its figures stand beside ours.\n"
    "\n"
    "  table1   throughput against the share of reads and the number of servers\n"
    "           (Table 1 and Figure 5)\n"
    "  table2   creates a second against workers and servers (Table 2)\n"
    "  table3   the time of double barriers against their number and the clients\n"
    "  figure8  throughput over time while servers are killed and started again\n"
    "           (Figure 8); private servers only\n"
    "\n"
    "zkherd paper NAME --help has the options of one; without a name all are made in\n"
    "turn, with these options:\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 the claims hold; 1 one fails, or the servers counted otherwise;\n"
    "2 wrong usage; 3 the environment; 4 a claim is undetermined, or interrupted.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper                                    about 25 minutes\n"
    "  zkherd paper table1 --servers 1,3 --reads 0,100\n"
    "  zkherd paper table3 --barriers 200..1600x2 -t 5\n"
    "  zkherd paper figure8 --servers 3\n"
    "  zkherd paper -d simulated\n";

static const struct evaluation all = {.arguments = {"paper", usage, rows, notes, NULL},
                                      .simulated = "1"};

int paper_worse_status(int status, int other)
{
    static const int order[] = {1, 3, 2, 4};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (status == order[i] || other == order[i])
            return order[i];
    }
    return status;
}

/* Makes one among all: with the options of all, and a folder of its own. */
static int run_part(const struct evaluation *evaluation, const char *folder, int argc, char **argv,
                    struct paper_json *json, bool *interrupted)
{
    char name[16], option[] = "--out", out[PATH_MAX + 16];
    char **arguments = memory_new((size_t)argc + 4, sizeof *arguments);
    snprintf(name, sizeof name, "%s", evaluation->name);
    snprintf(out, sizeof out, "%s/%s", folder, name);
    arguments[0] = argv[0];
    arguments[1] = name;
    memcpy(arguments + 2, argv + 1, (size_t)(argc - 1) * sizeof *arguments);
    arguments[argc + 1] = option;
    arguments[argc + 2] = out;
    int status = run_one(evaluation, argc + 3, arguments, json, interrupted);
    free(arguments);
    return status;
}

/* Why an evaluation cannot be made on these servers; NULL: it can. */
static const char *find_obstacle(const struct evaluation *evaluation,
                                 const struct load_options *options)
{
    return evaluation->find_obstacle != NULL ? evaluation->find_obstacle(&options->target) : NULL;
}

static int run_parts(const char *folder, const struct load_options *options, int argc, char **argv,
                     struct paper_json *json, bool *interrupted)
{
    int status = 0;
    series_discard_on_signal(folder);
    for (size_t i = 0; i < EVALUATIONS && !*interrupted; i++) {
        const char *why = find_obstacle(evaluations[i], options);
        if (!options->output.quiet && !options->output.json)
            printf("%s%s%s%s\n", i == 0 ? "" : "\n", evaluations[i]->name,
                   why != NULL ? " is left out: " : "", why != NULL ? why : "");
        fflush(stdout); /* an evaluation takes minutes; main checks what was written */
        if (why == NULL)
            status = paper_worse_status(
                status, run_part(evaluations[i], folder, argc, argv, json, interrupted));
        else if (options->output.json)
            paper_json_add(json, evaluations[i]->name, why, NULL, NULL, NULL);
        fflush(stdout);
    }
    page_add_common(folder, options->output.quiet);
    folder_discard(folder); /* if nothing was kept */
    return status;
}

/* Parses the options of all, for all and for each: a mistake is reported before the first
 * evaluation, although only a later one may see it, as table2 has fewer sessions than table1. */
static int parse_all(int argc, char **argv, struct paper_options *options)
{
    struct paper_options of_one;
    int status = paper_options_parse(&all, argc, argv, options);
    for (size_t i = 0; i < EVALUATIONS && status == ARGUMENTS_GO; i++) {
        if (find_obstacle(evaluations[i], &options->load) != NULL)
            continue;
        status = paper_options_parse(evaluations[i], argc, argv, &of_one);
        paper_options_deinit(status == ARGUMENTS_GO ? &of_one : options);
    }
    return status;
}

static int run_all(int argc, char **argv, struct paper_json *json, bool *interrupted)
{
    struct paper_options options;
    struct error error;
    char folder[PATH_MAX];
    int status = parse_all(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status =
        folder_make(options.load.output.out, clock_utc_ns(), "paper", folder, &error) == ERROR_NONE
            ? run_parts(folder, &options.load, argc, argv, json, interrupted)
            : complain(&error);
    paper_options_deinit(&options);
    return status;
}

int paper_main(int argc, char **argv)
{
    struct paper_json json = {.list = json_array()};
    bool interrupted = false, is_named = argc > 1 && argv[1][0] != '-';
    size_t at = 0;
    int status;
    while (is_named && at < EVALUATIONS && strcmp(evaluations[at]->name, argv[1]) != 0)
        at++;
    if (!is_named)
        status = run_all(argc, argv, &json, &interrupted);
    else if (at < EVALUATIONS)
        status = run_one(evaluations[at], argc, argv, &json, &interrupted);
    else
        status = complain_usage("paper", argv[1],
                                "expected table1, table2, table3, figure8, or an option");
    if (json.has_result || (interrupted && json_array_size(json.list) > 0))
        paper_json_write(&json, interrupted ? error_words(ERROR_INTERRUPTED) : NULL, stdout);
    json_decref(json.list);
    return status;
}

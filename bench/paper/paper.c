// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "bench/cli/arguments.h"
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

static const struct experiment *const experiments[] = {&experiment_table1, &experiment_table2,
                                                       &experiment_table3, &experiment_figure8};

#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

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

/* What every experiment takes. */
static const struct option_row rows[] = {LOAD_ROW_TRIALS(2, "3"), PAPER_ROWS_COMMON};

static const struct paper_command command_of_all = {
    .arguments = {"paper", usage, rows, notes, NULL}, .simulated = "1"};

/* ------------------------------------------------------------------ one */

/* Each experiment makes its folder itself, or has folders made in it. */
static enum error_kind name_folder(struct paper_options *options, char folder[PATH_MAX],
                                   struct error *error)
{
    if (options->load.output.out != NULL)
        return ERROR_NONE;
    enum error_kind kind = folder_make(NULL, clock_utc_ns(), "paper", folder, error);
    if (kind != ERROR_NONE)
        return kind;
    rmdir(folder);
    series_discards(folder);
    options->load.output.out = folder;
    return ERROR_NONE;
}

/* argv[1] is the name of the experiment. With --json its result is added to the list, or that an
 * interruption left it without one. */
static int run_one(const struct experiment *experiment, int argc, char **argv, json_t *list,
                   bool *interrupted)
{
    struct paper_options options;
    struct paper paper = {
        .experiment = experiment, .options = &options, .argc = argc, .argv = argv};
    struct error error;
    char folder[PATH_MAX];
    size_t told = json_array_size(list);
    int status = paper_options_parse(&experiment->command, argc - 1, argv + 1, &options);
    if (status != ARGUMENTS_GO)
        return status;
    options.experiments = options.load.output.json ? list : NULL;
    status = name_folder(&options, folder, &error) == ERROR_NONE ? experiment->lead(&paper)
                                                                 : complain(&error);
    *interrupted = paper.interrupted;
    if (paper.interrupted && options.experiments != NULL && json_array_size(list) == told)
        paper_json_add_without_result(list, experiment->name, NULL);
    if (options.load.output.out == folder)
        folder_discard(folder); /* if nothing was kept */
    paper_options_deinit(&options);
    return status;
}

static const struct experiment *find(const char *name)
{
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        if (strcmp(experiments[i]->name, name) == 0)
            return experiments[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ all */

/* The command line of an experiment alone. */
struct command_line {
    char name[16], out[8], folder[PATH_MAX];
    char **arguments; /* the name, the options of all, and the experiment's own folder */
    int count;
};

/* Returns ARGUMENTS_GO, and the caller frees the arguments; or the exit status of an error that has
 * been complained about. */
static int make_command_line(const struct experiment *experiment, const char *folder, int argc,
                             char **argv, struct command_line *line)
{
    *line = (struct command_line){.out = "--out", .count = argc + 3};
    snprintf(line->name, sizeof line->name, "%s", experiment->name);
    int length = snprintf(line->folder, sizeof line->folder, "%s/%s", folder, experiment->name);
    if (length < 0 || (size_t)length >= sizeof line->folder)
        return complain_usage("paper", folder, "the path is too long");
    line->arguments = memory_new((size_t)line->count + 1, sizeof *line->arguments);
    line->arguments[0] = argv[0];
    line->arguments[1] = line->name;
    memcpy(line->arguments + 2, argv + 1, (size_t)(argc - 1) * sizeof *line->arguments);
    line->arguments[argc + 1] = line->out;
    line->arguments[argc + 2] = line->folder;
    return ARGUMENTS_GO;
}

static int run_in_folder(const struct experiment *experiment, const char *folder, int argc,
                         char **argv, json_t *list, bool *interrupted)
{
    struct command_line line;
    int status = make_command_line(experiment, folder, argc, argv, &line);
    if (status != ARGUMENTS_GO)
        return status;
    status = run_one(experiment, line.count, line.arguments, list, interrupted);
    free(line.arguments);
    return status;
}

/* Whether the experiment takes the options of all. */
static int check_one(const struct experiment *experiment, int argc, char **argv)
{
    struct command_line line;
    struct paper_options options;
    int status = make_command_line(experiment, ".", argc, argv, &line);
    if (status != ARGUMENTS_GO)
        return status;
    status =
        paper_options_parse(&experiment->command, line.count - 1, line.arguments + 1, &options);
    if (status == ARGUMENTS_GO)
        paper_options_deinit(&options);
    free(line.arguments);
    return status;
}

/* Why the experiment is left out; NULL: it is not. */
static const char *find_obstacle(const struct experiment *experiment,
                                 const struct target_options *target)
{
    return experiment->cannot == NULL ? NULL : experiment->cannot(target);
}

/* A mistake in the options of all is told before the first experiment, although only a later one
 * may see it: table2 has fewer sessions than table1. */
static int check_all(int argc, char **argv, const struct target_options *target)
{
    int status = ARGUMENTS_GO;
    for (size_t i = 0; i < EXPERIMENTS && status == ARGUMENTS_GO; i++) {
        if (find_obstacle(experiments[i], target) == NULL)
            status = check_one(experiments[i], argc, argv);
    }
    return status;
}

/* A claim that fails outweighs an error, and both what is undetermined. */
static int weigh(int status, int other)
{
    static const int order[] = {1, 3, 2, 4};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (status == order[i] || other == order[i])
            return order[i];
    }
    return status;
}

static void announce(const struct experiment *experiment, const char *left_out)
{
    printf("%s%s%s%s\n", experiment == experiments[0] ? "" : "\n", experiment->name,
           left_out != NULL ? " is left out: " : "", left_out != NULL ? left_out : "");
}

static int run_all(const char *folder, int argc, char **argv, const struct load_options *options,
                   json_t *list, bool *interrupted)
{
    int status = 0;
    series_discards(folder);
    for (size_t i = 0; i < EXPERIMENTS && !*interrupted; i++) {
        const struct experiment *experiment = experiments[i];
        const char *why = find_obstacle(experiment, &options->target);
        size_t told = json_array_size(list);
        if (!options->output.quiet && !options->output.json)
            announce(experiment, why);
        fflush(stdout);
        if (why == NULL)
            status =
                weigh(status, run_in_folder(experiment, folder, argc, argv, list, interrupted));
        if (options->output.json && json_array_size(list) == told)
            paper_json_add_without_result(list, experiment->name, why);
        fflush(stdout); /* the next experiment takes minutes; main checks what was written */
    }
    page_add_common(folder, options->output.quiet);
    folder_discard(folder); /* if nothing was kept */
    return status;
}

static int run_all_of(int argc, char **argv, json_t *list, bool *interrupted)
{
    struct paper_options options;
    struct error error;
    char folder[PATH_MAX];
    int status = paper_options_parse(&command_of_all, argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    const struct output_options *output = &options.load.output;
    status = check_all(argc, argv, &options.load.target);
    if (status == ARGUMENTS_GO)
        status = folder_make(output->out, clock_utc_ns(), "paper", folder, &error) == ERROR_NONE
                     ? run_all(folder, argc, argv, &options.load, list, interrupted)
                     : complain(&error);
    paper_options_deinit(&options);
    return status;
}

static int run(int argc, char **argv, json_t *list, bool *interrupted)
{
    if (argc < 2 || argv[1][0] == '-')
        return run_all_of(argc, argv, list, interrupted);
    const struct experiment *experiment = find(argv[1]);
    if (experiment == NULL)
        return complain_usage("paper", argv[1],
                              "expected table1, table2, table3, figure8, or an option");
    return run_one(experiment, argc, argv, list, interrupted);
}

int paper_main(int argc, char **argv)
{
    json_t *list = json_array();
    bool interrupted = false;
    int status = run(argc, argv, list, &interrupted);
    if (paper_json_has_result(list) || (interrupted && json_array_size(list) > 0))
        paper_json_write(list, interrupted ? error_words(ERROR_INTERRUPTED) : NULL, stdout);
    json_decref(list);
    return status;
}

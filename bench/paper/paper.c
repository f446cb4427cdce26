// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/page/page.h"
#include "bench/paper/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct evaluation *const evaluations[] = {&evaluation_table1, &evaluation_table2,
                                                       &evaluation_table3};

#define EVALUATIONS (sizeof evaluations / sizeof evaluations[0])

/* ------------------------------------------------------------------ the command line */

static bool is_consistent(const struct evaluation *evaluation, const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    const struct target_options *target = &load->target;
    const char *subcommand = evaluation->arguments.subcommand;
    bool is_private = target->driver != DRIVER_SIMULATED && !target->connect;
    size_t topologies = target->topology_count; /* of all evaluations together none */
    uint64_t servers = topologies > 0 ? target->server_counts[topologies - 1] : 1;
    struct error error = {0};
    char why[64];
    if (load->sessions.count > 0 && load->processes > load->sessions.list[0]) {
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)load->sessions.list[0]);
        return complain_number(subcommand, "--processes", load->processes, why);
    }
    /* Private servers are fewer than simulated ones can be. */
    if (is_private && ensemble_check_size((unsigned)servers, &error) != ERROR_NONE)
        return complain_number(subcommand, "--servers", servers, error.detail);
    if (target_conflicts(subcommand, target, load->processes))
        return false;
    return evaluation->is_consistent == NULL || evaluation->is_consistent(options);
}

/* Sets the default of a simulation, or the number of servers of --connect. */
static void set_topologies(const struct evaluation *evaluation, struct target_options *target)
{
    char count[32];
    snprintf(count, sizeof count, "%zu", target->servers.count);
    if (target->servers_given || (!target->connect && target->driver != DRIVER_SIMULATED))
        return;
    free(target->server_counts);
    (void)text_parse_numbers(target->connect ? count : evaluation->simulated, 1, UINT64_MAX,
                             &target->server_counts, &target->topology_count);
}

static void options_free(struct paper_options *options)
{
    load_options_deinit(&options->load);
    free(options->barriers.list);
    options->barriers = (struct levels){0};
}

/* Parses argv[1] …. ARGUMENTS_GO: the options are the caller's, to options_free. Else the exit
 * status; mistakes have been complained about. */
static int parse_options(const struct evaluation *evaluation, int argc, char **argv,
                         struct paper_options *options)
{
    *options =
        (struct paper_options){.load = {.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()}};
    int status = arguments_parse(&evaluation->arguments, argc, argv, &options->load, NULL);
    if (status == ARGUMENTS_GO) {
        set_topologies(evaluation, &options->load.target);
        if (!is_consistent(evaluation, options))
            status = error_exit_status(ERROR_USAGE);
    }
    if (status != ARGUMENTS_GO)
        options_free(options);
    return status;
}

/* ------------------------------------------------------------------ one */

/* argv[1] is its name. */
static int run_one(const struct evaluation *evaluation, int argc, char **argv,
                   struct paper_list *list)
{
    struct paper paper = paper_new(evaluation);
    struct output_options *output = &paper.options.load.output;
    struct error error;
    char folder[PATH_MAX] = "";
    int status = parse_options(evaluation, argc - 1, argv + 1, &paper.options);
    if (status != ARGUMENTS_GO)
        return status;
    if (output->out == NULL) { /* a new name in results/: the evaluation makes the folder itself */
        if (folder_make(NULL, clock_utc_ns(), "paper", folder, &error) != ERROR_NONE) {
            options_free(&paper.options);
            return complain(&error);
        }
        rmdir(folder);
        output->out = folder;
    }
    paper.argc = argc;
    paper.argv = argv;
    status = evaluation->run(&paper);
    list->interrupted = paper.interrupted;
    if (output->json)
        paper_json_add(list, evaluation->name, paper.results != NULL ? &paper : NULL);
    if (output->out == folder)
        folder_discard(folder); /* if nothing was kept */
    options_free(&paper.options);
    paper_deinit(&paper);
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
    "           (Table 3)\n"
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
    "  zkherd paper                                    about 17 minutes\n"
    "  zkherd paper table1 --servers 1,3 --reads 0,100\n"
    "  zkherd paper table3 --barriers 200..1600x2 -t 5\n"
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

/* Makes each with the options of all, in a folder of its own. */
static int run_parts(const char *folder, const struct load_options *options, int argc, char **argv,
                     struct paper_list *list)
{
    char name[16], option[] = "--out", out[PATH_MAX + 16];
    char **arguments = memory_new((size_t)argc + 4, sizeof *arguments);
    size_t pages = 0;
    int status = 0;
    arguments[0] = argv[0];
    arguments[1] = name;
    memcpy(arguments + 2, argv + 1, (size_t)(argc - 1) * sizeof *arguments);
    arguments[argc + 1] = option;
    arguments[argc + 2] = out;
    for (size_t i = 0; i < EVALUATIONS && !list->interrupted; i++) {
        snprintf(name, sizeof name, "%s", evaluations[i]->name);
        snprintf(out, sizeof out, "%s/%s", folder, name);
        if (!options->output.quiet && !options->output.json)
            printf("%s%s\n", i == 0 ? "" : "\n", name);
        fflush(stdout); /* an evaluation takes minutes; main checks what was written */
        status = paper_worse_status(status, run_one(evaluations[i], argc + 3, arguments, list));
        fflush(stdout);
        pages += folder_has(out, PAGE_FILE);
    }
    free(arguments);
    if (pages > 1)
        page_add(folder, NULL, options->output.quiet);
    folder_discard(folder); /* if nothing was kept */
    return status;
}

/* Parses the options of all, for all and for each: a mistake is reported before the first
 * evaluation, although only a later one may see it, as table2 has fewer sessions than table1. */
static int run_all(int argc, char **argv, struct paper_list *list)
{
    struct paper_options options, of_one;
    struct error error;
    char folder[PATH_MAX];
    int status = parse_options(&all, argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    for (size_t i = 0; i < EVALUATIONS && status == ARGUMENTS_GO; i++) {
        status = parse_options(evaluations[i], argc, argv, &of_one);
        if (status == ARGUMENTS_GO)
            options_free(&of_one);
    }
    if (status == ARGUMENTS_GO)
        status = folder_make(options.load.output.out, clock_utc_ns(), "paper", folder, &error) ==
                         ERROR_NONE
                     ? run_parts(folder, &options.load, argc, argv, list)
                     : complain(&error);
    options_free(&options);
    return status;
}

int paper_main(int argc, char **argv)
{
    struct paper_list list = {.json = json_array()};
    size_t at = 0;
    int status;
    bool is_named = argc > 1 && argv[1][0] != '-';
    while (is_named && at < EVALUATIONS && strcmp(evaluations[at]->name, argv[1]) != 0)
        at++;
    if (!is_named)
        status = run_all(argc, argv, &list);
    else if (at < EVALUATIONS)
        status = run_one(evaluations[at], argc, argv, &list);
    else
        status = complain_usage("paper", argv[1], "expected table1, table2, table3, or an option");
    paper_json_write(&list, stdout);
    return status;
}

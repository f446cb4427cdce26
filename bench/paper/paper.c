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

static const struct experiment *const experiments[] = {&experiment_table1, &experiment_table2,
                                                       &experiment_table3, &experiment_figure8};

#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

/* ------------------------------------------------------------------ one */

/* paper->argv[1] is the name of the experiment. */
static int parse(struct paper *paper, const struct experiment *experiment, int argc, char **argv,
                 json_t *list)
{
    *paper = (struct paper){.experiment = experiment, .argc = argc, .argv = argv};
    int status = paper_options_parse(experiment->command, argc - 1, argv + 1, &paper->options);
    if (status == ARGUMENTS_GO && paper->options.load.output.json)
        paper->list = list;
    return status;
}

/* Adds to the list that an interruption left the experiment without a result. */
static int run(struct paper *paper)
{
    size_t before = json_array_size(paper->list);
    int status = paper->experiment->run(paper);
    if (paper->interrupted && paper->list != NULL && json_array_size(paper->list) == before)
        paper_json_add(paper->list, paper->experiment->name, NULL, NULL, NULL, NULL);
    return status;
}

/* A new name in results/: the experiment makes its folder itself, or has folders made in it. */
static enum error_kind name_folder(char folder[PATH_MAX], struct error *error)
{
    enum error_kind kind = folder_make(NULL, clock_utc_ns(), "paper", folder, error);
    if (kind != ERROR_NONE)
        return kind;
    rmdir(folder);
    series_discards(folder);
    return ERROR_NONE;
}

static int run_one(const struct experiment *experiment, int argc, char **argv, json_t *list,
                   bool *interrupted)
{
    struct paper paper;
    struct error error;
    char folder[PATH_MAX];
    int status = parse(&paper, experiment, argc, argv, list);
    if (status != ARGUMENTS_GO)
        return status;
    struct output_options *output = &paper.options.load.output;
    bool named = output->out != NULL;
    if (!named)
        output->out = folder;
    status = named || name_folder(folder, &error) == ERROR_NONE ? run(&paper) : complain(&error);
    *interrupted = paper.interrupted;
    if (!named)
        folder_discard(folder); /* if nothing was kept */
    paper_options_deinit(&paper.options);
    return status;
}

/* ------------------------------------------------------------------ all */

/* An experiment among all: its command line has the options of all, and its own folder. */
struct part {
    struct paper paper;
    char name[16], folder[PATH_MAX + 16];
    char **arguments; /* NULL: it cannot be made */
};

/* NULL: the experiment can be made on these servers. */
static const char *find_obstacle(const struct experiment *experiment,
                                 const struct target_options *target)
{
    const char *(*find)(const struct target_options *target) = experiment->command->find_obstacle;
    return find != NULL ? find(target) : NULL;
}

static int parse_part(struct part *part, const struct experiment *experiment, int argc, char **argv,
                      json_t *list)
{
    static char out[] = "--out";
    snprintf(part->name, sizeof part->name, "%s", experiment->name);
    snprintf(part->folder, sizeof part->folder, "."); /* until there is one */
    part->arguments = memory_new((size_t)argc + 4, sizeof *part->arguments);
    part->arguments[0] = argv[0];
    part->arguments[1] = part->name;
    memcpy(part->arguments + 2, argv + 1, (size_t)(argc - 1) * sizeof *part->arguments);
    part->arguments[argc + 1] = out;
    part->arguments[argc + 2] = part->folder;
    return parse(&part->paper, experiment, argc + 3, part->arguments, list);
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

static int run_parts(struct part *parts, const char *folder, const struct load_options *options,
                     json_t *list, bool *interrupted)
{
    int status = 0;
    series_discards(folder);
    for (size_t i = 0; i < EXPERIMENTS && !*interrupted; i++) {
        struct paper *paper = &parts[i].paper;
        const char *name = experiments[i]->name;
        const char *why = find_obstacle(experiments[i], &options->target);
        size_t before = json_array_size(list);
        if (!options->output.quiet && !options->output.json)
            printf("%s%s%s%s\n", i == 0 ? "" : "\n", name, why != NULL ? " is left out: " : "",
                   why != NULL ? why : "");
        fflush(stdout); /* an experiment takes minutes; main checks what was written */
        if (why == NULL) {
            snprintf(parts[i].folder, sizeof parts[i].folder, "%s/%s", folder, name);
            status = weigh(status, run(paper));
            *interrupted = paper->interrupted;
        }
        if (options->output.json && json_array_size(list) == before)
            paper_json_add(list, name, why, NULL, NULL, NULL);
        fflush(stdout);
    }
    page_add_common(folder, options->output.quiet);
    folder_discard(folder); /* if nothing was kept */
    return status;
}

/* A mistake in the options of all is reported before the first experiment, although only a later
 * one may see it: table2 has fewer sessions than table1. */
static int run_all(int argc, char **argv, json_t *list, bool *interrupted)
{
    struct part *parts = memory_new(EXPERIMENTS, sizeof *parts);
    struct paper_options options;
    struct error error;
    char folder[PATH_MAX];
    int status = paper_options_parse(&paper_command_all, argc, argv, &options);
    bool parsed = status == ARGUMENTS_GO;
    for (size_t i = 0; i < EXPERIMENTS && status == ARGUMENTS_GO; i++) {
        if (find_obstacle(experiments[i], &options.load.target) == NULL)
            status = parse_part(&parts[i], experiments[i], argc, argv, list);
    }
    if (status == ARGUMENTS_GO)
        status = folder_make(options.load.output.out, clock_utc_ns(), "paper", folder, &error) ==
                         ERROR_NONE
                     ? run_parts(parts, folder, &options.load, list, interrupted)
                     : complain(&error);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        paper_options_deinit(&parts[i].paper.options);
        free(parts[i].arguments);
    }
    free(parts);
    if (parsed)
        paper_options_deinit(&options);
    return status;
}

int paper_main(int argc, char **argv)
{
    json_t *list = json_array();
    bool interrupted = false, is_named = argc > 1 && argv[1][0] != '-';
    size_t at = 0;
    int status;
    while (is_named && at < EXPERIMENTS && strcmp(experiments[at]->name, argv[1]) != 0)
        at++;
    if (!is_named)
        status = run_all(argc, argv, list, &interrupted);
    else if (at < EXPERIMENTS)
        status = run_one(experiments[at], argc, argv, list, &interrupted);
    else
        status = complain_usage("paper", argv[1],
                                "expected table1, table2, table3, figure8, or an option");
    if (paper_json_has_result(list) || (interrupted && json_array_size(list) > 0))
        paper_json_write(list, interrupted ? error_words(ERROR_INTERRUPTED) : NULL, stdout);
    json_decref(list);
    return status;
}

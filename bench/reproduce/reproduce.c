// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/progress.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/reproduce/internal.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd reproduce [OPTION]...\n"
    "Repeat the runs that README and docs quote, and judge every figure and every\n"
    "claim by the machine: equal, within its interval, different, or undetermined.\n"
    "All of it takes more than an hour. Interrupted, the same command with the same\n"
    "--out goes on with what is missing.\n"
    "\n";

static const char notes[] =
    "\n"
    "A count is equal or different. A time or a ratio is equal if it rounds to what\n"
    "the document prints, and within its interval if both intervals overlap; outside,\n"
    "it is different on the machine of the reference, and undetermined elsewhere.\n"
    "\n"
    "Exit status: 0 equal or within; 1 some are different; 2 wrong usage; 3 the\n"
    "environment; 4 some are undetermined, or the command was interrupted.\n"
    "\n"
    "Examples:\n"
    "  zkherd reproduce --requirements          what it needs: minutes, memory, disk\n"
    "  zkherd reproduce --quick -o reproduced   the counts alone\n"
    "  zkherd reproduce -o reproduced           all, or what is missing there\n";

/* ------------------------------------------------------------------ the command line */

static bool parse_only(struct option_given *given)
{
    struct reproduction *reproduction = given->options;
    struct parts *parts = &reproduction->parts;
    const char *list = given->value;
    char name[32];
    for (size_t i = 0; i < parts->count; i++)
        parts->list[i].wanted = false;
    while (text_next_item(&list, name, sizeof name)) {
        size_t i = 0;
        while (i < parts->count && strcmp(parts->list[i].name, name) != 0)
            i++;
        if (i == parts->count)
            return option_row_refuse(given, "no part is called '%s': see --requirements", name);
        parts->list[i].wanted = true;
    }
    return true;
}

static const struct option_row rows[] = {
    {.name = "--quick",
     OPTION_FLAG(struct reproduction, quick),
     .help = "      --quick            counts and claims alone, in ten minutes\n"},
    {.name = "--only",
     .parse = parse_only,
     .help = "      --only PARTS       these parts, such as locks,claims [all]\n"},
    {.name = "--requirements",
     OPTION_FLAG(struct reproduction, requirements),
     .help = "      --requirements     print the parts and their minutes, memory, disk; run\n"
             "                         nothing\n"},
    {.name = "--zookeeper",
     OPTION_FOLDER(struct reproduction, zookeepers),
     .help = "      --zookeeper HOMES  releases for the part versions, as in zkherd run\n"},
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct reproduction, out),
     .help = "  -o, --out DIR          results: a new folder, or an earlier one to go on with\n"
             "                         [results/TIME-reproduce]\n"},
    {.name = "--json",
     OPTION_FLAG(struct reproduction, json),
     .help = "      --json             print JSON; zkherd-reproduce(1) lists the keys\n"},
    {.name = "--quiet",
     .letter = 'q',
     OPTION_FLAG(struct reproduction, quiet),
     .help = "  -q, --quiet            print only errors, and what is not reproduced\n"},
    OPTION_ROW_HELP("  -h, --help             print this help\n"),
    {0},
};

static const struct arguments arguments = {"reproduce", usage, rows, notes, NULL};

/* ------------------------------------------------------------------ before */

/* The program, and the reference results beside it: in the sources the program is build/zkherd,
 * installed it is bin/zkherd. */
static enum error_kind find_reference(struct reproduction *reproduction, struct error *error)
{
    static const char *const places[] = {"share/zkherd/reference", "results/reference"};
    ssize_t length = readlink("/proc/self/exe", reproduction->program, PATH_MAX - 1);
    reproduction->program[length > 0 ? length : 0] = '\0';
    char *program = memory_text(reproduction->program);
    const char *beside = dirname(program);
    bool found = false;
    for (size_t i = 0; !found && i < sizeof places / sizeof places[0]; i++) {
        snprintf(reproduction->reference, PATH_MAX, "%.3000s/../%s", beside, places[i]);
        found = folder_has(reproduction->reference, command_row_table.file);
    }
    free(program);
    return found ? ERROR_NONE
                 : error_raise(error, ERROR_SYSTEM, ENOENT, "results/reference",
                               "the reference results are not beside the program: install zkherd "
                               "with make install");
}

/* Folders, with commas between, as absolute paths. */
static char *absolute_list(const char *list)
{
    struct growing_text text = {0};
    char item[PATH_MAX], path[PATH_MAX];
    while (text_next_item(&list, item, sizeof item))
        growing_text_add(&text, "%s%s", text.length > 0 ? "," : "",
                         realpath(item, path) != NULL ? path : item);
    return text.text;
}

/* A folder that exists is one of before, or empty: nothing else is written over. */
static enum error_kind open_folder(struct reproduction *reproduction, struct error *error)
{
    const char *out = reproduction->out;
    char *folder = reproduction->named;
    enum error_kind kind = ERROR_NONE;
    if (out != NULL && access(out, F_OK) == 0 && rmdir(out) != 0) {
        if (!folder_has(out, command_row_table.file))
            return error_raise(error, ERROR_NOT_EMPTY, 0, out, "%s",
                               "it has no commands.csv of zkherd reproduce");
        snprintf(folder, PATH_MAX, "%s", out);
        folder_trim(folder);
    } else {
        kind = folder_make(out, clock_utc_ns(), "reproduce", folder, error);
    }
    if (kind == ERROR_NONE && realpath(folder, reproduction->folder) == NULL)
        kind = error_from_errno(error, errno, folder, "%s", "");
    if (kind == ERROR_NONE)
        kind = table_read(&reproduction->commands.done, reproduction->folder, error);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static void write_found(FILE *stream, const void *context)
{
    const struct table *found = context;
    struct csv csv = {.stream = stream};
    table_write_header(&reproduced_row_table, &csv);
    for (size_t i = 0; i < found->rows; i++)
        table_write_row(&reproduced_row_table, table_row(found, i), &csv);
}

static enum error_kind run_and_judge(struct reproduction *reproduction, struct error *error)
{
    struct commands *commands = &reproduction->commands;
    struct progress progress;
    enum error_kind kind = open_folder(reproduction, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_init(&progress, 0, reproduction->quiet);
    commands->progress = &progress;
    commands->program = reproduction->program;
    commands->folder = reproduction->folder;
    commands->quick = reproduction->quick;
    commands->interrupts = signals_block();
    kind = commands_run(commands, &reproduction->parts, error);
    close(commands->interrupts);
    reproduction->cut_short = kind == ERROR_INTERRUPTED;
    if (kind != ERROR_NONE && kind != ERROR_INTERRUPTED)
        return kind;
    reproduction_judge(reproduction);
    return output_write(reproduction->folder, reproduced_row_table.file, write_found,
                        &reproduction->found, error);
}

int reproduction_lead(struct reproduction *reproduction)
{
    struct error error = {0};
    struct commands *commands = &reproduction->commands;
    commands->done.type = commands->before.type = &command_row_table;
    reproduction->found.type = &reproduced_row_table;
    enum error_kind kind = table_read(&commands->before, reproduction->reference, &error);
    if (kind == ERROR_NONE && reproduction->requirements) {
        commands->quick = reproduction->quick;
        tell_requirements(reproduction);
        return 0;
    }
    char *homes = reproduction->zookeepers != NULL ? absolute_list(reproduction->zookeepers) : NULL;
    commands->zookeepers = homes;
    if (kind == ERROR_NONE)
        kind = run_and_judge(reproduction, &error);
    if (kind == ERROR_NONE)
        (reproduction->json ? tell_json : tell_table)(reproduction);
    free(homes);
    if (kind != ERROR_NONE)
        return complain_about("reproduce", &error);
    int status = judge_status(reproduction->counts);
    return status == 0 && reproduction->cut_short ? 4 : status;
}

static void deinit(struct reproduction *reproduction)
{
    parts_deinit(&reproduction->parts);
    figures_deinit(&reproduction->figures);
    table_deinit(&reproduction->commands.done);
    table_deinit(&reproduction->commands.before);
    table_deinit(&reproduction->found);
    free(reproduction);
}

int reproduce_main(int argc, char **argv)
{
    struct error error = {0};
    struct reproduction *reproduction = memory_new(1, sizeof *reproduction);
    reproduction->parts = parts_read(parts_txt);
    for (size_t i = 0; i < reproduction->parts.count; i++)
        reproduction->parts.list[i].wanted = true;
    int status = arguments_take(&arguments, argc, argv, reproduction, NULL);
    if (status == ARGUMENTS_GO) {
        enum error_kind kind = find_reference(reproduction, &error);
        reproduction->figures = figures_read(figures_txt);
        status = kind == ERROR_NONE ? reproduction_lead(reproduction)
                                    : complain_about("reproduce", &error);
    }
    deinit(reproduction);
    return status;
}

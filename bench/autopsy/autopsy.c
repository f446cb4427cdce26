// SPDX-License-Identifier: Apache-2.0
/* The command line of `zkherd autopsy`, and the files of results. */
#include "base/text.h"
#include "bench/autopsy/internal.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/json_result.h"
#include "bench/output/plots.h"
#include "bench/output/trial_columns.h"
#include "bench/page/page.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd autopsy [OPTION]... DIR...\n"
    "Read the transaction logs and snapshots of ZooKeeper's servers (version-2), only\n"
    "read, also of a server that runs, and say which locks there were, who held them\n"
    "and who waited, which sessions expired, and whether they herd.\n"
    "\n";

static const char notes[] =
    "\n"
    "Several DIRs: dataDir and dataLogDir of a server, or those of several servers of\n"
    "one ensemble. Exit status: 0 done; 2 wrong usage, no log, or not one ensemble;\n"
    "3 the environment; 4 not valid: transactions are missing.\n"
    "\n"
    "Examples:\n"
    "  zkherd autopsy /var/lib/zookeeper\n"
    "  zkherd autopsy --from 2026-11-28T22:00 --lock /app/lock copy/of/zk1\n"
    "  zkherd autopsy --json --no-files copy/of/zk1 copy/of/zk2\n";

/* A time in UTC, or ms since 1970, into an int64_t. */
static bool parse_time(struct option_given *given)
{
    struct tm parts = {0};
    uint64_t ms = 0;
    const char *end = strptime(given->value, "%Y-%m-%dT%H:%M", &parts);
    if (end != NULL && *end == ':')
        end = strptime(end, ":%S", &parts);
    if (end != NULL && (strcmp(end, "") == 0 || strcmp(end, "Z") == 0))
        ms = (uint64_t)timegm(&parts) * 1000;
    else if (!text_parse_number(given->value, 1, INT64_MAX / NS_PER_MS, &ms))
        return option_row_refuse(given, "expected a time in UTC such as 2026-11-28T22:30 or "
                                        "2026-11-28T22:30:05Z");
    *(int64_t *)option_row_place(given) = (int64_t)ms;
    return true;
}

static const struct option_row rows[] = {
    OPTION_ROW(.name = "--from", OPTION_INTO(parse_time, struct autopsy, from_ms), .value = "1",
               .help = "      --from TIME          leave out what ended before: UTC, "
                       "2026-11-28T22:30\n"),
    OPTION_ROW(.name = "--until", OPTION_INTO(parse_time, struct autopsy, until_ms),
               .value = "9000000000000", .help = "      --until TIME         read up to there\n"),
    OPTION_ROW(.name = "--lock", OPTION_INTO(option_row_text, struct autopsy, only),
               .help = "      --lock PATH          report this lock alone\n"),
    ROW_OUT(struct autopsy),
    ROW_NO_FILES(struct autopsy),
    ROW_PLOTS(struct autopsy),
    ROW_JSON(struct autopsy),
    ROW_QUIET(struct autopsy),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct autopsy *autopsy)
{
    static const struct arguments arguments = {"autopsy", usage, rows, notes, NULL};
    int first = argc;
    int status = arguments_parse(&arguments, argc, argv, autopsy, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return complain_usage("autopsy", "DIR", "the folder of a server is missing");
    autopsy->folders = argv + first;
    autopsy->folder_count = (size_t)(argc - first);
    if (autopsy->from_ms >= autopsy->until_ms)
        return complain_usage("autopsy", "--from", "it is not before --until");
    return options_write_nowhere("autopsy", &autopsy->output, NULL)
               ? ARGUMENTS_GO
               : error_exit_status(ERROR_USAGE);
}

/* ------------------------------------------------------------------ the whole */

/* Reads the logs into the files of a new folder, which is removed after an error. */
static void write_files(struct autopsy *autopsy)
{
    struct file_set *files = &autopsy->files;
    struct error *error = &autopsy->error, closing;
    ERROR_FIRST(error, file_set_open(files, autopsy->output.out, "autopsy", error));
    file_set_add_table(files, &autopsy_hold_table, &autopsy->holds, error);
    file_set_add_table(files, &handoff_row_table, &autopsy->handoffs, error);
    if (error->kind == ERROR_NONE)
        autopsy_read(autopsy);
    if (error->kind == ERROR_NONE)
        autopsy_conclude(autopsy);
    for (size_t i = 0; error->kind == ERROR_NONE && i < AUTOPSY_TABLES; i++) {
        struct csv csv;
        file_set_add_table(files, autopsy->tables[i].type, &csv, error);
        if (error->kind == ERROR_NONE)
            table_write_rows(&autopsy->tables[i], &csv);
    }
    ERROR_FIRST(error, file_set_commit(files, error));
    progress_clear(&autopsy->progress);
    output_unreserve(files->folder, "manifest.json");
    if (file_set_close(files, &closing) != ERROR_NONE && error->kind == ERROR_NONE)
        *error = closing;
}

static void show_result(struct autopsy *autopsy)
{
    if (autopsy->files.folder[0] != '\0')
        plots_add(autopsy->files.folder, NULL, &autopsy->output);
    if (autopsy->tables[PERIODS].rows > 0)
        page_add(autopsy->files.folder, NULL, autopsy->output.quiet);
    if (autopsy->output.json)
        autopsy_print_json(autopsy);
    else if (!autopsy->output.quiet || autopsy->loses)
        autopsy_print(autopsy);
    ERROR_FIRST(&autopsy->error, standard_output_flush(&autopsy->error));
}

int autopsy_main(int argc, char **argv)
{
    struct autopsy autopsy = {.tables = {[FLAWS].type = &autopsy_flaw_table,
                                         [LOCKS].type = &autopsy_lock_table,
                                         [EXPIRIES].type = &autopsy_expiry_table,
                                         [PERIODS].type = &autopsy_period_table,
                                         [DOUBTS].type = &autopsy_doubt_table,
                                         [FINDINGS].type = &finding_table}};
    struct error *error = &autopsy.error;
    int status = parse(argc, argv, &autopsy);
    if (status != ARGUMENTS_GO)
        return status;
    json_result_start();
    progress_init(&autopsy.progress, 1, autopsy.output.quiet);
    autopsy.signals = signals_block();
    ERROR_FIRST(error, standard_output_check(error));
    if (error->kind == ERROR_NONE)
        write_files(&autopsy);
    if (error->kind == ERROR_NONE)
        show_result(&autopsy);
    status = error->kind != ERROR_NONE ? complain_about("autopsy", error)
             : autopsy.loses           ? error_exit_status(ERROR_NOT_VALID)
                                       : 0;
    for (size_t i = 0; i < AUTOPSY_TABLES; i++)
        table_deinit(&autopsy.tables[i]);
    journal_free(autopsy.journal);
    close(autopsy.signals);
    return status;
}

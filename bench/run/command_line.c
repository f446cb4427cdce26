// SPDX-License-Identifier: Apache-2.0
#include "bench/run/command_line.h"

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/option_table.h"
#include "bench/run/contradictions.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX 64

static const char help_start[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and\n"
    "check the counts against their laws. Writes CSV files, histograms, fits, plots.\n"
    "\n";

static const char help_end[] =
    "\n"
    "Durations D need a unit: 50us, 2ms, 30s, 5m. Exit status: 0 done, every verdict\n"
    "holds; 1 a verdict fails; 2 wrong usage; 3 the environment; 4 the measurement is\n"
    "not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect\n"
    "  zkherd run -r scalable -n 5000 -t 1          5000 clients in one queue\n"
    "  zkherd run -p free -n 100 --hold exp:5ms     real contention\n"
    "  zkherd run --servers 1,3                     one server against three\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  existing servers\n";

/* The table as getopt_long and arguments_take read it. */
struct command_line {
    char help[8192];
    char letters[2 * ROWS_MAX + 2];
    struct option options[ROWS_MAX + 1];
};

/* What getopt_long returns for a row: the letter, or a number that is no character. */
static int code_of(const struct option_row *row)
{
    return row->letter != '\0' ? row->letter : UCHAR_MAX + 1 + (int)(row - option_table);
}

static void fill(struct command_line *line)
{
    size_t at = 1, length = (size_t)snprintf(line->help, sizeof line->help, "%s", help_start);
    line->letters[0] = ':';
    for (size_t i = 0; i < ROWS_MAX && option_table[i].name != NULL; i++) {
        const struct option_row *row = &option_table[i];
        line->options[i] = (struct option){.name = row->name + strlen("--"),
                                           .has_arg = row->flag ? no_argument : required_argument,
                                           .val = code_of(row)};
        if (row->letter != '\0')
            line->letters[at++] = row->letter;
        if (row->letter != '\0' && !row->flag)
            line->letters[at++] = ':';
        length +=
            (size_t)snprintf(line->help + length, sizeof line->help - length, "%s", row->help);
    }
    snprintf(line->help + length, sizeof line->help - length, "%s", help_end);
}

static bool take(int option, const char *value, void *context)
{
    const struct option_row *row = option_table;
    while (code_of(row) != option)
        row++;
    return row->parse(row, value, context);
}

/* What is not on the command line. */
static bool set_defaults(struct options *options)
{
    bool taken = true;
    *options = (struct options){.target.max_clients = UINT64_MAX, .plan.seed = clock_utc_ns()};
    for (const struct option_row *row = option_table; row->name != NULL; row++)
        taken = taken && (row->value == NULL || row->parse(row, row->value, options));
    options->target.servers_given = false;
    options->target.heap_given = false;
    options->target.fsync_given = false;
    return taken;
}

int command_line_parse(int argc, char **argv, struct options *options)
{
    struct command_line line = {0};
    fill(&line);
    const struct arguments arguments = {"run", line.help, line.letters, line.options, take};
    int status = error_exit_status(ERROR_USAGE);
    if (set_defaults(options))
        status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && contradictions_found(options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}

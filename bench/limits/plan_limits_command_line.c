// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/plan_limits_command_line.h"

#include "bench/cli/arguments.h"
#include "bench/cli/rows.h"
#include "bench/target/target_conflicts.h"
#include "wire/maxbuffer.h"

#include <stdlib.h>

#define CLIENTS_MAX 1000000000

static const char usage[] =
    "Usage: zkherd plan --limits [OPTION]...\n"
    "Say what limits the clients of a lock besides time: the longest message that\n"
    "servers and Java clients take (jute.maxbuffer), connections, descriptors, local\n"
    "ports, and the memory of watches. For each limit: its setting, its formula, and\n"
    "how many names, watches, bytes or sessions it allows.\n"
    "\n";

static const char notes[] =
    "\n"
    "Nothing is measured, and no server is started. The servers of --connect are\n"
    "asked for their settings by four-letter words (conf, mntr, envi). With -n, a\n"
    "server that refuses conf is tried: as many silent connections as the clients\n"
    "need are opened, and closed again.\n"
    "\n"
    "Exit status: 0 done; 1 the clients of -n pass a limit; 2 wrong usage; 3 the\n"
    "environment, for example no server.\n"
    "\n"
    "Examples:\n"
    "  zkherd plan --limits -r scalable,scalable-guid -n 20000\n"
    "  zkherd plan --limits --connect zk1,zk2,zk3 --lock /app/locks/orders\n";

/* ------------------------------------------------------------------ parsers */

static bool parse_recipes(struct option_given *given)
{
    struct plan_limits_options *options = given->options;
    return rows_recipes(given, options->recipes, &options->recipe_count);
}

static bool parse_lock(struct option_given *given)
{
    struct error error = {0};
    *(const char **)option_row_place(given) = given->value;
    if (connect_check_path(given->value, &error) != ERROR_NONE)
        return option_row_refuse(given, "%s", error.detail);
    return given->value[1] != '\0' ||
           option_row_refuse(given, "expected the znode of a lock, such as /locks/orders");
}

/* ------------------------------------------------------------------ the rows */

static const struct option_row rows[] = {
    {.name = "--limits",
     OPTION_FLAG(struct plan_limits_options, limits),
     .help = "      --limits             print the limits\n"},
    {.name = "--recipes",
     .letter = 'r',
     .parse = parse_recipes,
     .value = ROWS_RECIPES_DEFAULT,
     .help = "  -r, --recipes LIST       names (see zkherd recipes)\n"
             "                           [" ROWS_RECIPES_DEFAULT "]\n"},
    {.name = "--clients",
     .letter = 'n',
     OPTION_NUMBER(struct plan_limits_options, clients, 1, CLIENTS_MAX),
     .help = "  -n, --clients N          the share of each limit that N clients of one lock\n"
             "                           need, all on this host, with a session each\n"},
    {.name = "--lock",
     .parse = parse_lock,
     .member = OPTION_MEMBER(struct plan_limits_options, lock),
     .value = "/locks/lock",
     .help = "      --lock PATH          znode of the lock [/locks/lock]\n"},
    {.name = "--jute-maxbuffer",
     OPTION_NUMBER(struct plan_limits_options, jute_maxbuffer_bytes, MAXBUFFER_LEAST,
                   MAXBUFFER_MOST),
     .value = "1048575",
     .help = "      --jute-maxbuffer B   of servers and Java clients, in bytes; none tells it\n"
             "                           [1048575]\n"},
    ROW_SERVERS(struct plan_limits_options),
    ROW_HEAP(struct plan_limits_options),
    ROW_CONNECT(struct plan_limits_options),
    ROW_JSON(struct plan_limits_options),
    {.name = "--quiet",
     .letter = 'q',
     OPTION_FLAG(struct plan_limits_options, output.quiet),
     .help = "  -q, --quiet              print only errors and limits that -n passes\n"},
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

int plan_limits_command_line_parse(int argc, char **argv, struct plan_limits_options *options)
{
    static const struct arguments arguments = {"plan --limits", usage, rows, notes, NULL};
    *options = (struct plan_limits_options){0};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && target_conflicts("plan --limits", &options->target, 1))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        plan_limits_command_line_deinit(options);
    return status;
}

void plan_limits_command_line_deinit(struct plan_limits_options *options)
{
    target_options_deinit(&options->target);
    *options = (struct plan_limits_options){0};
}

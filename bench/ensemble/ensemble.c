// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "servers/detached.h"
#include "servers/four_letter.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd ensemble start [OPTION]...\n"
    "       zkherd ensemble status|stop\n"
    "Keep private ZooKeeper servers running on 127.0.0.1 for several runs. Each user\n"
    "has one such ensemble at a time.\n"
    "\n"
    "  start   start the servers, wait until they serve clients, and print the\n"
    "          connect string for run --connect\n"
    "  status  one row per server: address, role, process, memory, version,\n"
    "          connections\n"
    "  stop    stop the servers and remove all files that were created for them\n"
    "\n"
    "Options of start:\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 2 wrong usage; 3 the environment: no ensemble is\n"
    "running, one is already running, or it does not serve clients.\n"
    "\n"
    "Examples:\n"
    "  zkherd run --connect \"$(zkherd ensemble start)\"     a run; the servers\n"
    "                                                      keep running\n"
    "  zkherd ensemble start --servers 1 --fsync no\n"
    "  zkherd ensemble status\n"
    "  zkherd ensemble stop\n";

/* ------------------------------------------------------------------ the command line */

struct call {
    struct target_options target; /* heap and fsync of the servers */
    unsigned servers;
};

static bool parse_servers(struct option_given *given)
{
    const struct call *call = given->options;
    struct error error = {0};
    return option_row_number(given) && (ensemble_check_size(call->servers, &error) == ERROR_NONE ||
                                        option_row_refuse(given, "%s", error.detail));
}

static const struct option_row rows[] = {
    OPTION_ROW(.name = "--servers", .parse = parse_servers,
               .member = OPTION_MEMBER(struct call, servers), .least = 1,
               .most = ENSEMBLE_SERVERS_MAX, .expected = "expected 1, 3, 5 or 7", .value = "3",
               .help = "      --servers N          number of servers: 1, 3, 5 or 7 [3]\n"),
    ROW_HEAP(struct call),
    ROW_FSYNC(struct call),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* --help and the end: the options of status and stop, which show the same help. */
#define COMMON_ROWS (rows + sizeof rows / sizeof rows[0] - 2)

/* ------------------------------------------------------------------ the state of the servers */

#define ASK_NS (2 * NS_PER_S)

/* Asks a server, 4 s at most, and adds its row. Returns whether the ensemble serves requests, if
 * this server knows: it is the leader, or a standalone server. */
static bool add_server(const struct detached_ensemble *detached, size_t index, struct grid *grid)
{
    const struct endpoint *endpoint = &detached->connect.endpoints[index];
    struct four_letter_identity identity;
    struct four_letter_counters counters;
    struct error refusal = {0};
    char text[ENDPOINT_TEXT_SIZE];
    uint64_t rss_kib;
    bool runs = process_rss_kib(detached->pids[index], &rss_kib),
         serves = runs && !four_letter_identify(endpoint, ASK_NS, &identity, &refusal);
    grid_add(grid, "%zu", index + 1);
    grid_add(grid, "%s", endpoint_format(endpoint, text, sizeof text));
    grid_add(grid, "%s",
             serves                              ? role_words[identity.role]
             : !runs                             ? "ended"
             : refusal.kind == ERROR_NOT_SERVING ? "not serving"
                                                 : "no answer");
    grid_add(grid, "%d", (int)detached->pids[index]);
    grid_add(grid, runs ? "%" PRIu64 : GRID_UNKNOWN, rss_kib / 1024);
    grid_add(grid, "%s", serves ? identity.version : GRID_UNKNOWN);
    if (serves && four_letter_counters(endpoint, ASK_NS, &counters, &refusal) == ERROR_NONE)
        grid_add(grid, "%" PRIu64, counters.connections - 1);
    else
        grid_add(grid, GRID_UNKNOWN);
    return serves && role_leads(identity.role);
}

/* ------------------------------------------------------------------ start, status, stop */

/* Standard output has the connect string alone. */
static enum error_kind print_connect(const struct ensemble *ensemble, struct error *error)
{
    const struct connect_string *connect = &ensemble->connect;
    char text[CONNECT_TEXT_SIZE];
    for (unsigned i = 0; i < connect->count; i++)
        complain_mildly("%s: %s", endpoint_format(&connect->endpoints[i], text, sizeof text),
                        role_words[ensemble->servers[i].role]);
    complain_mildly("to stop the servers: zkherd ensemble stop");
    printf("%s\n", connect_format(connect, false, text, sizeof text));
    return standard_output_flush(error);
}

/* The connect string is printed before the servers are left: if it cannot be, they end. */
static void start(const struct call *call, struct error *error)
{
    struct ensemble_options options = ensemble_options_default();
    struct ensemble *ensemble = NULL;
    int folder;
    options.servers = call->servers;
    options.heap_mib = call->target.heap_mib;
    options.fsync = call->target.fsync;
    if (detached_lock(&folder, error))
        return;
    ERROR_FIRST(error, ensemble_start(&options, &ensemble, error));
    ERROR_FIRST(error, print_connect(ensemble, error));
    ERROR_FIRST(error, detached_leave(folder, ensemble, error));
    if (error->kind != ERROR_NONE)
        ensemble_stop(ensemble);
    close(folder);
}

static int print_status(struct error *error)
{
    struct detached_ensemble detached;
    static const struct grid_column columns[] = {{.title = "server", .right = true},
                                                 {.title = "address"},
                                                 {.title = "role"},
                                                 {.title = "pid", .right = true},
                                                 {.title = "memory MiB", .right = true},
                                                 {.title = "version"},
                                                 {.title = "connections", .right = true}};
    struct grid grid;
    bool serves = false;
    if (detached_find(&detached, error))
        return 0;
    grid_init(&grid, columns, sizeof columns / sizeof columns[0], 2);
    for (size_t i = 0; i < detached.connect.count; i++)
        serves |= add_server(&detached, i, &grid);
    grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
    grid_deinit(&grid);
    return serves ? 0 : error_exit_status(ERROR_NOT_SERVING);
}

int ensemble_main(int argc, char **argv)
{
    struct arguments arguments = {"ensemble", usage, rows, notes, rows};
    const char *action = argc > 1 ? argv[1] : "action";
    bool starts = strcmp(action, "start") == 0, stops = strcmp(action, "stop") == 0;
    struct call call = {0};
    struct error error = {0};
    int status = 0;
    if (strcmp(action, "--help") == 0 || strcmp(action, "-h") == 0) {
        arguments_write_help(&arguments);
        return 0;
    }
    if (!starts && !stops && strcmp(action, "status") != 0)
        return complain_usage("ensemble", action, "expected start, status or stop");
    arguments.rows = starts ? rows : COMMON_ROWS;
    status = arguments_parse(&arguments, argc - 1, argv + 1, &call, NULL);
    if (status != ARGUMENTS_GO)
        return status;
    if (starts)
        start(&call, &error);
    else if (stops)
        (void)!detached_stop(&error);
    else
        status = print_status(&error);
    if (error.kind != ERROR_NONE)
        return complain_about("ensemble", &error);
    return status == ARGUMENTS_GO ? 0 : status;
}

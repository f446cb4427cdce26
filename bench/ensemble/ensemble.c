// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/process.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"
#include "measure/table.h"
#include "servers/detached.h"
#include "servers/four_letter.h"
#include "servers/role.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PORT_MAX 65535

static const char usage[] =
    "Usage: zkherd ensemble start [OPTION]...\n"
    "       zkherd ensemble status|stop [--json]\n"
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
    "  zkherd ensemble start --servers 1 --port 2181 --fsync no\n"
    "  zkherd ensemble status\n"
    "  zkherd ensemble stop\n";

/* ------------------------------------------------------------------ the command line */

struct call {
    struct target_options target; /* heap, CPU, fsync and data of the servers */
    unsigned servers;
    uint16_t first_port;
    bool json;
    int status; /* exit status of a call without an error */
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
    ROW_SERVER_CPUS(struct call),
    ROW_FSYNC(struct call),
    ROW_DATA(struct call),
    OPTION_ROW(.name = "--port", OPTION_NUMBER(struct call, first_port, 1, PORT_MAX),
               .expected = "expected a port from 1 to 65535",
               .help =
                   "      --port P             client port of the first server; the others use\n"
                   "                           the following ports [any free ports]\n"),
    OPTION_ROW(.name = "--json", OPTION_FLAG(struct call, json),
               .help = "\n"
                       "Options of each:\n"
                       "      --json               print JSON: the servers and their state\n"),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* --json, --help and the end: the options of status and stop, which show the same help. */
#define COMMON_ROWS (rows + sizeof rows / sizeof rows[0] - 3)

/* ------------------------------------------------------------------ the state of the servers */

#define ASK_NS (2 * NS_PER_S)

#define SERVER_COLUMNS(X, T)                                                                       \
    X(T, server, COUNT, "", 0, KEY, "its number, from 1")                                          \
    X(T, address, TEXT, "", 0, NONE, "host and port")                                              \
    X(T, role, TEXT, "", 0, NONE, "as the server says; or ended, no answer, not serving")          \
    X(T, pid, COUNT, "", 0, NONE, "of its process")                                                \
    X(T, memory_mib, COUNT, "MiB", 0, NONE, "resident memory of the process")                      \
    X(T, version, TEXT, "", 0, NONE, "as the server says")                                         \
    X(T, connections, COUNT, "", 0, NONE, "without the one that asks")                             \
    X(T, process, TEXT, "", 0, PRIVATE, "the pid, without separators")
TABLE_DECLARE(ensemble_server, SERVER_COLUMNS);
TABLE_DEFINE(ensemble_server, NULL, SERVER_COLUMNS)

/* Asks a server, 4 s at most. Returns whether the ensemble serves requests, if this server knows:
 * it is the leader, or a standalone server. */
static bool ask_server(const struct detached_ensemble *detached, size_t index,
                       struct table_value *row)
{
    const struct endpoint *endpoint = &detached->connect.endpoints[index];
    struct four_letter_identity identity;
    struct four_letter_counters counters;
    struct error refusal;
    char text[ENDPOINT_TEXT_SIZE];
    uint64_t rss_kib;
    row[ensemble_server_server] = table_count(index + 1);
    row[ensemble_server_address] = table_text(endpoint_format(endpoint, text, sizeof text));
    row[ensemble_server_pid] = table_count((uint64_t)detached->pids[index]);
    snprintf(text, sizeof text, "%d", (int)detached->pids[index]);
    row[ensemble_server_process] = table_text(text);
    if (!process_rss_kib(detached->pids[index], &rss_kib)) {
        row[ensemble_server_role] = table_text("ended");
        return false;
    }
    row[ensemble_server_memory_mib] = table_count(rss_kib / 1024);
    enum error_kind kind = four_letter_identify(endpoint, ASK_NS, &identity, &refusal);
    if (kind != ERROR_NONE) {
        row[ensemble_server_role] =
            table_text(kind == ERROR_NOT_SERVING ? "not serving" : "no answer");
        return false;
    }
    row[ensemble_server_role] = table_text(printable_text(identity.mode, text, sizeof text));
    bool leads = role_leads(role_of_mode(text));
    row[ensemble_server_version] = table_text(printable_text(identity.version, text, sizeof text));
    if (four_letter_counters(endpoint, ASK_NS, &counters, &refusal) == ERROR_NONE)
        row[ensemble_server_connections] = table_count(counters.connections - 1);
    return leads;
}

/* Asks each server, and prints a table, or the object of docs/schema/ensemble.schema.json. Returns
 * whether the ensemble serves requests. */
static bool print_servers(const struct detached_ensemble *detached, bool as_json)
{
    static const struct row_column columns[] = {
        {.column = ensemble_server_server},
        {.column = ensemble_server_address},
        {.column = ensemble_server_role},
        {.column = ensemble_server_process, .title = "pid"},
        {.column = ensemble_server_memory_mib, .title = "memory MiB"},
        {.column = ensemble_server_version},
        {.column = ensemble_server_connections}};
    struct table table = {.type = &ensemble_server_table};
    const struct row_grid grid = {
        .table = &table, .columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    char connect[CONNECT_TEXT_SIZE];
    bool serves = false;
    for (size_t i = 0; i < detached->connect.count; i++)
        serves |= ask_server(detached, i, table_add(&table));
    if (as_json)
        json_result_write(
            json_pack("{s:s, s:b, s:o}", "connect",
                      connect_format(&detached->connect, false, connect, sizeof connect), "serves",
                      serves, "servers", json_result_rows(&table)),
            stdout);
    else
        row_grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
    table_deinit(&table);
    return serves;
}

/* ------------------------------------------------------------------ start, status, stop */

/* Standard output has the connect string alone. */
static enum error_kind print_connect(const struct ensemble *ensemble, struct error *error)
{
    const struct connect_string *connect = &ensemble->connect;
    char text[CONNECT_TEXT_SIZE];
    for (unsigned i = 0; i < connect->count; i++)
        complain_mildly("%s: %s", endpoint_format(&connect->endpoints[i], text, sizeof text),
                        role_word(ensemble->servers[i].role));
    complain_mildly("to stop the servers: zkherd ensemble stop");
    printf("%s\n", connect_format(connect, false, text, sizeof text));
    return standard_output_flush(error);
}

/* The connect string is printed first: if it cannot be printed, the ensemble ends. JSON has the
 * state of an ensemble that was left. */
static void start_and_leave(const struct call *call, const struct detached_lock *claim,
                            struct error *error)
{
    struct ensemble_options options = ensemble_options_default();
    struct ensemble *ensemble = NULL;
    struct detached_ensemble detached;
    struct error ignored;
    options.servers = call->servers;
    options.heap_mib = call->target.heap_mib;
    options.cpu_percent = call->target.cpu_percent;
    options.fsync = call->target.fsync;
    options.data_folder = call->target.data;
    options.first_port = call->first_port;
    if (ensemble_start(&options, &ensemble, error))
        return;
    if (!call->json)
        ERROR_FIRST(error, print_connect(ensemble, error));
    ERROR_FIRST(error, detached_leave(claim, ensemble, error));
    if (error->kind != ERROR_NONE)
        ensemble_stop(ensemble);
    if (error->kind != ERROR_NONE || !call->json)
        return;
    ERROR_FIRST(error, detached_find(&detached, error));
    if (error->kind == ERROR_NONE)
        (void)print_servers(&detached, true);
    ERROR_FIRST(error, standard_output_flush(error));
    if (error->kind != ERROR_NONE)
        (void)!detached_stop(&ignored);
}

static void start(struct call *call, struct error *error)
{
    struct detached_lock claim;
    if (detached_lock(&claim, error))
        return;
    start_and_leave(call, &claim, error);
    detached_release(&claim);
}

static void status(struct call *call, struct error *error)
{
    struct detached_ensemble detached;
    if (detached_find(&detached, error) == ERROR_NONE && !print_servers(&detached, call->json))
        call->status = error_exit_status(ERROR_NOT_SERVING);
}

/* With --json the servers are asked afterwards, too: each has ended. */
static void stop(struct call *call, struct error *error)
{
    struct detached_ensemble detached;
    if (call->json)
        ERROR_FIRST(error, detached_find(&detached, error));
    ERROR_FIRST(error, detached_stop(error));
    if (error->kind == ERROR_NONE && call->json)
        (void)print_servers(&detached, true);
}

static const struct {
    const char *name;
    const struct option_row *rows;
    void (*run)(struct call *call, struct error *error);
} actions[] = {
    {"start", rows, start}, {"status", COMMON_ROWS, status}, {"stop", COMMON_ROWS, stop}};

int ensemble_main(int argc, char **argv)
{
    struct arguments arguments = {"ensemble", usage, rows, notes, rows};
    const char *action = argc > 1 ? argv[1] : "action";
    struct call call = {0};
    struct error error = {0};
    if (strcmp(action, "--help") == 0 || strcmp(action, "-h") == 0) {
        arguments_write_help(&arguments);
        return 0;
    }
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(action, actions[i].name) != 0)
            continue;
        arguments.rows = actions[i].rows;
        int status = arguments_parse(&arguments, argc - 1, argv + 1, &call, NULL);
        if (status != ARGUMENTS_GO)
            return status;
        actions[i].run(&call, &error);
        return error.kind == ERROR_NONE ? call.status : complain_about("ensemble", &error);
    }
    return complain_usage("ensemble", action, "expected start, status or stop");
}

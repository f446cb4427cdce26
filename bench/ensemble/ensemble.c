// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble/ensemble.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/ensemble/ensemble_json.h"
#include "bench/ensemble/ensemble_table.h"
#include "servers/background.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
    struct ensemble_options start;
    bool json;
};

static bool parse_servers(struct option_given *given)
{
    const struct call *call = given->options;
    struct error error = {0};
    if (!option_row_number(given))
        return false;
    return ensemble_check_size(call->start.servers, &error) == ERROR_NONE ||
           option_row_refuse(given, "%s", error.detail);
}

static const struct option_row rows[] = {
    {.name = "--servers",
     .parse = parse_servers,
     .member = OPTION_MEMBER(struct call, start.servers),
     .least = 1,
     .most = ENSEMBLE_SERVERS_MAX,
     .expected = "expected 1, 3, 5 or 7",
     .value = "3",
     .help = "      --servers N     number of servers: 1, 3, 5 or 7 [3]\n"},
    {.name = "--heap",
     OPTION_NUMBER(struct call, start.heap_mib, SERVER_HEAP_MIN_MIB, SERVER_HEAP_MAX_MIB),
     .value = "512",
     .help = "      --heap MIB      heap of each server [512]\n"},
    {.name = "--server-cpus",
     .parse = option_row_cpus,
     .member = OPTION_MEMBER(struct call, start.cpu_percent),
     .least = SERVER_CPU_MIN_PERCENT,
     .help = "      --server-cpus X cores that each server may use, e.g. 0.25 [no limit]\n"},
    {.name = "--fsync",
     OPTION_WORD(struct call, start.fsync, option_row_no_yes, "expected yes or no"),
     .value = "yes",
     .help = "      --fsync yes|no  whether the servers' writes wait for the disk [yes]\n"},
    {.name = "--data",
     OPTION_FOLDER(struct call, start.data_folder),
     .help = "      --data DIR      folder for the servers' data; must be empty or not exist\n"
             "                      [a temporary folder]\n"},
    {.name = "--port",
     OPTION_NUMBER(struct call, start.first_port, 1, PORT_MAX),
     .expected = "expected a port from 1 to 65535",
     .help = "      --port P        client port of the first server; the others use the\n"
             "                      following ports [any free ports]\n"},
    {.name = "--json",
     OPTION_FLAG(struct call, json),
     .help = "\n"
             "Options of each:\n"
             "      --json          print JSON: the servers and their state\n"},
    OPTION_ROW_HELP("  -h, --help          print this help\n"),
    {0},
};

/* Of status and stop, which show the same help. */
static const struct option_row common_rows[] = {
    {.name = "--json", OPTION_FLAG(struct call, json), .help = ""},
    OPTION_ROW_HELP(""),
    {0},
};

/* ------------------------------------------------------------------ start, status, stop */

/* Standard output has the connect string alone. */
static enum error_kind tell(const struct ensemble *ensemble, struct error *error)
{
    const struct connect_string *connect = ensemble_connect(ensemble);
    char text[CONNECT_TEXT_SIZE];
    for (unsigned i = 0; i < connect->count; i++)
        complain_mildly("%s: %s", endpoint_format(&connect->endpoints[i], text, sizeof text),
                        role_word(ensemble_role(ensemble, i)));
    complain_mildly("to stop the servers: zkherd ensemble stop");
    printf("%s\n", connect_format(connect, false, text, sizeof text));
    return standard_output_flush(error);
}

/* The connect string is printed first: if it cannot be printed, the ensemble ends. */
static enum error_kind tell_and_leave(const struct background_lock *claim,
                                      struct ensemble *ensemble, struct error *error)
{
    enum error_kind kind = tell(ensemble, error);
    if (kind == ERROR_NONE)
        kind = background_leave(claim, ensemble, error);
    if (kind != ERROR_NONE)
        ensemble_stop(ensemble);
    return kind;
}

/* The same with JSON, which the state of an ensemble that was left is in. */
static enum error_kind leave_and_tell(const struct background_lock *claim,
                                      struct ensemble *ensemble, struct error *error)
{
    struct background_ensemble background;
    struct error ignored;
    bool serves;
    enum error_kind kind = background_leave(claim, ensemble, error);
    if (kind != ERROR_NONE) {
        ensemble_stop(ensemble);
        return kind;
    }
    kind = background_find(&background, error);
    if (kind == ERROR_NONE)
        kind = ensemble_json_write(&background, stdout, &serves, error);
    if (kind == ERROR_NONE)
        kind = standard_output_flush(error);
    if (kind != ERROR_NONE)
        (void)!background_stop(&ignored);
    return kind;
}

static enum error_kind start_and_leave(const struct call *call, const struct background_lock *claim,
                                       struct error *error)
{
    struct ensemble *ensemble = NULL;
    enum error_kind kind = ensemble_start(&call->start, &ensemble, error);
    if (kind != ERROR_NONE)
        return kind;
    return (call->json ? leave_and_tell : tell_and_leave)(claim, ensemble, error);
}

static int start(const struct call *call)
{
    struct background_lock claim;
    struct error error;
    enum error_kind kind = background_lock(&claim, &error);
    if (kind != ERROR_NONE)
        return complain(&error);
    kind = start_and_leave(call, &claim, &error);
    background_release(&claim);
    return kind == ERROR_NONE ? 0 : complain_about("ensemble", &error);
}

static int status(const struct call *call)
{
    struct background_ensemble background;
    struct error error;
    bool serves;
    if (background_find(&background, &error) != ERROR_NONE)
        return complain(&error);
    if (!call->json)
        serves = ensemble_table_write(&background, stdout);
    else if (ensemble_json_write(&background, stdout, &serves, &error) != ERROR_NONE)
        return complain(&error);
    return serves ? 0 : error_exit_status(ERROR_NOT_SERVING);
}

/* Afterwards the servers are asked, too: each has ended. */
static int stop(const struct call *call)
{
    struct background_ensemble background;
    struct error error;
    bool serves;
    if (call->json && background_find(&background, &error) != ERROR_NONE)
        return complain(&error);
    if (background_stop(&error) != ERROR_NONE)
        return complain(&error);
    return call->json && ensemble_json_write(&background, stdout, &serves, &error) != ERROR_NONE
               ? complain(&error)
               : 0;
}

static const struct {
    const char *name;
    const struct option_row *rows;
    int (*act)(const struct call *call);
} actions[] = {
    {"start", rows, start},
    {"status", common_rows, status},
    {"stop", common_rows, stop},
};

int ensemble_main(int argc, char **argv)
{
    struct call call = {.start = ensemble_options_default()};
    if (argc < 2)
        return complain_usage("ensemble", "action", "expected start, status or stop");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        arguments_write_help(&(struct arguments){"ensemble", usage, rows, notes, NULL});
        return 0;
    }
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(argv[1], actions[i].name) != 0)
            continue;
        const struct arguments arguments = {"ensemble", usage, actions[i].rows, notes, rows};
        int status = arguments_take(&arguments, argc - 1, argv + 1, &call, NULL);
        return status == ARGUMENTS_GO ? actions[i].act(&call) : status;
    }
    return complain_usage("ensemble", argv[1], "expected start, status or stop");
}

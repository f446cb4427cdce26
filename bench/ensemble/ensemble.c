// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble/ensemble.h"

#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/standard_output.h"
#include "bench/ensemble/ensemble_table.h"
#include "servers/background.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SERVERS_DEFAULT  3
#define HEAP_DEFAULT_MIB 512
#define PORT_MAX         65535

static const char help[] =
    "Usage: zkherd ensemble start [OPTION]...\n"
    "       zkherd ensemble status\n"
    "       zkherd ensemble stop\n"
    "Keep private ZooKeeper servers running on 127.0.0.1 for several runs. Each user\n"
    "has one such ensemble at a time.\n"
    "\n"
    "  start   start the servers, wait until they serve clients, and print the\n"
    "          connect string for run --connect\n"
    "  status  one row per server: address, role, process, memory, version,\n"
    "          connections\n"
    "  stop    stop the servers and remove all files that were created for them\n"
    "\n"
    "Options of start:\n"
    "      --servers N     number of servers: 1, 3, 5 or 7 [3]\n"
    "      --heap MIB      heap of each server [512]\n"
    "      --fsync yes|no  whether the servers' writes wait for the disk [yes]\n"
    "      --data DIR      folder for the servers' data; must be empty or not exist\n"
    "                      [a temporary folder]\n"
    "      --port P        client port of the first server; the others use the\n"
    "                      following ports [any free ports]\n"
    "  -h, --help          this help\n"
    "\n"
    "Exit status: 0 success; 2 wrong usage; 3 the environment: no ensemble is\n"
    "running, one is already running, or it does not serve clients.\n"
    "\n"
    "Examples:\n"
    "  zkherd run --connect \"$(zkherd ensemble start)\"     a run; the servers\n"
    "                                                      keep running\n"
    "  zkherd ensemble start --servers 1 --port 2181 --fsync no\n"
    "  zkherd ensemble status\n"
    "  zkherd ensemble stop\n";

/* ------------------------------------------------------------------ the command line */

enum long_option { OPTION_SERVERS = 256, OPTION_HEAP, OPTION_FSYNC, OPTION_DATA, OPTION_PORT };

static const struct option start_options[] = {{"servers", required_argument, NULL, OPTION_SERVERS},
                                              {"heap", required_argument, NULL, OPTION_HEAP},
                                              {"fsync", required_argument, NULL, OPTION_FSYNC},
                                              {"data", required_argument, NULL, OPTION_DATA},
                                              {"port", required_argument, NULL, OPTION_PORT},
                                              {"help", no_argument, NULL, 'h'},
                                              {0}};

static const struct option no_options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static bool wrong(const char *option, const char *value, const char *why)
{
    return complain_value("ensemble", option, value, why);
}

static bool parse_number(const char *option, const char *value, uint64_t maximum, const char *why,
                         unsigned *number)
{
    uint64_t parsed;
    if (!text_parse_number(value, 1, maximum, &parsed))
        return wrong(option, value, why);
    *number = (unsigned)parsed;
    return true;
}

static bool parse_servers(const char *value, unsigned *servers)
{
    struct error error = {0};
    if (!parse_number("--servers", value, ENSEMBLE_SERVERS_MAX, "expected 1, 3, 5 or 7", servers))
        return false;
    return ensemble_check_size(*servers, &error) == ERROR_NONE ||
           wrong("--servers", value, error.detail);
}

static bool take(int option, const char *value, void *context)
{
    struct ensemble_options *options = context;
    unsigned port = 0;
    uint64_t heap_mib;
    switch (option) {
    case OPTION_SERVERS:
        return parse_servers(value, &options->servers);
    case OPTION_HEAP:
        if (!arguments_take_number("ensemble", "--heap", value, SERVER_HEAP_MIN_MIB,
                                   SERVER_HEAP_MAX_MIB, &heap_mib))
            return false;
        options->heap_mib = (unsigned)heap_mib;
        return true;
    case OPTION_FSYNC:
        options->fsync = strcmp(value, "yes") == 0;
        return options->fsync || strcmp(value, "no") == 0 ||
               wrong("--fsync", value, "expected yes or no");
    case OPTION_DATA:
        options->data_folder = value;
        return value[0] != '\0' || wrong("--data", value, "expected the name of a folder");
    default:
        if (!parse_number("--port", value, PORT_MAX, "expected a port from 1 to 65535", &port))
            return false;
        options->first_port = (uint16_t)port;
        return true;
    }
}

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
    printf("%s\n", connect_format(connect, 0, false, text, sizeof text));
    return standard_output_flush(error);
}

/* It is told before it is left to itself: if nobody can hear where it is, it ends. */
static enum error_kind start_and_leave(const struct ensemble_options *options,
                                       const struct background_lock *claim, struct error *error)
{
    struct ensemble *ensemble = NULL;
    enum error_kind kind = ensemble_start(options, &ensemble, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = tell(ensemble, error);
    if (kind == ERROR_NONE)
        kind = background_leave(claim, ensemble, error);
    if (kind != ERROR_NONE)
        ensemble_stop(ensemble);
    return kind;
}

static int start(const struct ensemble_options *options)
{
    struct background_lock claim;
    struct error error;
    enum error_kind kind = background_lock(&claim, &error);
    if (kind != ERROR_NONE)
        return complain(&error);
    kind = start_and_leave(options, &claim, &error);
    background_release(&claim);
    return kind == ERROR_NONE ? 0 : complain_about("ensemble", &error);
}

static int status(const struct ensemble_options *options)
{
    struct background_ensemble background;
    struct error error;
    (void)options;
    if (background_find(&background, &error) != ERROR_NONE)
        return complain(&error);
    return ensemble_table_write(&background, stdout) ? 0 : error_exit_status(ERROR_NOT_SERVING);
}

static int stop(const struct ensemble_options *options)
{
    struct error error;
    (void)options;
    return background_stop(&error) == ERROR_NONE ? 0 : complain(&error);
}

static const struct {
    const char *name;
    const struct option *options;
    int (*act)(const struct ensemble_options *options);
} actions[] = {
    {"start", start_options, start},
    {"status", no_options, status},
    {"stop", no_options, stop},
};

int ensemble_main(int argc, char **argv)
{
    struct ensemble_options options = ensemble_options_default();
    options.servers = SERVERS_DEFAULT;
    options.heap_mib = HEAP_DEFAULT_MIB;
    if (argc < 2)
        return complain_usage("ensemble", "action", "expected start, status or stop");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return 0;
    }
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(argv[1], actions[i].name) != 0)
            continue;
        const struct arguments arguments = {"ensemble", help, ":h", actions[i].options, take};
        int status = arguments_take(&arguments, argc - 1, argv + 1, &options, NULL);
        return status == ARGUMENTS_GO ? actions[i].act(&options) : status;
    }
    return complain_usage("ensemble", argv[1], "expected start, status or stop");
}

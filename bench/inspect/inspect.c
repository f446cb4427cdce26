// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/inspect/internal.h"

#include <stdbool.h>
#include <stdlib.h>

/* The time to ask all servers for their connections. */
#define CONNECTIONS_NS (1500 * NS_PER_MS)

static const char usage[] =
    "Usage: zkherd inspect PATH --connect HOSTS[/CHROOT] [OPTION]...\n"
    "Show who holds a lock and who waits for it, in order: session, time in the\n"
    "queue, data of the znode, and, where the servers report them (cons), the\n"
    "client's address and its server. PATH above locks: list the locks below it, the\n"
    "one with the most waiters first, those of one znode last.\n"
    "\n"
    "PATH is the folder of a queue of ephemeral sequential znodes, of zkherd,\n"
    "Curator, kazoo, ZooKeeper's recipes or others, read/write locks included; or the\n"
    "one ephemeral znode that is the lock: its waiters create no znodes and are not\n"
    "known. Nothing is changed.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 2 wrong usage, no such znode, or not one ensemble; 3 the\n"
    "environment.\n"
    "\n"
    "Examples:\n"
    "  zkherd inspect /locks --connect zk1:2181,zk2:2181,zk3:2181\n"
    "  zkherd inspect /locks/orders --connect zk1:2181,zk2:2181,zk3:2181\n"
    "  zkherd inspect /orders --connect zk1:2181,zk2:2181/locks --json\n";

struct inspect {
    const char *path;
    struct connect_string servers; /* count 0: none are given */
    bool json;
    struct browser browser;
    struct connections connections;
    struct survey survey;
};

/* ------------------------------------------------------------------ the command line */

static const struct option_row rows[] = {
    {.name = "--connect",
     OPTION_SERVERS(struct inspect, servers),
     .help = "      --connect HOSTS[/CHROOT]  all servers; without some of them, clients of\n"
             "                                those servers have no address\n"},
    {OPTION_AUTH(struct inspect, servers),
     .help = "      --auth FILE               log in as FILE says, name:password\n"
             "                                [$" ROWS_AUTH_VARIABLE "]\n"},
    ROW_TLS,
    {.name = "--json",
     OPTION_FLAG(struct inspect, json),
     .help = "      --json                    print JSON\n"},
    OPTION_ROW_HELP("  -h, --help                    print this help\n"),
    {0},
};

static int wrong(const char *subject, const char *why)
{
    return complain_usage("inspect", subject, "%s", why);
}

static int parse(int argc, char **argv, struct inspect *inspect)
{
    static const struct arguments arguments = {"inspect", usage, rows, notes, NULL};
    struct error error = {0};
    int first;
    int status = arguments_parse(&arguments, argc, argv, inspect, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return wrong("path", "expected the path of a lock");
    if (first + 1 < argc)
        return wrong(argv[first + 1], "expected one path only");
    inspect->path = argv[first];
    if (connect_check_path(inspect->path, &error) != ERROR_NONE)
        return wrong(inspect->path[0] != '\0' ? inspect->path : "''", error.detail);
    return inspect->servers.count > 0
               ? ARGUMENTS_GO
               : wrong("--connect", "expected the servers, as zk1:2181,zk2:2181");
}

/* ------------------------------------------------------------------ looking */

static void run_inspect(struct inspect *inspect, struct error *error)
{
    inspect->browser.error = error;
    inspect->connections.servers = &inspect->servers;
    browser_open(&inspect->browser, &inspect->servers);
    survey_read(&inspect->browser, inspect->path, &inspect->survey);
    if (error->kind != ERROR_NONE)
        return;
    if (inspect->survey.is_lock) {
        connections_ask(&inspect->connections, CONNECTIONS_NS);
        (inspect->json ? print_lock_json : print_lock)(&inspect->survey.locks[0],
                                                       &inspect->connections);
    } else {
        (inspect->json ? print_survey_json : print_survey)(inspect->path, &inspect->survey);
    }
    ERROR_FIRST(error, standard_output_flush(error));
}

int inspect_main(int argc, char **argv)
{
    struct inspect inspect = {.json = false};
    struct error error = {0};
    int status = parse(argc, argv, &inspect);
    if (status == ARGUMENTS_GO) {
        run_inspect(&inspect, &error);
        status = error.kind == ERROR_NONE     ? 0
                 : error.kind == ERROR_UNREAD ? error_exit_status(error.kind)
                                              : complain(&error);
    }
    browser_close(&inspect.browser);
    free(inspect.connections.list);
    survey_deinit(&inspect.survey);
    identity_free(inspect.servers.identity);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/process.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/subcommands.h"
#include "bench/output/json_result.h"
#include "servers/detached.h"
#include "servers/four_letter.h"
#include "servers/role.h"

#include <inttypes.h>
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

/* The options of status and stop, which show the same help. */
static const struct option_row common_rows[] = {
    {.name = "--json", OPTION_FLAG(struct call, json), .help = ""},
    OPTION_ROW_HELP(""),
    {0},
};

/* ------------------------------------------------------------------ the state of the servers */

#define ASK_NS (2 * NS_PER_S)

/* Texts are printable. */
struct state {
    char address[ENDPOINT_TEXT_SIZE];
    char role[24]; /* or "ended", "no answer", "not serving" */
    pid_t pid;
    bool ended;          /* there is no such process: what follows is not known */
    uint64_t memory_mib; /* resident */
    char version[64];    /* "": not known */
    bool counted;        /* whether the connections are known */
    uint64_t connections;
    bool leads; /* the ensemble serves requests */
};

/* Asks a server, 4 s at most. */
static struct state ask(const struct detached_ensemble *detached, size_t index)
{
    const struct endpoint *endpoint = &detached->connect.endpoints[index];
    struct state state = {.role = "ended", .pid = detached->pids[index]};
    struct four_letter_identity identity;
    struct four_letter_counters counters;
    struct error refusal;
    uint64_t rss_kib;
    endpoint_format(endpoint, state.address, sizeof state.address);
    state.ended = !process_rss_kib(state.pid, &rss_kib);
    if (state.ended)
        return state;
    state.memory_mib = rss_kib / 1024;
    enum error_kind kind = four_letter_identify(endpoint, ASK_NS, &identity, &refusal);
    if (kind != ERROR_NONE) {
        snprintf(state.role, sizeof state.role, "%s",
                 kind == ERROR_NOT_SERVING ? "not serving" : "no answer");
        return state;
    }
    printable_text(identity.mode, state.role, sizeof state.role);
    printable_text(identity.version, state.version, sizeof state.version);
    state.leads = role_leads(role_of_mode(state.role));
    state.counted = four_letter_counters(endpoint, ASK_NS, &counters, &refusal) == ERROR_NONE;
    if (state.counted)
        state.connections = counters.connections - 1; /* the question's own */
    return state;
}

/* Asks each server, and writes a row for it; what is not known is a dash. Returns whether the
 * ensemble serves requests: it has a leader, or is a standalone server. */
static bool write_table(const struct detached_ensemble *detached)
{
    bool serves = false;
    printf("%6s  %-15s  %-11s  %7s  %8s  %-10s  %11s\n", "server", "address", "role", "pid",
           "memory", "version", "connections");
    for (size_t i = 0; i < detached->connect.count; i++) {
        struct state state = ask(detached, i);
        char memory[32] = "-", connections[32] = "-";
        if (!state.ended)
            snprintf(memory, sizeof memory, "%" PRIu64 " MiB", state.memory_mib);
        if (state.counted)
            snprintf(connections, sizeof connections, "%" PRIu64, state.connections);
        printf("%6zu  %-15s  %-11s  %7d  %8s  %-10s  %11s\n", i + 1, state.address, state.role,
               (int)state.pid, memory, state.version[0] != '\0' ? state.version : "-", connections);
        serves = serves || state.leads;
    }
    return serves;
}

/* The same as one object of docs/schema/ensemble.schema.json. *serves is set also on an error. */
/* Returns whether one serves. */
static bool write_json(const struct detached_ensemble *detached)
{
    bool serves = false;
    char connect[CONNECT_TEXT_SIZE];
    json_t *servers = json_array();
    for (size_t i = 0; i < detached->connect.count; i++) {
        struct state state = ask(detached, i);
        json_array_append_new(
            servers,
            json_pack("{s:I, s:s, s:s, s:I, s:o, s:o, s:o}", "server", (json_int_t)i + 1, "address",
                      state.address, "role", state.role, "pid", (json_int_t)state.pid, "memory_mib",
                      state.ended ? json_null() : json_integer((json_int_t)state.memory_mib),
                      "version", json_result_text(state.version), "connections",
                      state.counted ? json_integer((json_int_t)state.connections) : json_null()));
        serves = serves || state.leads;
    }
    connect_format(&detached->connect, false, connect, sizeof connect);
    json_result_write(
        json_pack("{s:s, s:b, s:o}", "connect", connect, "serves", (int)serves, "servers", servers),
        stdout);
    return serves;
}

/* ------------------------------------------------------------------ start, status, stop */

/* Standard output has the connect string alone. */
static enum error_kind tell(const struct ensemble *ensemble, struct error *error)
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

/* The connect string is printed first: if it cannot be printed, the ensemble ends. */
static enum error_kind tell_and_leave(const struct detached_lock *claim, struct ensemble *ensemble,
                                      struct error *error)
{
    enum error_kind kind = tell(ensemble, error);
    if (kind == ERROR_NONE)
        kind = detached_leave(claim, ensemble, error);
    if (kind != ERROR_NONE)
        ensemble_stop(ensemble);
    return kind;
}

/* The same with JSON, which the state of an ensemble that was left is in. */
static enum error_kind leave_and_tell(const struct detached_lock *claim, struct ensemble *ensemble,
                                      struct error *error)
{
    struct detached_ensemble detached;
    struct error ignored;
    enum error_kind kind = detached_leave(claim, ensemble, error);
    if (kind != ERROR_NONE) {
        ensemble_stop(ensemble);
        return kind;
    }
    kind = detached_find(&detached, error);
    if (kind == ERROR_NONE) {
        (void)write_json(&detached);
        kind = standard_output_flush(error);
    }
    if (kind != ERROR_NONE)
        (void)!detached_stop(&ignored);
    return kind;
}

static enum error_kind start_and_leave(const struct call *call, const struct detached_lock *claim,
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
    struct detached_lock claim;
    struct error error;
    enum error_kind kind = detached_lock(&claim, &error);
    if (kind != ERROR_NONE)
        return complain(&error);
    kind = start_and_leave(call, &claim, &error);
    detached_release(&claim);
    return kind == ERROR_NONE ? 0 : complain_about("ensemble", &error);
}

static int status(const struct call *call)
{
    struct detached_ensemble detached;
    struct error error;
    if (detached_find(&detached, &error) != ERROR_NONE)
        return complain(&error);
    bool serves = call->json ? write_json(&detached) : write_table(&detached);
    return serves ? 0 : error_exit_status(ERROR_NOT_SERVING);
}

/* Afterwards the servers are asked, too: each has ended. */
static int stop(const struct call *call)
{
    struct detached_ensemble detached;
    struct error error;
    if (call->json && detached_find(&detached, &error) != ERROR_NONE)
        return complain(&error);
    if (detached_stop(&error) != ERROR_NONE)
        return complain(&error);
    if (call->json)
        (void)write_json(&detached);
    return 0;
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

// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/plan_limits_lead.h"

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/limits/plan_limits.h"
#include "bench/limits/plan_limits_command_line.h"
#include "bench/limits/plan_limits_json.h"
#include "bench/limits/plan_limits_table.h"
#include "servers/connection_limit.h"
#include "servers/tcp.h"

#include <stdio.h>
#include <string.h>

#define ASK_NS     (5 * NS_PER_S)
#define CONNECT_NS (10 * NS_PER_S)

/* What this host and the options say, for so many servers. */
static struct plan_given give(const struct plan_limits_options *options, uint64_t servers)
{
    return (struct plan_given){
        .jute_maxbuffer_bytes = options->jute_maxbuffer_bytes,
        .lock_length = strlen(options->target.servers.chroot) + strlen(options->lock),
        .servers = servers,
        .descriptors = machine_descriptors(),
        .local_ports = machine_local_ports(),
        .clients = options->clients,
    };
}

/* As servers/server_config.h configures them: any number of connections, the descriptors of this
 * process. */
static struct server_limits limits_of_private(const struct plan_limits_options *options)
{
    uint64_t descriptors = machine_descriptors();
    return (struct server_limits){
        .connections = 0,
        .descriptors = descriptors,
        .heap_bytes = (uint64_t)options->target.heap_mib << 20,
    };
}

/* How many connections a server allows that does not tell; the clients' share of them is tried. */
static enum error_kind try_connections(const struct endpoint *server, uint64_t wanted,
                                       struct server_limits *limits, struct error *error)
{
    uint64_t room;
    enum error_kind kind = connection_limit_try(server, wanted, CONNECT_NS, &room, error);
    if (kind == ERROR_NONE && room != CONNECTION_LIMIT_ENOUGH)
        limits->connections = room;
    return kind;
}

static enum error_kind ask_server(struct endpoint *server, uint64_t wanted,
                                  struct server_limits *limits, struct error *error)
{
    enum error_kind kind = tcp_resolve(server, ASK_NS, error);
    if (kind == ERROR_NONE)
        kind = server_limits_ask(server, ASK_NS, limits, error);
    if (kind == ERROR_NONE && limits->connections == FOUR_LETTER_UNTOLD && wanted > 0)
        kind = try_connections(server, wanted, limits, error);
    return kind;
}

/* The lowest limits of the servers of --connect. */
static enum error_kind ask_servers(struct connect_string *servers, uint64_t clients,
                                   struct server_limits *lowest, struct error *error)
{
    uint64_t wanted = (clients + servers->count - 1) / servers->count;
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < servers->count; i++) {
        struct server_limits limits;
        kind = ask_server(&servers->endpoints[i], wanted, &limits, error);
        if (kind == ERROR_NONE && i == 0)
            *lowest = limits;
        else if (kind == ERROR_NONE)
            server_limits_heed(lowest, &limits);
    }
    return kind;
}

/* Prints a target's limits, or appends them to the results of --json; returns the exit status. */
static int tell(const struct plan_limits_options *options, const char *name,
                const struct plan_given *given, json_t *results)
{
    struct error error;
    if (options->output.json)
        json_array_append_new(results, plan_limits_json(options, name, given));
    else if (!options->output.quiet &&
             plan_limits_table_write(options, name, given, stdout, &error) != ERROR_NONE)
        return complain(&error);
    return plan_limits_table_complain(options, name, given) > 0 ? 1 : 0;
}

static int tell_private(const struct plan_limits_options *options, json_t *results)
{
    int status = 0;
    for (size_t i = 0; i < options->target.topology_count; i++) {
        char name[32];
        uint64_t count = options->target.server_counts[i];
        struct plan_given given = give(options, count);
        given.lowest = limits_of_private(options);
        snprintf(name, sizeof name, "%llu private server%s", (unsigned long long)count,
                 count == 1 ? "" : "s");
        if (i > 0 && !options->output.quiet && !options->output.json)
            putchar('\n');
        int found = tell(options, name, &given, results);
        status = found > status ? found : status;
    }
    return status;
}

static int tell_connected(struct plan_limits_options *options, json_t *results)
{
    struct connect_string *servers = &options->target.servers;
    struct plan_given given = give(options, servers->count);
    struct error error;
    char name[CONNECT_TEXT_SIZE];
    connect_format(servers, false, name, sizeof name);
    if (ask_servers(servers, options->clients, &given.lowest, &error) != ERROR_NONE)
        return complain(&error);
    return tell(options, name, &given, results);
}

static int tell_all(struct plan_limits_options *options)
{
    json_t *results = json_array();
    struct error error;
    int status =
        options->target.connect ? tell_connected(options, results) : tell_private(options, results);
    if (options->output.json && json_array_size(results) > 0 &&
        plan_limits_json_write(results, status, stdout, &error) != ERROR_NONE)
        status = complain(&error);
    json_decref(results);
    return status;
}

int plan_limits_main(int argc, char **argv)
{
    struct plan_limits_options options;
    int status = plan_limits_command_line_parse(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status = tell_all(&options);
    plan_limits_command_line_deinit(&options);
    return status;
}

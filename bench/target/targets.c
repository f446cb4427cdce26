// SPDX-License-Identifier: Apache-2.0
/* Several targets; and what excludes some of their options and numbers of clients. */
#include "bench/target/target.h"

#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "servers/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASK_NS (2 * NS_PER_S)

bool targets_rest(const struct targets *targets, int most_ms)
{
    struct pollfd signals = {.fd = targets->signals, .events = POLLIN};
    return poll(&signals, 1, most_ms) > 0;
}

enum error_kind targets_open(struct targets *targets, const struct target_options *options,
                             uint64_t most_sessions, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *targets = (struct targets){.count = options->topology_count, .signals = -1};
    if (options->connect)
        kind = target_find(options, most_sessions, &targets->list[0], error);
    targets->signals = signals_block();
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_open(options, i, targets->signals, &targets->list[i], error);
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_make_root(&targets->list[i], targets->signals, error);
    return kind;
}

void targets_close(struct targets *targets, struct error *left)
{
    for (size_t i = 0; i < targets->count; i++)
        (void)!target_close(&targets->list[i], left);
}

void targets_deinit(struct targets *targets, const char *out)
{
    if (targets->made_out)
        rmdir(out);
    if (targets->signals >= 0)
        close(targets->signals);
    *targets = (struct targets){.signals = -1};
}

enum error_kind targets_find_cause(const struct targets *targets, enum error_kind kind,
                                   struct error *error)
{
    for (size_t i = 0; i < targets->count; i++)
        kind = target_find_cause(&targets->list[i], kind, error);
    return kind;
}

void targets_tell_absent(const struct target_options *options)
{
    struct connect_string serving = options->servers;
    char text[CONNECT_TEXT_SIZE];
    serving.count = 0;
    for (size_t i = 0; options->connect && i < options->servers.count; i++) {
        struct endpoint endpoint = options->servers.endpoints[i];
        struct four_letter_identity ignored;
        struct error error;
        if (tcp_resolve(&endpoint, ASK_NS, &error) == ERROR_NONE &&
            target_identify(&endpoint, ASK_NS, &ignored, &error) == ERROR_NONE)
            serving.endpoints[serving.count++] = options->servers.endpoints[i];
    }
    if (serving.count > 0 && serving.count < options->servers.count)
        complain_mildly("a server that does not serve may be left out: --connect %s",
                        connect_typed(&serving, text, sizeof text));
}

enum error_kind targets_folder(struct targets *targets, size_t topology, const char *out,
                               char folder[PATH_MAX], const char **path, struct error *error)
{
    *path = out;
    if (out == NULL || out[0] == '\0' || targets->count == 1)
        return ERROR_NONE;
    if (topology == 0 && mkdir(out, 0777) != 0)
        return error_from_errno(error, errno, out, "cannot make the folder");
    targets->made_out = true;
    snprintf(folder, PATH_MAX, "%s/%s", out, targets->list[topology].name);
    *path = folder;
    return ERROR_NONE;
}

void targets_describe_versions(const struct target *target, char *text, size_t size)
{
    size_t length = 0;
    const char *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < target->servers.count && length < size; i++) {
        const char *version = target->identities[i].version;
        char server[ENDPOINT_TEXT_SIZE];
        if (!target->identities[i].talks)
            continue;
        length += (size_t)snprintf(
            text + length, size - length, "%s%s runs %s", first == NULL ? "" : ", ",
            endpoint_format(&target->servers.endpoints[i], server, sizeof server), version);
        differ = differ || (first != NULL && strcmp(first, version) != 0);
        first = first == NULL ? version : first;
    }
    if (!differ)
        text[0] = '\0';
}

/* ------------------------------------------------------------------ options */

const char *target_private_option(const struct target_options *target)
{
    return target->home_count > 0    ? "--zookeeper"
           : target->heap_given      ? "--heap"
           : target->cpu_percent > 0 ? "--server-cpus"
           : target->fsync_given     ? "--fsync"
           : target->data != NULL    ? "--data"
                                     : NULL;
}

bool target_conflicts(const char *subcommand, const struct target_options *target,
                      uint32_t processes)
{
    bool simulated = target->driver == DRIVER_SIMULATED;
    const char *given = target_private_option(target);
    const char *lacks = rows_acl_lacks(&target->servers);
    bool is_closed = target->servers.identity != NULL && target->servers.identity->creator;
    const struct {
        bool found;
        const char *option, *value, *why;
    } conflicts[] = {
        {simulated && target->connect, "--driver simulated", "with --connect",
         "a simulation has servers of its own"},
        {simulated && processes > 1, "--driver simulated", "with --processes",
         "a simulation runs in one process"},
        {target->connect && target->servers_given, "--servers", "with --connect",
         "give existing servers, or have private ones started"},
        {!target->connect && target->placement == PLACEMENT_FOLLOWERS &&
             target->server_counts[0] == 1,
         "--placement", "followers", "a standalone server has no followers"},
        {target->auth_given && !target->connect, "--auth", "without --connect",
         "private servers ask nobody"},
        {is_closed && !target->connect, "--acl", "creator", "private servers have no other users"},
        {lacks != NULL, "--acl", "creator", lacks},
        {given != NULL && target->connect, given, "with --connect",
         "only private servers are configured by zkherd"},
        {given != NULL && simulated, given, "with --driver simulated",
         "a simulation has no server process"},
    };
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        if (conflicts[i].found)
            return !complain_value(subcommand, conflicts[i].option, conflicts[i].value,
                                   conflicts[i].why);
    }
    return false;
}

/* ------------------------------------------------------------------ limits of connections */

/* So many numbers are named one by one. */
#define LISTED_MAX 6

static uint64_t share_of(uint64_t sessions, const struct connect_string *servers)
{
    return (sessions + servers->count - 1) / servers->count;
}

struct target_limit target_limit_of(const struct connect_string *servers, const uint64_t rooms[],
                                    uint64_t most, uint64_t companions)
{
    struct target_limit limit = {.sessions = UINT64_MAX,
                                 .reserved = TARGET_LIMIT_RESERVED + share_of(companions, servers)};
    for (size_t i = 0; i < servers->count; i++) {
        uint64_t own = rooms[i] > limit.reserved ? rooms[i] - limit.reserved : 0;
        /* The sessions of server j are j, j + count, j + 2 count … */
        uint64_t sessions = own == 0 ? 0 : own * servers->count + i;
        if (own >= share_of(most, servers) || sessions >= limit.sessions)
            continue;
        limit.sessions = sessions;
        limit.room = rooms[i];
        endpoint_typed(&servers->endpoints[i], limit.server, sizeof limit.server);
    }
    return limit;
}

/* "64, 128 and 256" */
static void list_left_out(const struct levels *clients, char *text, size_t size)
{
    const uint64_t *out = clients->list + clients->count;
    size_t length = 0, count = clients->left_out;
    if (count > LISTED_MAX) {
        snprintf(text, size, "%llu to %llu (%zu client counts)", (unsigned long long)out[0],
                 (unsigned long long)out[count - 1], count);
        return;
    }
    for (size_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%llu",
                                   i == 0           ? ""
                                   : i == count - 1 ? " and "
                                                    : ", ",
                                   (unsigned long long)out[i]);
}

/* Six or more levels that the servers allow, if there are so many. */
static void suggest_levels(uint64_t sessions, char *text, size_t size)
{
    text[0] = '\0';
    unsigned long long step = sessions >= 48 ? 8 : sessions / 6;
    if (sessions >= 6)
        snprintf(text, size, "-n %llu..%llu+%llu, ", step, sessions - sessions % step, step);
}

static void explain(const struct target_limit *limit, uint64_t max_clients,
                    const struct levels *clients, char *text, size_t size)
{
    char left_out[160], levels[48];
    list_left_out(clients, left_out, sizeof left_out);
    if (max_clients < limit->sessions) {
        snprintf(text, size, "n = %s left out: --max-clients %llu", left_out,
                 (unsigned long long)max_clients);
        return;
    }
    suggest_levels(limit->sessions, levels, sizeof levels);
    snprintf(text, size,
             "n = %s left out: %s takes %llu connections from this host at a time "
             "(maxClientCnxns), %llu of them for zkherd's own use; use %smaxClientCnxns=0 in the "
             "server's zoo.cfg, or more servers of its ensemble",
             left_out, limit->server, (unsigned long long)limit->room,
             (unsigned long long)limit->reserved, levels);
}

enum error_kind target_limit_fit(const struct target_limit *limit, uint64_t max_clients,
                                 struct levels *clients, char *text, size_t size,
                                 struct error *error)
{
    uint64_t most = limit->sessions < max_clients ? limit->sessions : max_clients;
    text[0] = '\0';
    while (clients->count > 0 && clients->list[clients->count - 1] > most) {
        clients->count--;
        clients->left_out++;
    }
    if (clients->count == 0)
        return error_raise(
            error, ERROR_CONNECTION_LIMIT, 0, limit->server,
            "%llu at a time (maxClientCnxns), %llu of them for zkherd's own use, and the "
            "smallest number of --clients is %llu",
            (unsigned long long)limit->room, (unsigned long long)limit->reserved,
            (unsigned long long)clients->list[0]);
    if (clients->left_out > 0)
        explain(limit, max_clients, clients, text, size);
    return ERROR_NONE;
}

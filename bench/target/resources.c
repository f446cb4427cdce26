// SPDX-License-Identifier: Apache-2.0
#include "bench/target/resources.h"

#include "base/cores.h"
#include "base/error.h"
#include "bench/cli/machine.h"
#include "bench/target/target.h"
#include "client/library.h"
#include "recipes/law.h"
#include "servers/cpu_share.h"
#include "servers/ensemble.h"

#include <stdio.h>
#include <unistd.h>

enum error_kind resources_check(const struct target_options *options, uint64_t sessions,
                                uint32_t processes, struct error *error)
{
    bool on_threads = options->driver == DRIVER_THREADS;
    uint64_t servers = 0, in_one_process = (sessions + processes - 1) / processes;
    struct library library;
    if (options->driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    /* The set-up session is always on events. */
    if (library_load(LIBRARY_ST, NULL, &library, error) ||
        (on_threads && library_load(LIBRARY_MT, NULL, &library, error)))
        return error->kind;
    /* The servers of all topologies run beside each other. */
    for (size_t i = 0; !options->connect && i < options->topology_count; i++)
        servers += options->server_counts[i];
    if (servers > 0 && ensemble_check_memory((unsigned)servers, options->heap_mib, error))
        return error->kind;
    if (on_threads) /* the multi-threaded library has a pipe for each session beside its socket */
        in_one_process *= 3;
    /* A private server has all sessions in one process. */
    return machine_allow_descriptors(
        options->connect || in_one_process > sessions ? in_one_process : sessions, error);
}

const char *resources_warning(const struct target_options *options, size_t server_count)
{
    if ((double)options->cpu_percent * (double)server_count <= cores_allowed() * 100)
        return NULL;
    return "the shares of --server-cpus add up to more than the cores that zkherd may use: the "
           "servers may get less";
}

/* ------------------------------------------------------------------ shares of the cores */

uint32_t resources_share_of(double cores, uint32_t processes, uint64_t servers)
{
    double driver = processes < cores / 2 ? processes : cores / 2;
    uint32_t percent = (uint32_t)((cores - driver) * 100 / (double)servers);
    return percent >= SERVER_CPU_MIN_PERCENT ? percent : 0;
}

const char *resources_find_share(uint32_t processes, uint64_t servers, uint32_t *percent,
                                 char *text, size_t size)
{
    struct cpu_share trial; /* nothing is put in it */
    struct error error;
    char name[48];
    uint32_t share = resources_share_of(cores_allowed(), processes, servers);
    if (share == 0)
        return "there are too few cores for a share of each server";
    snprintf(name, sizeof name, "zkherd-trial-%d", (int)getpid());
    if (cpu_share_new(name, share, &trial, &error)) {
        snprintf(text, size, "%s: %s", error.subject, error.detail);
        return text;
    }
    cpu_share_remove(&trial);
    *percent = share;
    return NULL;
}

/* A comparison with NaN is false. */
bool resources_are_starved(double server_cores, uint64_t servers, uint32_t percent)
{
    double shares = (double)servers * percent / 100;
    return server_cores * 100 < RESOURCES_SATURATED_PERCENT * shares;
}

/* ------------------------------------------------------------------ limits of connections */

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

enum error_kind target_limit_fit(const struct target_limit *limit, uint64_t max_clients,
                                 struct levels *clients, char *text, size_t size,
                                 struct error *error)
{
    uint64_t most = limit->sessions < max_clients ? limit->sessions : max_clients;
    char why[ENDPOINT_TEXT_SIZE + 400], to[32] = "";
    text[0] = '\0';
    for (; clients->count > 0 && clients->list[clients->count - 1] > most; clients->left_out++)
        clients->count--;
    if (clients->count == 0)
        return error_raise(
            error, ERROR_CONNECTION_LIMIT, 0, limit->server,
            "%llu at a time (maxClientCnxns), %llu of them for zkherd's own use, and the "
            "smallest number of --clients is %llu",
            (unsigned long long)limit->room, (unsigned long long)limit->reserved,
            (unsigned long long)clients->list[0]);
    if (clients->left_out == 0)
        return ERROR_NONE;
    const uint64_t *out = clients->list + clients->count;
    if (clients->left_out > 1)
        snprintf(to, sizeof to, " to %llu", (unsigned long long)out[clients->left_out - 1]);
    if (max_clients < limit->sessions)
        snprintf(why, sizeof why, "--max-clients %llu", (unsigned long long)max_clients);
    else
        snprintf(why, sizeof why,
                 "%s takes %llu connections from this host at a time (maxClientCnxns), %llu of "
                 "them for zkherd's own use; use fewer clients, maxClientCnxns=0 in the server's "
                 "zoo.cfg, or more servers of its ensemble",
                 limit->server, (unsigned long long)limit->room,
                 (unsigned long long)limit->reserved);
    snprintf(text, size, "n = %llu%s left out: %s", (unsigned long long)out[0], to, why);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ traffic */

struct resources_traffic resources_traffic_of(const struct trial_plan *plan)
{
    struct tally total = {0};
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        uint64_t handoffs = plan_handoffs_of(plan, lock);
        /* The handoffs of a trial by time are unknown beforehand: one round is counted. */
        uint64_t share = plan_clients_of(plan, lock);
        if (handoffs == UINT64_MAX)
            handoffs = share;
        if (recipe_has_law(plan->recipe))
            law_total(plan->recipe, share, handoffs, &total);
        else /* no law: the first try of each, its release, and a retry */
            tally_add(&total, TALLY_CREATE, 3 * handoffs);
    }
    const uint64_t *of = total.of;
    return (struct resources_traffic){.rpcs = tally_rpcs(&total),
                                      .transactions = of[TALLY_CREATE] + of[TALLY_SET] +
                                                      of[TALLY_DELETE] + of[TALLY_MULTI] +
                                                      2 * (uint64_t)plan->fleet.sessions};
}

// SPDX-License-Identifier: Apache-2.0
#include "sim/sim.h"

#include "base/memory.h"
#include "sim/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* The tree holds /zookeeper and what is in it; a server counts the root twice. */
#define ROOT_AGAIN 1

struct sim_options sim_options_default(void)
{
    return (struct sim_options){
        .servers = 1,
        .seed = 1,
        .costs = {.network_ns = 80000,
                  .network_jitter_ns = 20000,
                  .read_ns = 15000,
                  .name_ns = 50,
                  .order_ns = 10000,
                  .apply_ns = 10000,
                  .notification_ns = 5000,
                  .sync_ns = 350000},
    };
}

enum error_kind sim_new(const struct sim_options *options, struct sim **sim, struct error *error)
{
    if (options->servers < 1 || options->servers > SIM_SERVERS_MAX)
        return error_raise(error, ERROR_USAGE, 0, "simulation", "%u servers: 1 to %d",
                           options->servers, SIM_SERVERS_MAX);
    struct sim *made = memory_new(1, sizeof *made);
    made->options = *options;
    made->servers = memory_new(options->servers, sizeof *made->servers);
    slab_init(&made->slab);
    paths_init(&made->paths, &made->slab);
    agenda_init(&made->agenda, &made->slab);
    random_init(&made->random, options->seed);
    watches_init(&made->client_watches, &made->slab, &made->paths);
    made->receive = sim_session_receive;
    made->notify = sim_session_notify;
    sim_leader_init(&made->leader, made);
    for (unsigned i = 0; i < options->servers; i++)
        sim_server_init(&made->servers[i], made, i);
    *sim = made;
    return ERROR_NONE;
}

void sim_free(struct sim *sim)
{
    if (sim == NULL)
        return;
    for (uint32_t i = 1; i <= sim->session_count; i++)
        client_deinit(&sim->sessions[i]->client);
    slab_deinit(&sim->slab);
    free(sim->servers);
    free(sim);
}

const char *sim_mode(unsigned servers, unsigned server)
{
    if (servers == 1)
        return "standalone";
    return server == servers - 1 ? "leader" : "follower";
}

enum error_kind sim_open(struct sim *sim, unsigned server, uint32_t timeout_ms, uint32_t depth,
                         const struct client_listener *listener, void *owner,
                         struct client **client, struct error *error)
{
    if (server >= sim->options.servers)
        return error_raise(error, ERROR_USAGE, 0, "simulation", "no server %u", server);
    struct client made = {.listener = listener, .owner = owner};
    enum error_kind kind = client_init(&made, depth, error);
    if (kind == ERROR_NONE)
        *client = &sim_session_new(sim, server, timeout_ms, &made)->client;
    return kind;
}

void sim_close(struct client *client)
{
    sim_session_close((struct sim_session *)client);
}

void sim_expire(struct client *client)
{
    sim_leader_expire((struct sim_session *)client);
}

bool sim_step(struct sim *sim)
{
    return agenda_step(&sim->agenda);
}

uint64_t sim_now_ns(const struct sim *sim)
{
    return sim->agenda.now_ns;
}

uint64_t sim_next_ns(const struct sim *sim)
{
    return agenda_next_ns(&sim->agenda);
}

void sim_advance(struct sim *sim, uint64_t until_ns)
{
    agenda_advance(&sim->agenda, until_ns);
}

void sim_at(struct sim *sim, uint64_t due_ns, void (*call)(void *context), void *context)
{
    agenda_add(&sim->agenda, due_ns, call, context);
}

uint64_t sim_zxid(struct sim *sim, unsigned server)
{
    sim->servers[server].counters.packets_received++;
    return sim->servers[server].zxid;
}

void sim_counters(struct sim *sim, unsigned server, struct four_letter_counters *counters)
{
    struct sim_server *asked = &sim->servers[server];
    asked->counters.packets_received++;
    *counters = asked->counters;
    counters->watch_count = asked->watches.count;
    counters->ephemerals_count = asked->tree.ephemerals;
    counters->connections = 1;
    counters->znode_count = asked->tree.count + ROOT_AGAIN;
#define X(name, keys) counters->name = FOUR_LETTER_UNTOLD;
    FOUR_LETTER_UNTOLD_STATES(X)
#undef X
    snprintf(counters->mode, sizeof counters->mode, "%s", sim_mode(sim->options.servers, server));
    for (uint32_t i = 1; i <= sim->session_count; i++)
        counters->connections +=
            sim->sessions[i]->linked && sim->sessions[i]->link_server == server;
}

// SPDX-License-Identifier: Apache-2.0
#include "zk/simulated.h"

#include "zk/member.h"
#include "zk/quorum.h"
#include "zk/session.h"
#include "zk/world.h"

#include <errno.h>
#include <stdlib.h>

struct simulated_options simulated_options_default(void)
{
    return (struct simulated_options){
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

enum fault_kind simulated_new(const struct simulated_options *options, struct simulated **world,
                              struct fault *fault)
{
    if (options->servers < 1 || options->servers > SIMULATED_SERVERS_MAX)
        return fault_raise(fault, FAULT_USAGE, 0, "simulation", "%u servers: 1 to %d",
                           options->servers, SIMULATED_SERVERS_MAX);
    struct simulated *made = calloc(1, sizeof *made);
    struct member *members = calloc(options->servers, sizeof *members);
    if (made == NULL || members == NULL) {
        free(made);
        free(members);
        return fault_from_errno(fault, ENOMEM, "simulation", "of %u servers", options->servers);
    }
    made->options = *options;
    made->members = members;
    slab_init(&made->slab);
    paths_init(&made->paths, &made->slab);
    agenda_init(&made->agenda, &made->slab);
    random_init(&made->random, options->seed);
    watches_init(&made->client_watches, &made->slab, &made->paths);
    quorum_init(&made->quorum, made);
    for (unsigned i = 0; i < options->servers; i++)
        member_init(&members[i], made, i);
    *world = made;
    return FAULT_NONE;
}

void simulated_free(struct simulated *world)
{
    if (world == NULL)
        return;
    slab_deinit(&world->slab);
    free(world->members);
    free(world);
}

const char *simulated_mode(unsigned servers, unsigned server)
{
    if (servers == 1)
        return "standalone";
    return server == servers - 1 ? "leader" : "follower";
}

enum fault_kind simulated_open(struct simulated *world, unsigned server, uint32_t timeout_ms,
                               const struct client_listener *listener, void *owner,
                               struct client **client, struct fault *fault)
{
    if (server >= world->options.servers)
        return fault_raise(fault, FAULT_USAGE, 0, "simulation", "no server %u", server);
    *client = &session_new(world, server, timeout_ms, listener, owner)->client;
    return FAULT_NONE;
}

static struct session *of_client(struct client *client)
{
    return (struct session *)client;
}

void simulated_close(struct client *client)
{
    session_close(of_client(client));
}

void simulated_expire(struct client *client)
{
    quorum_expire(of_client(client));
}

bool simulated_step(struct simulated *world)
{
    return agenda_step(&world->agenda);
}

uint64_t simulated_now_ns(const struct simulated *world)
{
    return world->agenda.now_ns;
}

uint64_t simulated_next_ns(const struct simulated *world)
{
    return agenda_next_ns(&world->agenda);
}

void simulated_advance(struct simulated *world, uint64_t until_ns)
{
    agenda_advance(&world->agenda, until_ns);
}

void simulated_at(struct simulated *world, uint64_t due_ns, void (*call)(void *context),
                  void *context)
{
    agenda_add(&world->agenda, due_ns, call, context);
}

uint64_t simulated_zxid(struct simulated *world, unsigned server)
{
    return member_zxid(&world->members[server]);
}

void simulated_counters(struct simulated *world, unsigned server, struct admin_counters *counters)
{
    member_counters(&world->members[server], counters);
}

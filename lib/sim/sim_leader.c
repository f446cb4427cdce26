// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

void sim_leader_init(struct sim_leader *leader, struct sim *sim)
{
    *leader = (struct sim_leader){.leader = sim->options.servers - 1};
    tree_init(&leader->tree, &sim->slab, &sim->paths);
}

static void decide(struct sim_leader *leader, struct message *message)
{
    struct sim_session *session = message->session;
    message->zxid = ++leader->zxid;
    if (message->kind == MESSAGE_REQUEST && session->ended) {
        message->status = ZK_SESSION_EXPIRED;
        return;
    }
    if (message->kind == MESSAGE_CLOSE || message->kind == MESSAGE_EXPIRE) {
        message_fill_deletions(message, &session->sim->paths, &leader->tree, session->number);
        session->ended = true;
    }
    if (message->change_count > 0)
        message->status =
            tree_carry_out(&leader->tree, message->zxid, message->changes, message->change_count);
}

/* Inserts a time into times in ascending order. */
static void insert(uint64_t *times, unsigned count, uint64_t time)
{
    unsigned at = count;
    for (; at > 0 && times[at - 1] > time; at--)
        times[at] = times[at - 1];
    times[at] = time;
}

/* When the leader learns that more than half of the servers have the write on their disks.
 * Acknowledgements of a server keep their order, and so do commits. */
static uint64_t commit_ns(struct sim *sim, uint64_t proposed_ns)
{
    uint64_t acknowledged[SIM_SERVERS_MAX] = {0};
    unsigned servers = sim->options.servers, leader = sim->leader.leader;
    for (unsigned i = 0; i < servers; i++) {
        struct sim_server *server = &sim->servers[i];
        uint64_t there = i == leader ? 0 : sim_hop_ns(sim);
        uint64_t back = i == leader ? 0 : sim_hop_ns(sim);
        server->proposal_ns = sim_later(server->proposal_ns, proposed_ns + there);
        uint64_t synced_ns = sim_server_sync(server, server->proposal_ns);
        server->acknowledged_ns = sim_later(server->acknowledged_ns, synced_ns + back);
        insert(acknowledged, i, server->acknowledged_ns);
    }
    sim->leader.commit_ns = sim_later(sim->leader.commit_ns, acknowledged[servers / 2]);
    return sim->leader.commit_ns;
}

void sim_leader_order(void *context)
{
    struct message *message = context;
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.leader];
    if (sim_turn_puts_off(leader, sim_leader_order, message))
        return;
    sim_work(sim, &leader->cpu, 0, sim->options.costs.order_ns);
    decide(&sim->leader, message);
    if (!sim_turn_keeps_write(leader, message))
        sim_leader_propose(message);
}

void sim_leader_propose(struct message *message)
{
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.leader];
    uint64_t committed_ns = commit_ns(sim, leader->cpu.idle_ns);
    message->references = sim->options.servers;
    for (unsigned i = 0; i < sim->options.servers; i++) {
        uint64_t there = i == leader->index ? 0 : sim_hop_ns(sim);
        sim_server_queue(&sim->servers[i], message, committed_ns + there);
    }
}

void sim_leader_expire(void *context)
{
    struct sim_session *session = context;
    if (!session->ended)
        sim_leader_order(message_new(&session->sim->paths, MESSAGE_EXPIRE, session));
}

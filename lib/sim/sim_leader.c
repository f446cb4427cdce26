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

/* When the server's disk has synced what it is given at this time, which joins the next sync if
 * that has not begun yet. Times must not decrease. */
static uint64_t sync_disk(struct sim_server *server, uint64_t comes_ns)
{
    if (comes_ns > server->sync_begins_ns || server->sync_ends_ns == 0) {
        server->sync_begins_ns = sim_later(comes_ns, server->sync_ends_ns);
        server->sync_ends_ns = server->sync_begins_ns + server->sim->options.costs.sync_ns;
    }
    return server->sync_ends_ns;
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
        uint64_t synced_ns = sync_disk(server, server->proposal_ns);
        server->acknowledged_ns = sim_later(server->acknowledged_ns, synced_ns + back);
        unsigned at = i; /* in ascending order */
        for (; at > 0 && acknowledged[at - 1] > server->acknowledged_ns; at--)
            acknowledged[at] = acknowledged[at - 1];
        acknowledged[at] = server->acknowledged_ns;
    }
    sim->leader.commit_ns = sim_later(sim->leader.commit_ns, acknowledged[servers / 2]);
    return sim->leader.commit_ns;
}

/* Every server carries the write out, which leaves when the leader's CPU has done what it has. */
static void propose(struct sim_server *leader, struct message *message)
{
    struct sim *sim = leader->sim;
    uint64_t committed_ns = commit_ns(sim, leader->idle_ns);
    message->references = sim->options.servers;
    for (unsigned i = 0; i < sim->options.servers; i++) {
        uint64_t there = i == leader->index ? 0 : sim_hop_ns(sim);
        sim_server_carry_out(&sim->servers[i], message, committed_ns + there);
    }
}

/* A sync goes back when all that was proposed before is committed. */
static void send_back(struct sim_server *leader, struct message *message)
{
    struct sim *sim = leader->sim;
    uint64_t committed_ns = sim_later(sim->leader.commit_ns, leader->idle_ns);
    sim_server_carry_out(&sim->servers[message->server], message, committed_ns + sim_hop_ns(sim));
}

void sim_leader_order(void *context)
{
    struct message *message = context;
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.leader];
    sim_server_work(leader, sim->options.costs.order_ns);
    if (message_is_write(message)) {
        decide(&sim->leader, message);
        propose(leader, message);
    } else {
        send_back(leader, message);
    }
}

void sim_leader_expire(void *context)
{
    struct sim_session *session = context;
    if (!session->ended)
        sim_leader_order(message_new(&session->sim->paths, MESSAGE_EXPIRE, session));
}

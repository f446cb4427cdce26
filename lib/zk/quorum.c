// SPDX-License-Identifier: Apache-2.0
#include "zk/quorum.h"

#include "zk/member.h"

void quorum_init(struct quorum *quorum, struct simulated *world)
{
    *quorum = (struct quorum){.leader = world->options.servers - 1};
    tree_init(&quorum->tree, &world->slab, &world->paths);
}

/* What the write does, and whether it can. */
static void decide(struct quorum *quorum, struct errand *errand)
{
    struct session *session = errand->session;
    errand->zxid = ++quorum->zxid;
    if (errand->kind == ERRAND_REQUEST && session->ended) {
        errand->status = ZK_SESSION_EXPIRED;
        return;
    }
    if (errand->kind == ERRAND_CLOSE || errand->kind == ERRAND_EXPIRE) {
        errand_fill_deletions(errand, &session->world->paths, &quorum->tree, session->number);
        session->ended = true;
    }
    if (errand->change_count > 0)
        errand->status =
            tree_carry_out(&quorum->tree, errand->zxid, errand->changes, errand->change_count);
}

/* Puts a time where it belongs among those before it, which rise. */
static void insert(uint64_t *times, unsigned count, uint64_t time)
{
    unsigned at = count;
    for (; at > 0 && times[at - 1] > time; at--)
        times[at] = times[at - 1];
    times[at] = time;
}

/*
 * When more than half have it on their disks, as the leader learns it. A later acknowledgement of a
 * server never overtakes an earlier one, and a commit none before it.
 */
static uint64_t commit_ns(struct simulated *world, uint64_t proposed_ns)
{
    uint64_t acknowledged[SIMULATED_SERVERS_MAX] = {0};
    unsigned servers = world->options.servers, leader = world->quorum.leader;
    for (unsigned i = 0; i < servers; i++) {
        struct member *member = &world->members[i];
        uint64_t there = i == leader ? 0 : world_hop_ns(world);
        uint64_t back = i == leader ? 0 : world_hop_ns(world);
        member->proposal_ns = world_later(member->proposal_ns, proposed_ns + there);
        uint64_t synced_ns = member_sync(member, member->proposal_ns);
        member->acknowledged_ns = world_later(member->acknowledged_ns, synced_ns + back);
        insert(acknowledged, i, member->acknowledged_ns);
    }
    world->quorum.commit_ns = world_later(world->quorum.commit_ns, acknowledged[servers / 2]);
    return world->quorum.commit_ns;
}

void quorum_order(void *context)
{
    struct errand *errand = context;
    struct simulated *world = errand->session->world;
    struct member *leader = &world->members[world->quorum.leader];
    leader->cpu_ns =
        world_later(leader->cpu_ns, world->agenda.now_ns) + world->options.costs.order_ns;
    decide(&world->quorum, errand);
    uint64_t committed_ns = commit_ns(world, leader->cpu_ns);
    errand->references = world->options.servers;
    for (unsigned i = 0; i < world->options.servers; i++) {
        uint64_t there = i == leader->index ? 0 : world_hop_ns(world);
        member_queue(&world->members[i], errand, committed_ns + there);
    }
}

void quorum_expire(void *context)
{
    struct session *session = context;
    if (!session->ended)
        quorum_order(errand_new(&session->world->paths, ERRAND_EXPIRE, session));
}

// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the parts of a simulation share. Layer: sim, inside the simulation: for its own
 * files (sim.c, sim_session.c, sim_server.c, sim_leader.c) and their tests.
 *
 * A session (sim_session.h) is the client's end of a connection, a member (sim_server.h) one
 * server, the quorum (sim_leader.h) the order in which the servers carry out writes. They meet in
 * messages only, which are entries of one agenda.
 *
 * Invariant: nothing in it depends on anything but the options and the calls of its user: no clock,
 * no address of memory, no generator but its own.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "base/random.h"
#include "client/client.h"
#include "sim/agenda.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/path.h"
#include "sim/slab.h"
#include "sim/tree.h"
#include "sim/watches.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_session {
    struct client client; /* first: a client of this driver is a session */
    struct sim *sim;
    uint32_t number; /* from 1 */
    uint32_t timeout_ms;
    enum client_state state;
    bool cut;            /* the connection breaks when the outstanding reply comes */
    uint32_t connection; /* how many it has had; messages of former ones are lost */
    unsigned server;
    unsigned first_server;
    uint64_t up_ns;   /* when the last message to a server arrives there; the next one not before */
    uint64_t down_ns; /* the same, to the client */
    uint64_t seen_zxid;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    struct message_queue waiting; /* requests that were made while there was no connection */

    /* What the servers know of it. */
    bool linked; /* a server has a connection of it, as far as it knows */
    bool ended;  /* the leader has put its end in order */
    uint32_t link_connection;
    unsigned link_server;
    /* Of this connection: the writes that have come, those that were answered, and the reads that
     * came behind a write which was not. */
    uint64_t link_writes, link_written;
    struct message_queue link_reads;
};

/* A server's disk: what is written while it syncs is synced together, next. */
struct disk {
    uint64_t begins_ns; /* of the last sync there is, which may lie ahead */
    uint64_t ends_ns;
};

/* What a server is going to carry out, one after another. */
struct lane {
    struct lane_entry *entries; /* a ring */
    size_t capacity;            /* a power of two */
    size_t head;
    size_t count;
};

struct sim_server {
    struct sim *sim;
    unsigned index;
    struct tree tree;
    struct watches watches;
    struct lane lane;
    struct disk disk;
    uint64_t zxid;   /* of the last transaction that it has carried out */
    uint64_t cpu_ns; /* when its CPU is done with what it has to do */
    /* When the last message of a kind arrives; the next one not before. */
    uint64_t to_leader_ns;
    uint64_t proposal_ns;
    uint64_t acknowledged_ns;
    uint64_t notifications;
    uint64_t writes;
    uint64_t reads;
    uint64_t packets_received;
    uint64_t connects;
};

struct sim_leader {
    unsigned leader;
    struct tree tree; /* the znodes when all that is in order has been carried out */
    uint64_t zxid;
    uint64_t commit_ns; /* when the last transaction is committed at the leader */
};

/* Who a message is for, and a session's timeout. Called from the agenda; a server that leads passes
 * on a write at once. */
struct sim_receivers {
    void (*server)(void *message);            /* from a session */
    void (*leader)(void *message);            /* a write, from a server */
    void (*timeout)(void *session);           /* at the leader */
    void (*session)(void *message);           /* from a server */
    void (*notification)(void *notification); /* the same */
};

struct sim {
    struct sim_options options;
    struct sim_receivers receivers;
    struct slab slab;
    struct paths paths;
    struct agenda agenda;
    struct random random;
    struct sim_leader leader;
    struct sim_server *servers;
    struct sim_session **sessions; /* by number, from 1 */
    size_t session_capacity;
    uint32_t session_count;
    struct watches client_watches; /* as the clients remember theirs */
};

/* How long a message takes this time. */
static inline uint64_t sim_hop_ns(struct sim *sim)
{
    const struct sim_costs *costs = &sim->options.costs;
    return costs->network_ns + random_below(&sim->random, costs->network_jitter_ns + 1);
}

static inline uint64_t sim_later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * internal: the parts of a simulation. Layer: sim, for its own files alone.
 *
 * A session (sim_session.c) is the client's end of a connection, and behaves as the Apache C client
 * does. A server (sim_server.c) has znodes, watches, connections and counters of its own; its
 * znodes may lag behind those of other servers. The leader, one of them, checks each write against
 * the znodes as they will be after all earlier writes, gives it the next number and proposes it; a
 * write is committed when more than half of the servers have it on their disks. The parts meet in
 * messages only (message.c), which are events of one agenda (sim_time.c).
 *
 * Reads wait for the earlier writes of their connection, where a real server (CommitProcessor) has
 * them wait for those of their session. No session can see the difference: a connection with a
 * write outstanding is lost only when its session has expired (client_cut needs a depth of one, and
 * waits for the reply).
 *
 * Invariant: everything derives from the options and the calls of the user: there is no clock, no
 * dependence on addresses of memory, and no other random generator. Events come in the order of
 * their due times, and those with the same time in the order in which they were added. What a
 * server sends to a session leaves in the order in which it happened there; a watch fires before a
 * reply that shows the change. A session receives over its present connection only. Every server
 * carries out all writes, failed ones included, in the order of their numbers.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "base/random.h"
#include "sim/message.h"
#include "sim/sim.h"
#include "sim/tree.h"
#include "sim/watches.h"

/* ------------------------------------------------------------------ the parts */

struct sim_session {
    struct client client; /* first: a pointer to it is one to the session */
    struct sim *sim;
    uint32_t number; /* from 1 */
    uint32_t timeout_ms;
    enum client_state state;
    bool cut;            /* the connection ends when the outstanding reply arrives */
    uint32_t connection; /* its number, from 1; messages over earlier ones are lost */
    unsigned server;
    unsigned first_server;
    uint64_t up_ns;   /* arrival of the last message to a server; later ones arrive no earlier */
    uint64_t down_ns; /* arrival of the last message to the client */
    uint64_t seen_zxid;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    struct message_queue waiting; /* requests submitted while there was no connection */

    /* What the servers know of it. */
    bool linked; /* a server has a connection of it, as far as that server knows */
    bool ended;  /* the leader has ordered its end */
    uint32_t link_connection;
    unsigned link_server;
    uint64_t link_writes;            /* writes received over this connection */
    uint64_t link_written;           /* writes answered over it */
    struct message_queue link_reads; /* reads received behind a write that is not answered */
};

struct sim_server {
    struct sim *sim;
    unsigned index;
    struct tree tree;
    struct watches watches;
    struct lane_entry *lane, *lane_last; /* what it is going to carry out, in this order */
    uint64_t zxid;                       /* of the last transaction carried out */
    uint64_t idle_ns;                    /* when its CPU has done all that it was given */
    /* The disk's last sync, which may lie in the future; the next has all that comes meanwhile. */
    uint64_t sync_begins_ns;
    uint64_t sync_ends_ns;
    /* Arrival of the last message of a kind; later ones arrive no earlier. */
    uint64_t to_leader_ns;
    uint64_t proposal_ns;
    uint64_t acknowledged_ns;
    struct four_letter_counters counters; /* what it has counted; its state is read when asked */
};

struct sim_leader {
    unsigned index;   /* of the server */
    struct tree tree; /* the znodes after all ordered writes */
    uint64_t zxid;
    uint64_t commit_ns; /* when the last transaction is committed at the leader */
};

/* Future events, a heap. */
struct sim_agenda {
    struct sim_event *heap;
    size_t capacity;
    size_t count;
    uint64_t order; /* events ever added */
};

struct sim {
    struct sim_options options;
    uint64_t now_ns;
    struct pool pool;
    struct paths paths;
    struct sim_agenda agenda;
    struct random random;
    struct sim_leader leader;
    struct sim_server *servers;
    struct sim_session **sessions; /* by number, from 1 */
    size_t session_capacity;
    uint32_t session_count;
    struct watches client_watches; /* which the clients remember */
    /* Event: a message from a server (and its reference) arrives at its session. */
    void (*receive)(void *message);
};

static inline uint64_t sim_later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

/* The time that the next message takes. */
static inline uint64_t sim_hop_ns(struct sim *sim)
{
    const struct sim_costs *costs = &sim->options.costs;
    return costs->network_ns + random_below(&sim->random, costs->network_jitter_ns + 1);
}

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index);

/* Event: a message from a session (and its reference) arrives. */
void sim_server_receive(void *message);

#endif

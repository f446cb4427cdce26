// SPDX-License-Identifier: Apache-2.0
/*
 * internal: the parts of a simulation. Layer: sim, for its own files alone.
 *
 * A session (sim_session.c) is the client's end of a connection, and behaves as the Apache C client
 * does. A server (sim_server.c) has znodes, watches, connections and counters of its own; its
 * znodes may lag behind those of other servers. The leader (sim_leader.c) checks each write against
 * the znodes as they will be after all earlier writes, gives it the next number and proposes it; a
 * write is committed when more than half of the servers have it on their disks. The parts meet in
 * messages only, which are entries of one agenda.
 *
 * Reads wait for the earlier writes of their connection, where a real server (CommitProcessor) has
 * them wait for those of their session. No session can see the difference: a connection with a
 * write outstanding is lost only when its session has expired (client_cut needs a depth of one, and
 * waits for the reply).
 *
 * Invariant: everything derives from the options and the calls of the user: there is no clock, no
 * dependence on addresses of memory, and no other random generator. What a server sends to a
 * session leaves in the order in which it happened there; a watch fires before a reply that shows
 * the change. A session receives over its present connection only. Every server carries out all
 * writes, failed ones included, in the order of their numbers.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "base/random.h"
#include "client/client.h"
#include "servers/four_letter.h"
#include "sim/agenda.h"
#include "sim/message.h"
#include "sim/sim_options.h"

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

/* A fired watch on its way to a session. */
struct notification {
    struct sim_session *session;
    struct path *path; /* held */
    uint32_t connection;
    enum client_event event;
};

struct sim_server {
    struct sim *sim;
    unsigned index;
    struct tree tree;
    struct watches watches;
    struct lane_entry *lane, *lane_last; /* what it is going to carry out, in this order */
    uint64_t zxid;                       /* of the last transaction carried out */
    uint64_t idle_ns;                    /* when its CPU has done all that it was given */
    /* The disk's last sync, which may lie in the future. What is written during a sync is synced
     * together by the next one. */
    uint64_t sync_begins_ns;
    uint64_t sync_ends_ns;
    /* Arrival of the last message of a kind; later ones arrive no earlier. */
    uint64_t to_leader_ns;
    uint64_t proposal_ns;
    uint64_t acknowledged_ns;
    struct four_letter_counters counters; /* what it has counted; its state is read when asked */
};

struct sim_leader {
    unsigned leader;  /* the server's index */
    struct tree tree; /* the znodes after all ordered writes */
    uint64_t zxid;
    uint64_t commit_ns; /* when the last transaction is committed at the leader */
};

struct sim {
    struct sim_options options;
    struct slab slab;
    struct paths paths;
    struct agenda agenda;
    struct random random;
    struct sim_leader leader;
    struct sim_server *servers;
    struct sim_session **sessions; /* by number, from 1 */
    size_t session_capacity;
    uint32_t session_count;
    struct watches client_watches; /* which the clients remember */
    /* Events at a session: a message from a server (and its reference), a notification arrives. */
    void (*receive)(void *message);
    void (*notify)(void *notification);
};

/* The time that the next message takes. */
static inline uint64_t sim_hop_ns(struct sim *sim)
{
    const struct sim_costs *costs = &sim->options.costs;
    return costs->network_ns + random_below(&sim->random, costs->network_jitter_ns + 1);
}

static inline uint64_t sim_later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

/* ------------------------------------------------------------------ sessions */

/* Makes a session of a client that is filled in but for its driver, and connects it to a server. */
struct sim_session *sim_session_new(struct sim *sim, unsigned server, uint32_t timeout_ms,
                                    const struct client *client);

/* See sim_close. */
void sim_session_close(struct sim_session *session);

/* See struct sim. */
void sim_session_receive(void *message);
void sim_session_notify(void *notification);

/* ------------------------------------------------------------------ servers */

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index);

/* Event: a message from a session (and its reference) arrives. */
void sim_server_receives(void *message);

/* Gives the server's CPU more work, which begins when it has done what it has. */
void sim_server_work(struct sim_server *server, uint64_t cost_ns);

/* Has the server carry a message out (and take its reference) at this time, but not before what was
 * given to it earlier. */
void sim_server_carry_out(struct sim_server *server, struct message *message, uint64_t due_ns);

void sim_leader_init(struct sim_leader *leader, struct sim *sim);

/* Event: a write, or a sync (and its reference), arrives at the leader. */
void sim_leader_order(void *message);

/* Event: the leader ends a session, unless it has ended already. */
void sim_leader_expire(void *session);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * sim: a ZooKeeper ensemble in memory, and sessions with it behind client/client.h. Layer: sim.
 *
 * Time is virtual: a step advances it to the next event and carries that out. The same options and
 * calls give the same callbacks, in the same order, at the same times. docs/method.md describes
 * the model, what it reproduces exactly, and what it leaves out.
 *
 * Invariant: every callback (listeners, timers) runs inside sim_step, never inside an
 * operation. Steps are not nested.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/error.h"
#include "client/client.h"
#include "servers/four_letter.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_SERVERS_MAX 13 /* as many as the ensembles of the ZooKeeper paper had */

/*
 * Durations. A server has one CPU and one disk, each of which does one thing at a time. X(name),
 * where
 *
 * network          a message from one host to another, one way
 * network_jitter   the most that is added to it, at random
 * read             CPU of the session's server: a read
 * name             CPU of the session's server: each name in the reply to getChildren, in addition
 * order            CPU of the leader: the check and the order of a write
 * apply            CPU of each server: a write
 * notification     CPU of the session's server: a watch that fires
 * sync             disk: a sync of all that arrived during the sync before
 */
#define SIM_COST_LIST(X)                                                                           \
    X(network)                                                                                     \
    X(network_jitter)                                                                              \
    X(read)                                                                                        \
    X(name)                                                                                        \
    X(order)                                                                                       \
    X(apply)                                                                                       \
    X(notification)                                                                                \
    X(sync)

struct sim_costs {
#define X(name) uint64_t name##_ns;
    SIM_COST_LIST(X)
#undef X
};

struct sim_options {
    unsigned servers; /* 1 to SIM_SERVERS_MAX; 1 is standalone */
    uint64_t seed;    /* of all that is random */
    struct sim_costs costs;
};

struct sim;

/* One server, seed 1, and costs like a private server's: a read takes 200 us, a write 600 us. */
struct sim_options sim_options_default(void);

/* *sim is the caller's to sim_free. ERROR_USAGE: a number of servers that cannot be. */
MUST_CHECK enum error_kind sim_new(const struct sim_options *options, struct sim **sim,
                                   struct error *error);

/* Frees a simulation with its sessions; calls no listener. NULL is fine. */
void sim_free(struct sim *sim);

/* The role of a server, from 0: standalone, the leader (the last of several) or a follower. */
enum role sim_role(unsigned servers, unsigned server);

/* ------------------------------------------------------------------ sessions */

/* Begins to open a session on a server, from 0; its state is CLIENT_ESTABLISHED when it
 * stands. A session that loses its connection tries the next server, and after all of them the
 * first again, a sixtieth of its timeout later. It takes client_cut, client_crash and client_leave.
 * It may have `depth` operations outstanding, 1 to CLIENT_DEPTH_MAX. The client belongs to the
 * simulation, and stays valid until sim_free. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind sim_open(struct sim *sim, unsigned server, uint32_t timeout_ms,
                                    uint32_t depth, const struct client_listener *listener,
                                    void *owner, struct client **client, struct error *error);

/* Closes the session: its ephemerals are deleted, and watches on them fire. No callback is called
 * from then on. A session without a connection ends at its timeout, as after client_crash. */
void sim_close(struct client *client);

/* The servers expire the session now, unless it has ended: all its ephemerals are deleted in one
 * transaction. The client learns of it from the servers: its connection is closed, and the next one
 * refused. May be called by sim_at. */
void sim_expire(void *client);

/* ------------------------------------------------------------------ time */

/* Carries out the next event; false if there is none. */
bool sim_step(struct sim *sim);

/* The time, from 0; and when the next event is due, UINT64_MAX if there is none. */
uint64_t sim_now_ns(const struct sim *sim);
uint64_t sim_next_ns(const struct sim *sim);

/* Nothing may be due before until_ns. */
void sim_advance(struct sim *sim, uint64_t until_ns);

/* A timer: calls at due_ns, or now if that is past, after other events of that time. */
void sim_at(struct sim *sim, uint64_t due_ns, void (*call)(void *context), void *context);

/* ------------------------------------------------------------------ oracles */

/* The values of a server's mntr, which counts the query as a packet and a connection. */
void sim_counters(struct sim *sim, unsigned server, struct four_letter_counters *counters);

/* The zxid of a server's srvr, of the last transaction carried out. The query is a packet, too. */
uint64_t sim_zxid(struct sim *sim, unsigned server);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * simulated: a ZooKeeper ensemble in memory, and sessions with it that recipes use like any other
 * (zk/client.h). Layer: zk.
 *
 * Its time is virtual: a step carries out the next event and moves the time on to it, so an hour of
 * it takes as long as its events take to compute. Everything derives from the options and from what
 * the caller does: the same calls give the same callbacks, in the same order, at the same times.
 * docs/simulation.md has the model, what it holds exactly, and what it leaves out.
 *
 * Invariant: every callback (listeners, timers) runs inside simulated_step, never inside an
 * operation. Steps are not nested.
 */
#ifndef ZK_SIMULATED_H
#define ZK_SIMULATED_H

#include "base/fault.h"
#include "zk/admin.h"
#include "zk/client.h"

#include <stdbool.h>
#include <stdint.h>

#define SIMULATED_SERVERS_MAX 9

/* A simulation: servers, sessions, time. */
struct simulated;

/* What things cost, in nanoseconds. A server has one CPU and one disk, each of which does one thing
 * at a time. */
struct simulated_costs {
    uint64_t network_ns;        /* a message from one host to another, one way */
    uint64_t network_jitter_ns; /* and from nothing up to this on top, each time */
    uint64_t read_ns;           /* CPU: answers a read */
    uint64_t name_ns;           /* CPU: a name in the reply to getChildren, on top */
    uint64_t order_ns;          /* CPU: the leader checks a write and puts it in order */
    uint64_t apply_ns;          /* CPU: a server, the leader too, carries a write out */
    uint64_t notification_ns;   /* CPU: a watch fires */
    uint64_t sync_ns;           /* disk: a sync, with all that has come while the last one ran */
};

struct simulated_options {
    unsigned servers; /* 1 to SIMULATED_SERVERS_MAX; 1 is standalone */
    uint64_t seed;    /* of the jitter */
    struct simulated_costs costs;
};

/* One server, seed 1, and costs of the order of a private server's on one machine: a read takes 200
 * us, a write 600. */
struct simulated_options simulated_options_default(void);

/* On success *world is the caller's to simulated_free. FAULT_USAGE (a number of servers that cannot
 * be), FAULT_NO_MEMORY. */
MUST_CHECK enum fault_kind simulated_new(const struct simulated_options *options,
                                         struct simulated **world, struct fault *fault);

/* Frees it with all its sessions, which hear nothing of it. NULL is fine. */
void simulated_free(struct simulated *world);

/* What a server of so many says that it is: "standalone", "leader" (the last one) or "follower". */
const char *simulated_mode(unsigned servers, unsigned server);

/* ------------------------------------------------------------------ sessions */

/*
 * Begins to open a session on a server, from 0; the listener hears CLIENT_ESTABLISHED when it
 * stands. A session that loses its connection goes on to the next server, and when it has tried all
 * of them to the first again, after a sixtieth of its timeout. It takes client_cut,
 * client_crash and client_leave. The client belongs to the world, and stays valid as long as that,
 * however the session ends. FAULT_USAGE: no such server.
 */
MUST_CHECK enum fault_kind simulated_open(struct simulated *world, unsigned server,
                                          uint32_t timeout_ms,
                                          const struct client_listener *listener, void *owner,
                                          struct client **client, struct fault *fault);

/* Ends the session in order: its ephemerals go, and watches on them fire. Its listener hears
 * nothing from here on. Without a connection it is left to its timeout, as one that crashed. */
void simulated_close(struct client *client);

/* The servers expire the session now, though its client lives: all its ephemerals go in one
 * transaction. The client learns of it when it next talks to a server: its connection is closed,
 * and the next one refused. */
void simulated_expire(struct client *client);

/* ------------------------------------------------------------------ time */

/* Carries out the next event; false if there is none, and nothing will ever happen by itself. */
bool simulated_step(struct simulated *world);

/* The time, from 0. */
uint64_t simulated_now_ns(const struct simulated *world);

/* When the next event is due; UINT64_MAX if there is none. */
uint64_t simulated_next_ns(const struct simulated *world);

/* Lets the time pass until then; nothing may be due before. */
void simulated_advance(struct simulated *world, uint64_t until_ns);

/* A timer of the caller's: calls at this time, or now if it is past, after what is due then
 * already. */
void simulated_at(struct simulated *world, uint64_t due_ns, void (*call)(void *context),
                  void *context);

/* ------------------------------------------------------------------ oracles */

/* What a server's mntr would say; the question itself counts there as a packet and a connection,
 * and so it does here. */
void simulated_counters(struct simulated *world, unsigned server, struct admin_counters *counters);

/* The transaction that its srvr would name, the last that it has carried out; the question counts
 * as a packet. */
uint64_t simulated_zxid(struct simulated *world, unsigned server);

#endif

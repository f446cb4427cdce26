// SPDX-License-Identifier: Apache-2.0
/*
 * sim: a ZooKeeper ensemble in memory, and sessions with it that recipes use like any other
 * (client/client.h). Layer: sim.
 *
 * Its time is virtual: a step carries out the next event and moves the time on to it, so an hour of
 * it takes as long as its events take to compute. Everything derives from the options and from what
 * the caller does: the same calls give the same callbacks, in the same order, at the same times.
 * docs/simulation.md has the model, what it holds exactly, and what it leaves out.
 *
 * Invariant: every callback (listeners, timers) runs inside sim_step, never inside an
 * operation. Steps are not nested.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/error.h"
#include "client/client.h"
#include "servers/four_letter.h"
#include "sim/options.h"

#include <stdbool.h>
#include <stdint.h>

/* A simulation: servers, sessions, time. */
struct sim;

/* One server, seed 1, and costs of the order of a private server's on one machine: a read takes 200
 * us, a write 600. */
struct sim_options sim_options_default(void);

/* On success *world is the caller's to sim_free. ERROR_USAGE (a number of servers that cannot
 * be), ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind sim_new(const struct sim_options *options, struct sim **sim,
                                   struct error *error);

/* Frees it with all its sessions, which hear nothing of it. NULL is fine. */
void sim_free(struct sim *sim);

/* What a server of so many says that it is: "standalone", "leader" (the last one) or "follower". */
const char *sim_mode(unsigned servers, unsigned server);

/* ------------------------------------------------------------------ sessions */

/*
 * Begins to open a session on a server, from 0; the listener hears CLIENT_ESTABLISHED when it
 * stands. A session that loses its connection goes on to the next server, and when it has tried all
 * of them to the first again, after a sixtieth of its timeout. It takes client_cut,
 * client_crash and client_leave. The client belongs to the world, and stays valid as long as that,
 * however the session ends. It may have `depth` operations outstanding. ERROR_USAGE (no such
 * server), ERROR_NO_MEMORY.
 */
MUST_CHECK enum error_kind sim_open(struct sim *sim, unsigned server, uint32_t timeout_ms,
                                    uint32_t depth, const struct client_listener *listener,
                                    void *owner, struct client **client, struct error *error);

/* Ends the session in order: its ephemerals go, and watches on them fire. Its listener hears
 * nothing from here on. Without a connection it is left to its timeout, as one that crashed. */
void sim_close(struct client *client);

/* The servers expire the session now, though its client lives: all its ephemerals go in one
 * transaction. The client learns of it when it next talks to a server: its connection is closed,
 * and the next one refused. */
void sim_expire(struct client *client);

/* ------------------------------------------------------------------ time */

/* Carries out the next event; false if there is none, and nothing will ever happen by itself. */
bool sim_step(struct sim *sim);

/* The time, from 0. */
uint64_t sim_now_ns(const struct sim *sim);

/* When the next event is due; UINT64_MAX if there is none. */
uint64_t sim_next_ns(const struct sim *sim);

/* Lets the time pass until then; nothing may be due before. */
void sim_advance(struct sim *sim, uint64_t until_ns);

/* A timer of the caller's: calls at this time, or now if it is past, after what is due then
 * already. */
void sim_at(struct sim *sim, uint64_t due_ns, void (*call)(void *context), void *context);

/* ------------------------------------------------------------------ oracles */

/* What a server's mntr would say; the question itself counts there as a packet and a connection,
 * and so it does here. */
void sim_counters(struct sim *sim, unsigned server, struct four_letter_counters *counters);

/* The transaction that its srvr would name, the last that it has carried out; the question counts
 * as a packet. */
uint64_t sim_zxid(struct sim *sim, unsigned server);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * target: the servers that a run works on. Layer: bench/target.
 *
 * The servers are private servers, started here; the servers of --connect; or those of a
 * simulation, which every trial makes anew. All znodes of a run are below its root znode.
 *
 * Invariant: after target_close the private servers have ended, and the root znode is deleted or
 * reported.
 */
#ifndef BENCH_TARGET_TARGET_H
#define BENCH_TARGET_TARGET_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/target/root.h"
#include "bench/target/target_limit.h"
#include "client/connect.h"
#include "fleet/setup_session.h"
#include "servers/detached.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>

struct target {
    struct connect_string servers;   /* all servers, resolved */
    struct connect_string placement; /* the servers that sessions connect to */
    struct four_letter_identity identities[CONNECT_ENDPOINTS_MAX];
    struct ensemble *ensemble;         /* private servers; else NULL */
    bool stands;                       /* the servers are those of `zkherd ensemble start` */
    struct detached_ensemble detached; /* if `stands` */
    struct target_limit limit;         /* of the servers of --connect; other servers have none */
    struct setup_session *setup;       /* NULL in a simulation */
    struct sim_options simulation;
    char root[ROOT_PATH_SIZE]; /* the path of the root znode; in a simulation every trial makes the
                                  znode */
    char name[80]; /* "standalone", "ensemble3", "simulated3", or the first host of --connect */
};

/* Finds the servers of --connect: resolves their names, and asks by four-letter words for their
 * versions and roles, and how many sessions they allow if there are to be most_clients. Nothing is
 * made, so a signal may end the program meanwhile. ERROR_USAGE if no server has the role that the
 * placement asks for; errors of tcp.h and four_letter.h. */
MUST_CHECK enum error_kind target_find(const struct target_options *options, uint64_t most_clients,
                                       struct target *target, struct error *error);

/*
 * Starts the servers unless target_find has found those of --connect, and opens the set-up session.
 * `topology` is the index in the options' server_counts. On an error nothing is left behind.
 * interrupts: a descriptor; ERROR_INTERRUPTED when it becomes readable while private servers start
 * or the set-up session, which heeds it, is opened. -1: never.
 */
MUST_CHECK enum error_kind target_open(const struct target_options *options, size_t topology,
                                       int interrupts, struct target *target, struct error *error);

/* Chooses the path of the root znode (bench/target/root.h), creates the znode on real servers, and
 * reads it from every server of --connect: ERROR_OTHER_ENSEMBLE if a server does not have the
 * znode. From here on target_close must be called. interrupts: that of target_open, which the
 * set-up session heeds until target_close. */
MUST_CHECK enum error_kind target_make_root(struct target *target, int interrupts,
                                            struct error *error);

/* Deletes the root znode and stops private servers. ERROR_LEFT_BEHIND if the root znode cannot be
 * deleted: its path, the reason, and a command that deletes it. Everything else is closed in any
 * case. */
MUST_CHECK enum error_kind target_close(struct target *target, struct error *error);

/* A private server that has ended shows as a lost or refused connection. Replaces an error that
 * such a server may have caused by ERROR_SERVER_DIED, with the server's log. Returns the kind of
 * *error. */
enum error_kind target_find_cause(const struct target *target, enum error_kind kind,
                                  struct error *error);

/* The clients of the servers of --connect that are not zkherd's, and what they send. */
struct target_others {
    uint64_t clients;        /* connections to all servers; 0 also if the servers do not tell */
    uint64_t requests_per_s; /* of these clients, their pings included */
};

/* Counts for a second, in which zkherd has the target's set-up session alone. */
struct target_others target_count_others(const struct target *target);

/*
 * The folder in which private servers keep their data (--data): of a single topology the folder
 * itself, which servers/ensemble.h makes and removes; of several a folder in it each. Files of
 * other programs in it are never changed.
 *
 * Before the first server is started: checks that the folder is empty or new (ERROR_NOT_EMPTY), and
 * makes the folder that several topologies share if it does not exist; *made is whether it was
 * made. Does nothing without --data.
 */
MUST_CHECK enum error_kind target_prepare_data(const struct target_options *options, bool *made,
                                               struct error *error);

/* After the servers have ended: removes the folder that target_prepare_data made, if it is empty.
 */
void target_remove_data(const struct target_options *options, bool made);

#endif

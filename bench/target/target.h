// SPDX-License-Identifier: Apache-2.0
/*
 * target: the servers that a run works on. Layer: bench/target.
 *
 * Private servers, started here; the servers of --connect, which are looked at before anything is
 * asked of them; or those of a simulation, which every trial makes anew. All znodes of a run lie
 * under one root znode of its own.
 *
 * Invariant: when target_close has returned, the private server, or the run's root znode, is gone,
 * or it is said where that is.
 */
#ifndef BENCH_TARGET_TARGET_H
#define BENCH_TARGET_TARGET_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/target/capacity.h"
#include "bench/target/root.h"
#include "client/connect.h"
#include "fleet/setup_session.h"
#include "servers/background.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>

struct target {
    struct connect_string servers;   /* all of them, by their addresses */
    struct connect_string placement; /* those that sessions connect to */
    struct four_letter_identity identities[CONNECT_ENDPOINTS_MAX];
    struct ensemble *ensemble; /* private servers; else NULL */
    bool stands;               /* the servers are those of `zkherd ensemble start`: */
    struct background_ensemble background;
    struct capacity capacity;    /* of the servers of --connect; of others there is no end */
    struct setup_session *setup; /* NULL: a simulation */
    struct sim_options simulation;
    char root[ROOT_PATH_SIZE]; /* the run's root znode; in a simulation every trial makes it */
    char name[80]; /* "standalone", "ensemble3", "simulated3", or after the first of --connect */
};

/*
 * Starts or finds the servers and opens the set-up session's session; `topology` says which of the
 * options' server_counts are to be started, most_clients how many sessions the servers of --connect
 * are asked for. ERROR_USAGE if no server has the role that the
 * placement asks for. On an error nothing is left behind, nor is there when the program is ended by
 * a signal in here.
 */
MUST_CHECK enum error_kind target_open(const struct target_options *options, size_t topology,
                                       uint64_t most_clients, struct target *target,
                                       struct error *error);

/* Names the run's root znode (bench/target/root.h). Makes it on real servers, and looks for it on
 * every server of --connect: ERROR_OTHER_ENSEMBLE if it does not show on one. From here on only
 * target_close leaves nothing behind. interrupts: what the set-up session is to heed from now on
 * (fleet/setup_session.h), here too; target_close does not. */
MUST_CHECK enum error_kind target_make_root(struct target *target, int interrupts,
                                            struct error *error);
/* ERROR_LEFT_BEHIND if the run's root znode cannot be removed: which it is, why, and how somebody
 * else can. All else is closed in any case. */
MUST_CHECK enum error_kind target_close(struct target *target, struct error *error);

/* A private server that has ended shows as a connection that is lost or refused: then makes
 * ERROR_SERVER_DIED, with its log, of an error that it may have caused. Returns the kind of what is
 * in *error. */
enum error_kind target_find_cause(const struct target *target, enum error_kind kind,
                                  struct error *error);

#endif

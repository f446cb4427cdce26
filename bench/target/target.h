// SPDX-License-Identifier: Apache-2.0
/*
 * target: the servers that a subcommand works on, one target for each topology. Layer:
 * bench/target.
 *
 * The servers are private servers, started here; the servers of --connect; or those of a
 * simulation, which every trial makes anew. All znodes of a run are below its root znode.
 *
 * Invariant: after target_close the private servers have ended, and the root znode is deleted or
 * reported.
 */
#ifndef BENCH_TARGET_TARGET_H
#define BENCH_TARGET_TARGET_H

#include "base/clock.h"
#include "base/error.h"
#include "bench/cli/options.h"
#include "client/connect.h"
#include "fleet/setup_session.h"
#include "load/load.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"
#include "sim/sim.h"
#include "trial/trial.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ limits of connections
 *
 * A server closes a connection at once when the client's host already has maxClientCnxns
 * connections (60 by default). It reports this number only if its whitelist allows `conf`.
 * Session i connects to server i mod the number of servers, and so does the load beside a trial. */

/* Connections to each server that are not for clients of trials: zkherd's own session, a
 * four-letter word, and two of the previous trial that the server may not have closed yet. */
#define TARGET_LIMIT_RESERVED 4

struct target_limit {
    uint64_t sessions; /* at most, at a time; UINT64_MAX: no limit is known */
    uint64_t reserved; /* connections to each server: TARGET_LIMIT_RESERVED, and the load's */
    uint64_t room;     /* connections that the server with the lowest limit allows */
    char server[ENDPOINT_TEXT_SIZE]; /* the server with the lowest limit; "": no limit is known */
};

/* The limit of servers that allow this host `rooms` connections each (UINT64_MAX: none is known);
 * it is no limit if `most` sessions fit. companions: sessions that all servers share with the
 * clients of a trial. */
struct target_limit target_limit_of(const struct connect_string *servers, const uint64_t rooms[],
                                    uint64_t most, uint64_t companions);

/* Leaves out the numbers of clients above the limit or above max_clients. The reason goes to text,
 * "" if nothing is left out. ERROR_CONNECTION_LIMIT if nothing remains. */
MUST_CHECK enum error_kind target_limit_fit(const struct target_limit *limit, uint64_t max_clients,
                                            struct levels *clients, char *text, size_t size,
                                            struct error *error);

/* ------------------------------------------------------------------ one target */

#define TARGET_ROOT_PATH_SIZE 48

struct target {
    struct connect_string servers;   /* all servers, resolved */
    struct connect_string placement; /* the servers that sessions connect to */
    struct four_letter_identity identities[CONNECT_ENDPOINTS_MAX];
    struct ensemble *ensemble;     /* private servers; else NULL */
    struct target_limit limit;     /* of the servers of --connect; others have none */
    struct setup_session *setup;   /* NULL in a simulation */
    struct sim_options simulation; /* of a simulation */
    char left_out[600]; /* in sentences: servers of --connect that do not serve, each with why, and
                           names of which one address is used; "": none */
    char root[TARGET_ROOT_PATH_SIZE]; /* in a simulation every trial makes this znode */
    char name[80]; /* "standalone", "ensemble3", "simulated3", or the first host of --connect */
};

/* four_letter_identify, and ERROR_READ_ONLY for a server that lacks its quorum: it takes no session
 * that may write, and the identity is written. */
MUST_CHECK enum error_kind target_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                           struct four_letter_identity *identity,
                                           struct error *error);

/* Adds a clause to `text` if the endpoint's name has other addresses, which are not used. */
void target_note_addresses(const struct endpoint *endpoint, char *text, size_t size);

/* Resolves the servers of --connect, and asks for their versions, roles, and limits for
 * most_clients sessions. Those that do not serve are left out if another one does: nothing connects
 * to them then. Nothing is made. ERROR_USAGE if none has the role of the placement;
 * ERROR_INTERRUPTED, after the answer that it waits for, when `interrupts` is readable; errors of
 * tcp.h and four_letter.h. */
MUST_CHECK enum error_kind target_find(const struct target_options *options, uint64_t most_clients,
                                       int interrupts, struct target *target, struct error *error);

/* Starts the servers unless target_find has found those of --connect. topology: the index in the
 * options' server_counts. On an error nothing is left behind. ERROR_INTERRUPTED when the descriptor
 * `interrupts` becomes readable; -1: never. */
MUST_CHECK enum error_kind target_start(const struct target_options *options, size_t topology,
                                        int interrupts, struct target *target, struct error *error);

/* target_start, and opens the set-up session, which `interrupts` ends, too. */
MUST_CHECK enum error_kind target_open(const struct target_options *options, size_t topology,
                                       int interrupts, struct target *target, struct error *error);

/* Deletes the root znode and stops private servers. ERROR_LEFT_BEHIND, with a command that deletes
 * the znode, if that cannot be done; everything else is closed in any case. */
MUST_CHECK enum error_kind target_close(struct target *target, struct error *error);

/* Transactions that the servers of --connect have logged since target_find, those of others and the
 * ends of sessions included: read until they stay, or for two seconds and a last time. The target
 * may be a copy of one that is closed. False: not known, as over an election. */
bool target_count_transactions(const struct target *target, uint64_t *transactions);

/* Replaces an error that a private server which has ended may have caused, such as a lost
 * connection, by ERROR_SERVER_DIED, with the server's log. Returns the kind of *error. */
enum error_kind target_find_cause(const struct target *target, enum error_kind kind,
                                  struct error *error);

/* The host of trials and loads on the target, until `interrupts` is readable. */
struct fleet_host target_host(const struct target *target, int interrupts);

/* Writes which versions the servers of a target run to text; "" if they run the same. */
void targets_describe_versions(const struct target *target, char *text, size_t size);

/* ------------------------------------------------------------------ its root znode
 *
 * The name has the time and the process: /zkherd-20261122T080910Z-0001234. On the servers of
 * --connect the data name the process and the host, and an ephemeral child, the mark, exists as
 * long as the session of the run: the servers remove the mark also of a run that was killed. */

#define TARGET_ROOT_RECORD_SIZE 128
#define TARGET_ROOT_RECORD      "zkherd run, " /* the data begin with it */
#define TARGET_ROOT_MARK        "alive"        /* the mark's name */

bool target_root_is_name(const char *name);

/* Chooses the path, creates the znode on real servers, and reads it from every server of --connect:
 * ERROR_OTHER_ENSEMBLE if a server does not have it, ERROR_FORBIDDEN, with nothing left, if it
 * could be created but not deleted. Afterwards, and after an error, target_close must be called.
 * interrupts: that of target_open. */
MUST_CHECK enum error_kind target_make_root(struct target *target, int interrupts,
                                            struct error *error);

/* Deletes it, for target_close. ERROR_LEFT_BEHIND. */
MUST_CHECK enum error_kind target_delete_root(const struct target *target, struct error *error);

/* ------------------------------------------------------------------ all of them */

struct targets {
    struct target list[OPTIONS_TOPOLOGIES_MAX];
    size_t count;
    int signals;   /* a signalfd (bench/cli/machine.h), until targets_deinit; -1: none */
    bool made_out; /* the folder for the folders of several targets */
};

/* Turns the signals that end a program into a descriptor; then target_find; then target_open, of
 * every topology. targets_close and targets_deinit must be called also after an error. */
MUST_CHECK enum error_kind targets_open(struct targets *targets,
                                        const struct target_options *options,
                                        uint64_t most_sessions, struct error *error);

/* Waits for a signal, most_ms at most. Returns whether there is one. */
bool targets_rest(const struct targets *targets, int most_ms);

/* Closes all targets; *left, if it is ERROR_LEFT_BEHIND, says what remains. May be called again. */
void targets_close(struct targets *targets, struct error *left);

/* Closes the descriptor of signals, and removes the folder `out` if targets_folder has made it and
 * nothing was kept in it. */
void targets_deinit(struct targets *targets, const char *out);

/* target_find_cause, of all targets. */
enum error_kind targets_find_cause(const struct targets *targets, enum error_kind kind,
                                   struct error *error);

/* The folder for the results of a target, from the first to the last: *path is `out` if there is
 * one target, or if `out` is NULL; else `folder`, a folder in `out`, which is made for the first.
 * ERROR_EXISTS and the operating system's. */
MUST_CHECK enum error_kind targets_folder(struct targets *targets, size_t topology, const char *out,
                                          char folder[PATH_MAX], const char **path,
                                          struct error *error);

/* ------------------------------------------------------------------ options */

/* Before the first server is started: checks that the folder of --data is empty or new
 * (ERROR_NOT_EMPTY). A single topology has its data in the folder itself, which servers/ensemble.h
 * makes and removes; several have a folder in it each, and *made is whether it was made for them.
 * Does nothing without --data. */
MUST_CHECK enum error_kind target_prepare_data(const struct target_options *options, bool *made,
                                               struct error *error);

/* The first given option that configures private servers, but for their number; NULL: none is. */
const char *target_private_option(const struct target_options *target);

/* Whether two options exclude each other; complains about the first such pair. */
bool target_conflicts(const char *subcommand, const struct target_options *target,
                      uint32_t processes);

#endif

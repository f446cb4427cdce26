// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble: private ZooKeeper servers on 127.0.0.1 that form one ensemble; one alone is standalone.
 * Layer: servers.
 *
 * It is what a program holds; each of its servers is a servers/server.h, all under one supervisor
 * (servers/supervisor.h). Servers are numbered from 0 here, from 1 in words for people and in
 * ZooKeeper's own settings. Invariant: the servers and what was written for them are gone when the
 * program is, however the program ends, unless it has detached them.
 */
#ifndef SERVERS_ENSEMBLE_H
#define SERVERS_ENSEMBLE_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ENSEMBLE_SERVERS_MAX 7

struct ensemble;

struct ensemble_options {
    unsigned servers;        /* 1, 3, 5 or 7 */
    unsigned heap_mib;       /* of each JVM; about SERVER_OVERHEAD_MIB come on top of it */
    bool fsync;              /* whether a transaction waits for the disk, as in production */
    uint64_t tick_ms;        /* ZooKeeper's tickTime; session timeouts are 2 ticks to an hour */
    const char *data_folder; /* where the servers' data lie: empty, or not there yet and then made
                                and removed. NULL: $TMPDIR, or /tmp */
    uint16_t first_port;     /* for clients of the first server, the next one's is one higher, …;
                                0: any that are free. The other ports are always any. */
};

/* One server of 1 GiB, with fsync, a tick of 2 s, any ports and a temporary folder. */
struct ensemble_options ensemble_options_default(void);

/*
 * Starts the servers and waits until each of them serves, as leader or follower, or alone: 1 to 5 s
 * as a rule, 60 s at most. On success *ensemble is the caller's to end with ensemble_stop.
 *
 * ERROR_USAGE (a number of servers, or a port, that cannot be), ERROR_NOT_EMPTY (data_folder is not
 * empty), ERROR_NO_MEMORY (heaps that the memory available now would not hold), ERROR_PORT_TAKEN,
 * ERROR_NO_JAVA, ERROR_NO_ZOOKEEPER, ERROR_SERVER_DIED (the detail is the end of that server's
 * log), ERROR_NO_ANSWER (not within 60 s; the end of the log of one that does not serve), or the
 * operating system's. On an error nothing is left behind.
 *
 * To be called while the program has one thread: it forks. The servers inherit the limit of open
 * files that the program has at this moment.
 */
MUST_CHECK enum error_kind ensemble_start(const struct ensemble_options *options,
                                          struct ensemble **ensemble, struct error *error);

/* Whether an ensemble may have so many servers: ERROR_USAGE, and the detail says why not. */
MUST_CHECK enum error_kind ensemble_check_size(unsigned servers, struct error *error);

/* Whether the memory available now would hold so many servers: ERROR_NO_MEMORY. Of several
 * ensembles it is to be asked about all their servers before the first starts: a JVM takes its heap
 * late. */
MUST_CHECK enum error_kind ensemble_check_memory(unsigned servers, unsigned heap_mib,
                                                 struct error *error);

/* Whether a folder will do as data_folder, as far as can be known before: ERROR_NOT_EMPTY if it is
 * not empty, or the operating system's. One that is not there will. */
MUST_CHECK enum error_kind ensemble_check_data_folder(const char *folder, struct error *error);

/* Ends the servers, all at once, removes what was written for them, and waits for that, two seconds
 * at most. NULL is fine. */
void ensemble_stop(struct ensemble *ensemble);

/* Lets the servers go on without the program (supervisor_detach), and frees the ensemble. On an
 * error it is as it was. */
MUST_CHECK enum error_kind ensemble_detach(struct ensemble *ensemble, const char *lock_path,
                                           struct error *error);

/*
 * For a forked child of the program, a worker: lets go of the ensemble and frees it, and ends
 * nothing. Without it the servers are ended all the same when the program ends, but on kernels
 * before 5.3 only after the child. NULL is fine.
 */
void ensemble_forget(struct ensemble *ensemble);

/* The folder with everything that was written for the servers: an absolute path, inside
 * data_folder; the ensemble's. */
const char *ensemble_folder(const struct ensemble *ensemble);

/* Where clients find the servers, in the servers' order, killed ones included; the ensemble's. */
const struct connect_string *ensemble_connect(const struct ensemble *ensemble);

/* One of its servers, the ensemble's. index is below the count of ensemble_connect, here and in all
 * that follows. */
const struct server *ensemble_server(const struct ensemble *ensemble, unsigned index);

/* What a server was at the start: ROLE_STANDALONE, ROLE_LEADER or ROLE_FOLLOWER; ROLE_KILLED after
 * ensemble_kill. */
enum role ensemble_role(const struct ensemble *ensemble, unsigned index);

/* Whether all servers run that were not killed by ensemble_kill. */
bool ensemble_alive(const struct ensemble *ensemble);

/* ERROR_NONE while ensemble_alive, else ERROR_SERVER_DIED: which one, and the end of its log. NULL,
 * none of ours, is fine. */
MUST_CHECK enum error_kind ensemble_check(const struct ensemble *ensemble, struct error *error);

/* CPU time that all JVMs together have used so far, user and system, in nanoseconds; it never
 * shrinks, killed servers keep their part. ERROR_SERVER_DIED. */
MUST_CHECK enum error_kind ensemble_cpu_ns(const struct ensemble *ensemble, uint64_t *cpu_ns,
                                           struct error *error);

/* Ends one server by SIGKILL, as a crash would, and waits until it is gone. From then on its role
 * is ROLE_KILLED, and that it does not run is no error. */
void ensemble_kill(struct ensemble *ensemble, unsigned index);

#endif

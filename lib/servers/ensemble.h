// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble: private ZooKeeper servers on 127.0.0.1 that form one ensemble; one alone is standalone.
 * Layer: servers.
 *
 * All servers run under one supervisor (servers/supervisor.h), each in a folder of its own. Servers
 * are numbered from 0 here, from 1 in words for people and in ZooKeeper's own settings.
 * Invariant: when the program ends, by SIGKILL too, its servers end and their files are removed,
 * unless the ensemble was detached.
 */
#ifndef SERVERS_ENSEMBLE_H
#define SERVERS_ENSEMBLE_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/install.h"
#include "servers/role.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ENSEMBLE_SERVERS_MAX 7

/* What a JVM needs in practice besides its heap: code, threads, the collector's data. */
#define SERVER_OVERHEAD_MIB 100

/* The bounds of a heap: with less than the least a server does not start to serve. */
#define SERVER_HEAP_MIN_MIB 8
#define SERVER_HEAP_MAX_MIB 1000000

/* With a smaller CPU share a JVM takes minutes to start. */
#define SERVER_CPU_MIN_PERCENT 5

struct ensemble_options {
    unsigned servers;     /* 1, 3, 5 or 7 */
    unsigned heap_mib;    /* of each JVM, which needs about SERVER_OVERHEAD_MIB more */
    unsigned cpu_percent; /* CPU share of each JVM, in percent of one core; 0: no limit */
    bool fsync;           /* whether a transaction waits for the disk, as in production */
    uint64_t tick_ms;     /* ZooKeeper's tickTime; session timeouts are 2 ticks to an hour */
    uint32_t jute_maxbuffer_bytes; /* the longest request that a server takes (jute.maxbuffer) */
    const char *home;              /* of the release that runs; NULL: see servers/install.h */
    const char *data_folder; /* for the servers' data: an empty folder, or one to make and remove;
                                NULL: $TMPDIR, or /tmp */
    uint16_t first_port;     /* the first server's port for clients; the others' follow. 0: any free
                                ports, as always for the ports between servers */
    int interrupts; /* a descriptor: when it becomes readable, ensemble_start gives up. -1: never */
};

/* What a server is started with, for a manifest. */
struct server_start {
    char settings[4096];             /* the text of its zoo.cfg */
    char command_line[4 * PATH_MAX]; /* with every flag */
    char home[PATH_MAX];             /* of the release that runs; "" if it is not known */
    char java_version[128];          /* as the JVM names itself; "" before the server has served */
};

struct server {
    struct endpoint endpoint; /* for clients */
    pid_t pid;                /* of the JVM; of a killed server, the one that has ended */
    bool killed;              /* by ensemble_kill, and not started again */
    enum role role;           /* STANDALONE, LEADER or FOLLOWER, when all were last seen to serve */
    uint64_t earlier_cpu_ns;  /* of the JVMs that were killed */
    char name[200];           /* in errors */
    char log[PATH_MAX];
    struct server_start start;
};

/* To be read by all; what is not named here is for lib/servers. */
struct ensemble {
    struct connect_string connect; /* the addresses for clients, in the servers' order */
    struct server servers[ENSEMBLE_SERVERS_MAX]; /* connect.count of them */
    const char *folder; /* the absolute path of the folder with the servers' files */
    struct supervisor *supervisor;
    struct ensemble_options options;
    char java[PATH_MAX];
    struct install install;
};

/* One server of 1 GiB, with fsync, a tick of 2 s, ZooKeeper's own jute.maxbuffer, any ports, a
 * temporary folder, and no interrupts. */
struct ensemble_options ensemble_options_default(void);

/*
 * Starts the servers and waits until each serves, as leader, as follower or alone: usually 1 to 5
 * s, 60 s at most. On success *ensemble is the caller's to end with ensemble_stop; the texts of the
 * options must outlive it.
 *
 * Errors of the ensemble_check_ functions below, ERROR_USAGE (ports above 65535), ERROR_PORT_TAKEN,
 * ERROR_NO_JAVA, ERROR_NO_ZOOKEEPER, ERROR_NO_CPU_SHARE, ERROR_SERVER_DIED, ERROR_NO_ANSWER (a
 * server does not serve within 60 s), ERROR_INTERRUPTED, or the operating system's. Of a server the
 * detail is the end of its log. On an error nothing is left behind.
 *
 * Call this while the program has one thread: it forks. The servers inherit the program's present
 * limit of open files.
 */
MUST_CHECK enum error_kind ensemble_start(const struct ensemble_options *options,
                                          struct ensemble **ensemble, struct error *error);

/* ERROR_USAGE if an ensemble cannot have so many servers; the detail says why. */
MUST_CHECK enum error_kind ensemble_check_size(unsigned servers, struct error *error);

/* ERROR_NO_MEMORY if the memory available now does not hold so many servers. With several ensembles
 * ask once about all servers, before the first starts: a JVM takes its heap late. */
MUST_CHECK enum error_kind ensemble_check_memory(unsigned servers, unsigned heap_mib,
                                                 struct error *error);

/* ERROR_NOT_EMPTY, or the operating system's, if a folder cannot be the data_folder. A folder that
 * does not exist can. */
MUST_CHECK enum error_kind ensemble_check_data_folder(const char *folder, struct error *error);

/* Ends the servers, all at once, removes their files, and waits for that, 2 s at most. NULL is
 * fine. */
void ensemble_stop(struct ensemble *ensemble);

/* Lets the servers run on without the program (supervisor_detach), and frees the ensemble. On an
 * error nothing has changed. */
MUST_CHECK enum error_kind ensemble_detach(struct ensemble *ensemble, const char *lock_path,
                                           struct error *error);

/* For a forked child of the program: frees the child's copy, and ends nothing. Without this call a
 * kernel before 5.3 lets the servers run until the child has ended too. NULL is fine. */
void ensemble_forget(struct ensemble *ensemble);

/* Ends a server by SIGKILL, and waits until it has ended, 10 s at most. Its data stay. A server
 * that was killed is none that died. ERROR_SERVER_DIED if it had ended before; ERROR_SYSTEM if it
 * does not end. */
MUST_CHECK enum error_kind ensemble_kill(struct ensemble *ensemble, unsigned index,
                                         struct error *error);

/* Starts a killed server again, with the same configuration, data, ports and CPU share, and does
 * not wait until it serves. On an error the server stays killed. Errors of supervisor_run. */
MUST_CHECK enum error_kind ensemble_restart(struct ensemble *ensemble, unsigned index,
                                            struct error *error);

/* Starts all killed servers again, and waits until every server serves: see ensemble_start. */
MUST_CHECK enum error_kind ensemble_mend(struct ensemble *ensemble, struct error *error);

/* ERROR_NONE while all servers run that were not killed by ensemble_kill, else ERROR_SERVER_DIED
 * with one that has ended: the end of its log, or that a SIGKILL has ended it. NULL, for servers
 * that are not private, is fine. */
MUST_CHECK enum error_kind ensemble_check(const struct ensemble *ensemble, struct error *error);

/* CPU time that a server's JVM has used so far, all threads, user and system, in nanoseconds; and
 * those that ran before it and were killed. ERROR_SERVER_DIED. */
MUST_CHECK enum error_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns,
                                         struct error *error);

/* The same of all JVMs together. */
MUST_CHECK enum error_kind ensemble_cpu_ns(const struct ensemble *ensemble, uint64_t *cpu_ns,
                                           struct error *error);

#endif

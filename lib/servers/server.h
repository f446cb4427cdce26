// SPDX-License-Identifier: Apache-2.0
/*
 * server: one private ZooKeeper server on 127.0.0.1: its configuration, its process, its log.
 * Layer: servers, below ensemble.
 *
 * The server runs under a supervisor (servers/supervisor.h), in a folder of its own, standalone or
 * as a member of an ensemble. Invariant: server_start has every setting that shapes load and every
 * limit of memory.
 */
#ifndef SERVERS_SERVER_H
#define SERVERS_SERVER_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/role.h"
#include "servers/supervisor.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVER_CONFIG_TEXT_SIZE 4096

struct server_options {
    unsigned heap_mib;    /* of the JVM, reserved at its start */
    unsigned cpu_percent; /* CPU share of the JVM, in percent of one core; 0: no limit */
    bool fsync;           /* whether a transaction waits for the disk, as in production */
    uint64_t tick_ms;     /* ZooKeeper's tickTime; session timeouts are 2 ticks to an hour */
    uint32_t jute_maxbuffer_bytes; /* the longest request that the server takes */
    const char *home;              /* of the release that runs (servers/install.h) */
};

struct server_ports {
    uint16_t client;
    uint16_t peer;     /* for followers, while the server leads; unused when standalone */
    uint16_t election; /* unused when standalone */
};

/* The place of a server in its ensemble. */
struct server_place {
    struct supervisor *supervisor;
    const struct server_ports *ports; /* of all servers of the ensemble */
    unsigned count;                   /* 1: standalone */
    unsigned index;                   /* from 0; ZooKeeper's server.1 has index 0 */
};

#define SERVER_COMMAND_SIZE (4 * (size_t)PATH_MAX)

/* What a JVM needs in practice besides its heap: code, threads, the collector's data. */
#define SERVER_OVERHEAD_MIB 100

/* The bounds of a heap: with less than the least a server does not start to serve. */
#define SERVER_HEAP_MIN_MIB 8
#define SERVER_HEAP_MAX_MIB 1000000

/* With a smaller CPU share a JVM takes minutes to start. */
#define SERVER_CPU_MIN_PERCENT 5

/* What a server is started with, for a manifest. */
struct server_start {
    char settings[SERVER_CONFIG_TEXT_SIZE]; /* the text of its zoo.cfg */
    char command_line[SERVER_COMMAND_SIZE]; /* with every flag */
    char home[PATH_MAX];                    /* of the release that runs; "" if it is not known */
    char java_version[128]; /* as the JVM names itself; "" before the server has served */
};

struct server;

/* Configures a server and has the supervisor run it (servers/install.h finds Java and ZooKeeper).
 * server_serves says later whether it serves. On success *server is the caller's to server_free;
 * the process is the supervisor's, and has the supervisor's limit of open files. ERROR_NO_JAVA,
 * ERROR_NO_ZOOKEEPER, ERROR_NO_CPU_SHARE, or the operating system's. */
MUST_CHECK enum error_kind server_launch(const struct server_options *options,
                                         const struct server_place *place, struct server **server,
                                         struct error *error);

/* Frees the description of the server, and ends nothing. NULL is fine. */
void server_free(struct server *server);

/* Whether the server serves requests; *role is written only then. Another program's server on the
 * same port does not count. Waits for each of two answers, patience_ns at most. */
bool server_serves(struct server *server, uint64_t patience_ns, enum role *role);

/* Whether the log says that one of the server's ports was taken. Such a server may run on without
 * ever serving. */
bool server_lacks_port(const struct server *server);

/* Fills *error: the server is the subject, the end of its log the detail; or, if a SIGKILL has
 * ended it, of which no log knows, that. Returns kind. */
enum error_kind server_raise(const struct server *server, enum error_kind kind,
                             struct error *error);

/* The address for clients; the server's. */
const struct endpoint *server_endpoint(const struct server *server);

/* Ends the JVM by SIGKILL, and waits until it has ended, 10 s at most. Its data stay. A server that
 * was killed is none that died: server_cpu_ns goes on to tell what it has used. ERROR_SERVER_DIED
 * if it had ended before; ERROR_SYSTEM if it does not end. */
MUST_CHECK enum error_kind server_kill(struct server *server, struct error *error);

/* Runs the killed server again, with the same configuration, data, ports and CPU share, and does
 * not wait until it serves. On an error the server stays killed. Errors of server_launch. */
MUST_CHECK enum error_kind server_restart(struct server *server, struct error *error);

/* Whether the server was killed by server_kill, and was not started again. */
bool server_was_killed(const struct server *server);

/* The JVM's process; of a killed server, the one that has ended. */
pid_t server_pid(const struct server *server);

/* Whether the JVM still runs. */
bool server_is_alive(const struct server *server);

/* CPU time that the JVM has used so far, all threads, user and system; and those that ran before it
 * and were killed. ERROR_SERVER_DIED. */
MUST_CHECK enum error_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns,
                                         struct error *error);

/* What the server was started with; the server's own. */
const struct server_start *server_start(const struct server *server);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * server: one private ZooKeeper server on 127.0.0.1: its configuration, its process, its log.
 * Layer: servers.
 *
 * It runs under a supervisor (servers/supervisor.h), in a folder of its own there, with every
 * setting that matters for load written out. Alone it is standalone; with its peers it is a member
 * of an ensemble (servers/ensemble.h), which is what a program holds. Invariant: every setting that
 * shapes its load is in the settings of server_start, every limit of its memory in the command
 * line.
 */
#ifndef SERVERS_SERVER_H
#define SERVERS_SERVER_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/role.h"
#include "servers/server_config.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVER_COMMAND_SIZE (4 * (size_t)PATH_MAX)

/* What a JVM takes besides its heap, in practice: code, threads, the collector's books. */
#define SERVER_OVERHEAD_MIB 100

/* Heaps that are worth trying: with less a JVM does not come to serve. */
#define SERVER_HEAP_MIN_MIB 8
#define SERVER_HEAP_MAX_MIB 1000000

/* What a server is started with, for a manifest. */
struct server_start {
    char settings[SERVER_CONFIG_TEXT_SIZE]; /* the text of its zoo.cfg */
    char command_line[SERVER_COMMAND_SIZE]; /* with every flag */
    char java_version[128]; /* as the JVM names itself; "" before the server has served */
};

struct server;

/*
 * Configures a server and has the supervisor run it; whether it serves is another question
 * (server_serves). On success *server is the caller's to server_free; its process is the
 * supervisor's. Java is $JAVA_HOME/bin/java or that of the PATH, ZooKeeper is the Apache release at
 * $ZOOKEEPER_HOME or Debian's package. ERROR_NO_JAVA, ERROR_NO_ZOOKEEPER, or the operating
 * system's. The server inherits the limit of open files that the program had when it made the
 * supervisor.
 */
MUST_CHECK enum error_kind server_launch(const struct server_options *options,
                                         const struct server_place *place, struct server **server,
                                         struct error *error);

/* Frees what describes the server and ends nothing. NULL is fine. */
void server_free(struct server *server);

/* Whether it serves requests, and is ours: another program's server may have taken the port. The
 * role is written only then, within patience_ns or twice that. */
bool server_serves(struct server *server, uint64_t patience_ns, enum role *role);

/* Whether its log says that it could not have one of its ports. It may run on all the same, without
 * ever serving. */
bool server_lacks_port(const struct server *server);

/* Fills *error with this kind, the server as its subject and the end of its log as its detail. */
enum error_kind server_raise(const struct server *server, enum error_kind kind,
                             struct error *error);

/* Where it listens: 127.0.0.1 and its port; the server's. */
const struct endpoint *server_endpoint(const struct server *server);

/* The JVM's process. */
pid_t server_pid(const struct server *server);

/* Whether the JVM still runs. */
bool server_is_alive(const struct server *server);

/* CPU time that the JVM has used so far, all its threads, user and system, in nanoseconds; up to
 * its end if it was killed. ERROR_SERVER_DIED when it no longer runs for another reason. */
MUST_CHECK enum error_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns,
                                         struct error *error);

/* What the server was started with; the server's own. */
const struct server_start *server_start(const struct server *server);

#endif

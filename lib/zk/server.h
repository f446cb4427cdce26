// SPDX-License-Identifier: Apache-2.0
/*
 * server: a private ZooKeeper server on a free port of 127.0.0.1. Layer: zk.
 *
 * It runs in a temporary folder with every setting that matters for load written out. A keeper
 * (zk/keeper.h) watches over it.
 * Invariant: the server and its folder are gone when the program is, however the program ends.
 */
#ifndef ZK_SERVER_H
#define ZK_SERVER_H

#include "base/fault.h"
#include "zk/connect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct server;

struct server_options {
    unsigned heap_mib;         /* of the JVM, from its start on */
    bool fsync;                /* whether a transaction waits for the disk, as in production */
    uint64_t tick_ms;          /* ZooKeeper's tickTime; session timeouts are 2 ticks to an hour */
    const char *parent_folder; /* where the temporary folder goes; NULL: $TMPDIR, or /tmp */
};

/* 1 GiB, with fsync, a tick of 2 s, in $TMPDIR or /tmp. */
struct server_options server_options_default(void);

/*
 * Starts a standalone server and waits until it serves: 1 to 2 s as a rule, 60 s at most. On
 * success *server is the caller's to end with server_stop. Java is $JAVA_HOME/bin/java or that of
 * the PATH, ZooKeeper is the Apache release at $ZOOKEEPER_HOME or Debian's package.
 *
 * FAULT_NO_JAVA, FAULT_NO_ZOOKEEPER; FAULT_SERVER_DIED (it ended by itself: the last lines of its
 * log are the detail); FAULT_NO_ANSWER (it did not serve within 60 s); or the operating system's.
 *
 * To be called while the program has one thread: it forks. The server inherits the limit of open
 * files that the program has at this moment.
 */
MUST_CHECK enum fault_kind server_start(const struct server_options *options,
                                        struct server **server, struct fault *fault);

/* Ends the server, removes its folder and waits for that, about two seconds at most. NULL is fine.
 */
void server_stop(struct server *server);

/*
 * For a forked child of the program, a worker: lets go of the server and frees it, and ends
 * nothing. Without it the server is ended all the same when the program ends, but on kernels before
 * 5.3 only after the child. NULL is fine.
 */
void server_forget(struct server *server);

/* Where it listens: 127.0.0.1 and its port; the server's. */
const struct endpoint *server_endpoint(const struct server *server);

/* The JVM's process. */
pid_t server_pid(const struct server *server);

/* Whether the JVM still runs. */
bool server_alive(const struct server *server);

/* CPU time that the JVM has used so far, all its threads, user and system, in nanoseconds.
 * FAULT_SERVER_DIED when it no longer runs. */
MUST_CHECK enum fault_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns,
                                         struct fault *fault);

/* The JVM's resident memory now. FAULT_SERVER_DIED when it no longer runs. */
MUST_CHECK enum fault_kind server_rss_kib(const struct server *server, uint64_t *rss_kib,
                                          struct fault *fault);

/* For a manifest, all the server's own: its zoo.cfg; the command that runs it, with every flag; the
 * JVM's version as it names itself ("" if it does not). */
const char *server_settings_text(const struct server *server);
const char *server_command_line(const struct server *server);
const char *server_java_version(const struct server *server);

/* Writes the last whole lines of the server's log that fit into size bytes; "" if there is none.
 * Returns text. */
const char *server_log_tail(const struct server *server, char *text, size_t size);

#endif

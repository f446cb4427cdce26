// SPDX-License-Identifier: Apache-2.0
/*
 * cost: measures the cost of zkherd itself, for `make bench`. CPU times are those of the client's
 * process. Every measurement may return errors of errno.
 */
#ifndef TESTS_COST_COST_H
#define TESTS_COST_COST_H

#include "base/error.h"
#include "client/connect.h"

#include <stdint.h>
#include <sys/types.h>

struct setup_session;

/* ------------------------------------------------------------------ servers without ZooKeeper */

/* Starts a process that serves the connections of this listener, on a free port of the loopback
 * interface, until bare_server_stop. `serve` never returns. */
MUST_CHECK enum error_kind bare_server_start(void (*serve)(int listener), uint16_t *port,
                                             pid_t *server, struct error *error);
void bare_server_stop(pid_t server);

#define READ_SERVER_VALUE_BYTES 1024

/* The least that a server of reads can cost, for bare_server_start. It speaks enough of ZooKeeper's
 * protocol for the sessions of a load of reads: every znode exists and has the same value, every
 * other request succeeds, and the four-letter words are not answered. All requests that have
 * arrived on a connection are answered at once. So the clients, not the server, decide how many are
 * answered. */
void read_server_serve(int listener);

/* ------------------------------------------------------------------ bare clients */

/*
 * What messages on as many connections cost, without a ZooKeeper: a bare epoll loop that sends 64
 * bytes and receives 40 on each of its loopback connections, over and over, with one request
 * outstanding on each. *cpu_us: CPU time for a round trip. Every epoll_wait finds many connections
 * ready, which a real server never allows: bare_client_measure is the floor for that.
 */
MUST_CHECK enum error_kind floor_measure(uint32_t connections, uint64_t round_trips, double *cpu_us,
                                         struct error *error);

/*
 * The least that a client of a real server can cost: a bare epoll loop runs the non-scalable lock
 * as zkherd does in free pace. Each connection has a session, sends the same frames (CREATE, EXISTS
 * with a watch, DELETE), and reads the same replies and notifications. The loop has no library,
 * measures no latency, and checks only what decides the next request.
 *
 * Each session holds the lock once. *cpu_us: the CPU time for each request of the lock, without the
 * opening and the closing. lock: the znode that is the lock; its parent must exist. Errors of
 * tcp_connect, ERROR_CLOSED, ERROR_NO_ANSWER (for a minute), ERROR_ZOOKEEPER (an answer that does
 * not belong to this lock).
 */
MUST_CHECK enum error_kind bare_client_measure(const struct endpoint *server, const char *lock,
                                               uint32_t connections, double *cpu_us,
                                               struct error *error);

/* What a client of reads costs. */
struct reads_figures {
    double cpu_us; /* CPU time a read */
    double per_s;  /* reads */
};

/*
 * The least that reads through the client library can cost: a bare epoll loop makes the same calls
 * of the Apache C client's single-threaded build, and of the socket, as zkherd's event loop: it
 * reads up to 16 messages of a session in its turn, and pushes once what their completions have
 * sent, a read each. The loop counts replies, and nothing else: it takes no time, keeps no tags,
 * and has no histograms.
 *
 * In a process of its own: opens so many sessions with the server of this port, keeps `depth` reads
 * outstanding on each for so many seconds, and goes away. ERROR_SYSTEM if that process fails.
 */
MUST_CHECK enum error_kind bare_reads_measure(uint16_t port, uint32_t sessions, uint32_t depth,
                                              double seconds, struct reads_figures *figures,
                                              struct error *error);

/* ------------------------------------------------------------------ a load of reads */

/* Compares a load of `zkherd load`, with all that it counts and times, with bare_reads_measure, in
 * turn on a server of reads; the ratio of the CPU times is taken turn by turn. Prints them, the
 * goals beside. `setup` makes the folders of the load, which the sessions never ask for, below
 * `root`, and deletes them. */
MUST_CHECK enum error_kind reads_compare(struct setup_session *setup, const char *root,
                                         struct error *error);

#endif

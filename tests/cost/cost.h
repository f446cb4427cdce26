// SPDX-License-Identifier: Apache-2.0
/*
 * cost: measures the cost of zkherd itself, for `make bench`. CPU times are those of the client's
 * process. Any error ends the program, in words.
 */
#ifndef TESTS_COST_COST_H
#define TESTS_COST_COST_H

#include "base/error.h"
#include "client/connect.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

/* Ends the program unless the kind is ERROR_NONE. */
void must(enum error_kind kind, const struct error *error);

/* Ends the program with this error of a bare client, or of errno. */
_Noreturn void fail(enum error_kind kind, const char *what);
_Noreturn void fail_errno(const char *what);

/* ------------------------------------------------------------------ messages of ZooKeeper */

/* Kinds of request. */
enum { CREATE = 1, DELETE = 2, EXISTS = 3, GET = 4, SET = 5, CLOSE = -11 };

/* Each returns where the next field begins. */
static inline unsigned char *put(unsigned char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

static inline unsigned char *put_integer(unsigned char *at, int32_t value)
{
    uint32_t bytes = htonl((uint32_t)value);
    return put(at, &bytes, sizeof bytes);
}

static inline int32_t get_integer(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return (int32_t)ntohl(value);
}

/* ------------------------------------------------------------------ bare clients */

/*
 * The least that a client of a real server can cost: a bare epoll loop runs the non-scalable lock
 * as zkherd does in free pace. Each connection has a session, sends the same frames (CREATE, EXISTS
 * with a watch, DELETE), and reads the same replies and notifications. The loop has no library,
 * measures no latency, and checks only what decides the next request.
 *
 * Each session holds the lock once. Returns the CPU time for each request of the lock in
 * microseconds, without the opening and the closing. lock: the znode that is the lock; its parent
 * must exist.
 */
double bare_client_measure(const struct endpoint *server, const char *lock, uint32_t connections);

#define READ_SERVER_VALUE_BYTES 1024

/* Starts the process of the least that a server of reads can cost, and returns its port on the
 * loopback interface. It speaks enough of ZooKeeper's protocol for the sessions of a load of reads:
 * every znode exists and has the same value, every other request succeeds, and the four-letter
 * words are not answered. All requests that have arrived on a connection are answered at once. So
 * the clients, not the server, decide how many are answered. */
uint16_t read_server_start(void);
void read_server_stop(void);

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
 * outstanding on each for so many seconds, and goes away.
 */
struct reads_figures bare_reads_measure(uint16_t port, uint32_t sessions, uint32_t depth,
                                        double seconds);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * metrics_server: answers GET http://127.0.0.1:PORT/metrics. Layer: bench/metrics.
 *
 * It has no thread: requests wait in the kernel until metrics_server_answer. HTTP is
 * libmicrohttpd's.
 *
 * Invariant: nothing waits here, neither for a client that sends nothing nor for one that reads
 * nothing; only 127.0.0.1 is listened on.
 */
#ifndef BENCH_METRICS_METRICS_SERVER_H
#define BENCH_METRICS_METRICS_SERVER_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* Whose numbers are told. */
struct metrics_source {
    /* Writes them in the text format of Prometheus (bench/metrics/metrics_text.h). */
    void (*write)(void *context, FILE *stream);
    void *context;
};

struct metrics_server;

/* Listens; the source must outlive the server. *server is the caller's to metrics_server_stop.
 * ERROR_NO_HTTP_LIBRARY, ERROR_PORT_TAKEN, ERROR_DENIED, ERROR_SYSTEM, ERROR_NO_MEMORY and those of
 * errno. */
MUST_CHECK enum error_kind metrics_server_start(uint16_t port, const struct metrics_source *source,
                                                struct metrics_server **server,
                                                struct error *error);

/* Answers what has arrived. NULL is fine. */
void metrics_server_answer(struct metrics_server *server);

/* Closes all connections and the port. NULL is fine. */
void metrics_server_stop(struct metrics_server *server);

#endif

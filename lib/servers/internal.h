// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of private servers share. Layer: servers.
 *
 * Invariant: every setting that shapes load is in the text of zoo.cfg.
 */
#ifndef SERVERS_INTERNAL_H
#define SERVERS_INTERNAL_H

#include "base/error.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the last whole lines of a log that fit into size bytes. Returns text. */
const char *server_log_tail(const char *path, char *text, size_t size);

/* Writes how the JVM names itself and its version, by its log; "" if the log does not say. */
void server_log_find_java_version(const char *path, char *text, size_t size);

/* ------------------------------------------------------------------ ports of 127.0.0.1
 *
 * Invariant: the ports of one call are all different. */

struct server_ports {
    uint16_t client;
    uint16_t peer;     /* for followers, while the server leads; unused when standalone */
    uint16_t election; /* unused when standalone */
};

/* Sockets that hold ports. */
struct ports_reservation {
    int sockets[3 * ENSEMBLE_SERVERS_MAX];
    size_t count;
};

/* Finds ports that are free, for at most ENSEMBLE_SERVERS_MAX servers, and holds them until
 * ports_let_go. Those for clients are consecutive from `first` on; if `first` is 0, and for peers,
 * any. Whoever asks for any port gets none of them; whoever binds one with SO_REUSEADDR, as Java
 * does, can listen there. On an error *reservation is empty. ERROR_PORT_TAKEN, or the operating
 * system's. */
MUST_CHECK enum error_kind ports_reserve(uint16_t first, unsigned servers,
                                         struct server_ports *ports,
                                         struct ports_reservation *reservation,
                                         struct error *error);
void ports_let_go(struct ports_reservation *reservation);

/* ------------------------------------------------------------------ one server of an ensemble */

/* Configures a server, whose ensemble has its count of servers, and runs it. Errors of
 * supervisor_run. */
MUST_CHECK enum error_kind server_launch(struct ensemble *ensemble, unsigned index,
                                         const struct server_ports *ports, struct error *error);

/* Runs the server for the first time, or in the place of the JVM that was killed. */
MUST_CHECK enum error_kind server_run(struct ensemble *ensemble, unsigned index,
                                      struct error *error);

/* Whether the server serves requests; its role is written only then. Another program's server on
 * the same port does not count. Waits for each of two answers, patience_ns at most. */
bool server_serves(const struct ensemble *ensemble, struct server *server, uint64_t patience_ns);

/* Whether the log says that one of the server's ports was taken. Such a server may run on without
 * ever serving. */
bool server_lacks_port(const struct server *server);

/* Fills *error: the server is the subject, the end of its log the detail; or, if a SIGKILL has
 * ended it, of which no log knows, that. Returns kind. */
enum error_kind server_raise(const struct server *server, enum error_kind kind,
                             struct error *error);

#endif

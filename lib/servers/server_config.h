// SPDX-License-Identifier: Apache-2.0
/*
 * server_config: the folder of a private server, and what the server is told there. Layer: servers,
 * below server.
 *
 * Invariant: every setting that shapes load is in the text of zoo.cfg.
 */
#ifndef SERVERS_SERVER_CONFIG_H
#define SERVERS_SERVER_CONFIG_H

#include "base/error.h"
#include "servers/supervisor.h"

#include <stdbool.h>
#include <stdint.h>

/* What is in the folder; how a JVM is to log, for whichever logging its release brings. */
#define SERVER_CONFIG_ZOO     "zoo.cfg"
#define SERVER_CONFIG_LOGBACK "zkherd-logback.xml"
#define SERVER_CONFIG_LOG4J   "zkherd-log4j.properties"

#define SERVER_CONFIG_TEXT_SIZE 4096

struct server_options {
    unsigned heap_mib; /* of the JVM, reserved from its start on */
    bool fsync;        /* whether a transaction waits for the disk, as in production */
    uint64_t tick_ms;  /* ZooKeeper's tickTime; session timeouts are 2 ticks to an hour */
};

struct server_ports {
    uint16_t client;
    uint16_t peer;     /* the leader's, for its followers; standalone: unused */
    uint16_t election; /* standalone: unused */
};

/* Under which supervisor a server runs, and as which of how many. */
struct server_place {
    struct supervisor *supervisor;
    const struct server_ports *ports; /* of all the servers of its ensemble */
    unsigned count;                   /* 1: standalone */
    unsigned index;                   /* from 0; ZooKeeper's server.1 has index 0 */
};

/* Makes the folder of this name in the supervisor's, and writes what belongs there. The text, of
 * SERVER_CONFIG_TEXT_SIZE, becomes that of zoo.cfg. Errors are the operating system's. */
MUST_CHECK enum error_kind server_config_write(const struct server_options *options,
                                               const struct server_place *place, const char *name,
                                               char *text, struct error *error);

#endif

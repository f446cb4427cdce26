// SPDX-License-Identifier: Apache-2.0
/*
 * server_config: the folder of a private server, with its configuration files. Layer: servers,
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

/* Files in the folder. Of the two for logging a release reads the one for its library. */
#define SERVER_CONFIG_ZOO     "zoo.cfg"
#define SERVER_CONFIG_LOGBACK "zkherd-logback.xml"
#define SERVER_CONFIG_LOG4J   "zkherd-log4j.properties"

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

/* Makes the folder `name` inside the supervisor's, and writes its files. text receives the text of
 * zoo.cfg (SERVER_CONFIG_TEXT_SIZE bytes). Errors are the operating system's. */
MUST_CHECK enum error_kind server_config_write(const struct server_options *options,
                                               const struct server_place *place, const char *name,
                                               char *text, struct error *error);

#endif

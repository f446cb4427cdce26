// SPDX-License-Identifier: Apache-2.0
/*
 * configuration: the folder of a private server, and what the server is told there. Layer: zk,
 * below server.
 *
 * Invariant: every setting that shapes load is in the text of zoo.cfg.
 */
#ifndef ZK_CONFIGURATION_H
#define ZK_CONFIGURATION_H

#include "base/fault.h"
#include "zk/server.h"

/* What is in the folder; how a JVM is to log, for whichever logging its release brings. */
#define CONFIGURATION_ZOO     "zoo.cfg"
#define CONFIGURATION_LOGBACK "zkherd-logback.xml"
#define CONFIGURATION_LOG4J   "zkherd-log4j.properties"

#define CONFIGURATION_TEXT_SIZE 4096

/* Makes the folder of this name in the keeper's, and writes what belongs there. The text, of
 * CONFIGURATION_TEXT_SIZE, becomes that of zoo.cfg. Faults are the operating system's. */
MUST_CHECK enum fault_kind configuration_write(const struct server_options *options,
                                               const struct server_place *place, const char *name,
                                               char *text, struct fault *fault);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * install: where Java and ZooKeeper's server are installed. Layer: servers.
 *
 * Invariant: all paths are absolute.
 */
#ifndef SERVERS_INSTALL_H
#define SERVERS_INSTALL_H

#include "base/error.h"

#include <stddef.h>

/* Writes the path of $JAVA_HOME/bin/java, or else of the java in the PATH. ERROR_NO_JAVA. */
MUST_CHECK enum error_kind install_find_java(char *path, size_t size, struct error *error);

/* Writes the class path of ZooKeeper's server: of the Apache release at $ZOOKEEPER_HOME if this is
 * set, else of Debian's package. ERROR_NO_ZOOKEEPER, also for a ZOOKEEPER_HOME without a server. */
MUST_CHECK enum error_kind install_find_zookeeper(char *class_path, size_t size,
                                                  struct error *error);

#endif

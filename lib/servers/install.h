// SPDX-License-Identifier: Apache-2.0
/*
 * install: where this machine has Java and ZooKeeper's server. Layer: servers.
 *
 * Invariant: what is found is written as absolute paths, so that it can be run from any folder.
 */
#ifndef SERVERS_INSTALL_H
#define SERVERS_INSTALL_H

#include "base/error.h"

#include <stddef.h>

/* Writes the path of Java, $JAVA_HOME/bin/java or else the PATH's, or returns ERROR_NO_JAVA. */
MUST_CHECK enum error_kind install_find_java(char *path, size_t size, struct error *error);

/*
 * Writes the class path of ZooKeeper's server: that of the Apache release at $ZOOKEEPER_HOME if
 * this is set, else that of Debian's package. Or returns ERROR_NO_ZOOKEEPER: a ZOOKEEPER_HOME that
 * has none is not passed over in silence.
 */
MUST_CHECK enum error_kind install_find_zookeeper(char *class_path, size_t size,
                                                  struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * install: where Java and ZooKeeper's server are installed. Layer: servers.
 *
 * Invariant: all paths are absolute.
 */
#ifndef SERVERS_INSTALL_H
#define SERVERS_INSTALL_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

#define INSTALL_CLASS_PATH_SIZE (5 * (size_t)PATH_MAX)

/* Writes the path of $JAVA_HOME/bin/java, or else of the java in the PATH. ERROR_NO_JAVA. */
MUST_CHECK enum error_kind install_find_java(char *path, size_t size, struct error *error);

/* A server's jars, as a user's machine has them. */
struct install {
    char home[PATH_MAX];
    char class_path[INSTALL_CLASS_PATH_SIZE];
};

/* Looks at a home: the folder of an Apache release, with zookeeper-VERSION.jar in lib or itself, or
 * a folder in which Debian's zookeeper.jar lies, such as /usr/share/java. NULL: $ZOOKEEPER_HOME if
 * this is set, else Debian's package. ERROR_NO_ZOOKEEPER: no server is there, or more than one. */
MUST_CHECK enum error_kind install_find_zookeeper(const char *home, struct install *install,
                                                  struct error *error);

#endif

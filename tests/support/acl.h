// SPDX-License-Identifier: Apache-2.0
/*
 * acl: znodes on the server outside that do not allow everybody everything. Whoever includes this
 * is linked with the ZooKeeper client library.
 */
#ifndef TESTS_ACL_H
#define TESTS_ACL_H

#include <zookeeper/zookeeper.h>

/* The znode stays. */
void acl_create(const char *path, int permissions);

/* Until acl_open nobody may read its data or list its children. */
void acl_forbid_reading(const char *path);

void acl_open(const char *path);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * acl: znodes on the server outside whose ACL forbids something. A test that includes this must be
 * linked with the ZooKeeper client library.
 */
#ifndef TESTS_ACL_H
#define TESTS_ACL_H

#include <stdbool.h>
#include <zookeeper/zookeeper.h>

/* Creates a persistent znode. */
void acl_create(const char *path, int permissions);

/* From now on everybody has these permissions, and nobody any others. */
void acl_allow(const char *path, int permissions);

/* Until acl_open nobody may read its data or list its children. */
void acl_forbid_reading(const char *path);

void acl_open(const char *path);

/* Whether the server does not even say that a znode exists that nobody may read: since 3.9.3
 * (ZOOKEEPER-2590). */
bool acl_hides(const char *path);

#endif

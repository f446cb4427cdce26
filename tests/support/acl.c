// SPDX-License-Identifier: Apache-2.0
#include "tests/support/acl.h"

#include "tests/support/outside.h"

static void acl_answered(int status, const void *context)
{
    *(int *)(uintptr_t)context = status;
}

static void acl_created(int status, const char *path, const void *context)
{
    (void)path;
    acl_answered(status, context);
}

static void acl_turn(zhandle_t *zk)
{
    int fd = -1, interest = 0;
    struct timeval patience = {0};
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    zookeeper_interest(zk, &fd, &interest, &patience);
    if (fd >= 0 && (interest & ZOOKEEPER_READ) != 0)
        FD_SET(fd, &readable);
    if (fd >= 0 && (interest & ZOOKEEPER_WRITE) != 0)
        FD_SET(fd, &writable);
    int ready = select(fd + 1, &readable, &writable, NULL, &(struct timeval){.tv_usec = 10000});
    int events = ready > 0 && FD_ISSET(fd, &readable) ? ZOOKEEPER_READ : 0;
    events |= ready > 0 && FD_ISSET(fd, &writable) ? ZOOKEEPER_WRITE : 0;
    zookeeper_process(zk, events);
}

/* Creates a znode, or changes the ACL of one: everybody has these permissions, and nobody any
 * others. */
static void acl_request(const char *path, int permissions, bool creates)
{
    char scheme[] = "world", whoever[] = "anyone";
    struct ACL entry = {permissions, {scheme, whoever}};
    struct ACL_vector list = {1, &entry};
    int status = 1;
    uint64_t until_ns = clock_now_ns() + 10 * NS_PER_S;
    zoo_set_debug_level((ZooLogLevel)0);
    zhandle_t *zk = zookeeper_init(outside, NULL, 10000, NULL, NULL, 0);
    assert_non_null(zk);
    int sent = creates ? zoo_acreate(zk, path, "", 0, &list, 0, acl_created, &status)
                       : zoo_aset_acl(zk, path, -1, &list, acl_answered, &status);
    assert_int_equal(sent, ZOK);
    while (status == 1 && clock_now_ns() < until_ns)
        acl_turn(zk);
    assert_int_equal(status, ZOK);
    zookeeper_close(zk);
}

void acl_create(const char *path, int permissions)
{
    acl_request(path, permissions, true);
}

void acl_forbid_reading(const char *path)
{
    acl_request(path, ZOO_PERM_ALL & ~ZOO_PERM_READ, false);
}

void acl_open(const char *path)
{
    acl_request(path, ZOO_PERM_ALL, false);
}

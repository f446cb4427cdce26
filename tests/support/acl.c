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

static void acl_looked(int status, const struct Stat *stat, const void *context)
{
    (void)stat;
    acl_answered(status, context);
}

enum acl_deed { ACL_CREATE, ACL_SET, ACL_LOOK };

static int acl_send(zhandle_t *zk, enum acl_deed deed, const char *path, int permissions,
                    int *status)
{
    char scheme[] = "world", whoever[] = "anyone";
    struct ACL entry = {permissions, {scheme, whoever}};
    struct ACL_vector list = {1, &entry};
    if (deed == ACL_LOOK)
        return zoo_aexists(zk, path, 0, acl_looked, status);
    return deed == ACL_CREATE ? zoo_acreate(zk, path, "", 0, &list, 0, acl_created, status)
                              : zoo_aset_acl(zk, path, -1, &list, acl_answered, status);
}

/* Creates a znode, or changes the ACL of one: everybody has these permissions, and nobody any
 * others; or asks whether it exists. Returns what the server answers. */
static int acl_request(enum acl_deed deed, const char *path, int permissions)
{
    int status = 1;
    uint64_t until_ns = clock_now_ns() + 10 * NS_PER_S;
    zoo_set_debug_level((ZooLogLevel)0);
    zhandle_t *zk = zookeeper_init(outside, NULL, 10000, NULL, NULL, 0);
    assert_non_null(zk);
    assert_int_equal(acl_send(zk, deed, path, permissions, &status), ZOK);
    while (status == 1 && clock_now_ns() < until_ns)
        acl_turn(zk);
    zookeeper_close(zk);
    return status;
}

void acl_create(const char *path, int permissions)
{
    assert_int_equal(acl_request(ACL_CREATE, path, permissions), ZOK);
}

void acl_allow(const char *path, int permissions)
{
    assert_int_equal(acl_request(ACL_SET, path, permissions), ZOK);
}

void acl_forbid_reading(const char *path)
{
    acl_allow(path, ZOO_PERM_ALL & ~ZOO_PERM_READ);
}

void acl_open(const char *path)
{
    acl_allow(path, ZOO_PERM_ALL);
}

bool acl_hides(const char *path)
{
    int status = acl_request(ACL_LOOK, path, 0);
    assert_true(status == ZOK || status == ZNOAUTH);
    return status == ZNOAUTH;
}

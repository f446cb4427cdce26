// SPDX-License-Identifier: Apache-2.0
/*
 * n clients of zoo_lock, the lock that ZooKeeper ships for C, a session each, lock one lock once:
 * zoo_lock_clients N CONNECT
 *
 * zkr_lock_lock of a client that must wait returns once its watch is set, so that every run has the
 * same messages.
 */
#include <semaphore.h>
#include <stdlib.h>
#include <zoo_lock.h>

static sem_t connected, granted;

static void watch(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    (void)zh, (void)path, (void)context;
    if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE)
        sem_post(&connected);
}

/* 0: acquired; 1: released. */
static void complete(int result, void *context)
{
    (void)context;
    if (result == 0)
        sem_post(&granted);
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    zkr_lock_mutex_t *locks = calloc(n, sizeof *locks);
    zhandle_t **sessions = calloc(n, sizeof(zhandle_t *));
    char path[] = "/recipe";
    sem_init(&connected, 0, 0);
    sem_init(&granted, 0, 0);
    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    for (size_t i = 0; i < n; i++) {
        sessions[i] = zookeeper_init(argv[2], watch, 30000, NULL, NULL, 0);
        sem_wait(&connected);
        zkr_lock_init_cb(&locks[i], sessions[i], path, &ZOO_OPEN_ACL_UNSAFE, complete, NULL);
        zkr_lock_lock(&locks[i]);
    }
    for (size_t i = 0; i < n; i++) {
        sem_wait(&granted);
        zkr_lock_unlock(&locks[i]);
    }
    for (size_t i = 0; i < n; i++)
        zookeeper_close(sessions[i]);
    free(sessions);
    free(locks);
}

// SPDX-License-Identifier: Apache-2.0
#include "client/socket_owner.h"

#include "base/clock.h"

#include <time.h>

#define FIND_NS       (2 * NS_PER_S)   /* for all searches in a row that find nothing */
#define FIND_LEAST_NS (20 * NS_PER_MS) /* for each search */
#define FIND_STEP_NS  (50 * NS_PER_US)

void socket_owners_init(struct socket_owners *owners)
{
    *owners = (struct socket_owners){.first = NULL};
    pthread_mutex_init(&owners->mutex, NULL);
}

void socket_owners_deinit(struct socket_owners *owners)
{
    pthread_mutex_destroy(&owners->mutex);
}

void socket_owner_init(struct socket_owner *socket_owner, struct socket_owners *owners)
{
    *socket_owner = (struct socket_owner){.owners = owners, .descriptor = -1};
}

void socket_owner_find(struct socket_owner *socket_owner, const struct socket_info_search *search)
{
    const struct timespec step = {.tv_nsec = FIND_STEP_NS};
    struct socket_owners *owners = socket_owner->owners;
    uint64_t begun_ns = clock_now_ns(), most_ns = FIND_LEAST_NS;
    if (owners->searched_ns + FIND_LEAST_NS < FIND_NS)
        most_ns = FIND_NS - owners->searched_ns;
    while ((socket_owner->descriptor = socket_info_find(search)) < 0 &&
           clock_now_ns() - begun_ns < most_ns)
        nanosleep(&step, NULL);
    pthread_mutex_lock(&owners->mutex);
    owners->searched_ns =
        socket_owner->descriptor < 0 ? owners->searched_ns + clock_now_ns() - begun_ns : 0;
    socket_owner->cookie = socket_info_cookie(socket_owner->descriptor);
    socket_owner->next = owners->first;
    owners->first = socket_owner;
    pthread_mutex_unlock(&owners->mutex);
}

static bool is_anothers(const struct socket_owner *socket_owner, uint64_t cookie)
{
    for (const struct socket_owner *other = socket_owner->owners->first; other != NULL;
         other = other->next) {
        if (other != socket_owner && other->cookie == cookie)
            return true;
    }
    return false;
}

void socket_owner_confirm(struct socket_owner *socket_owner)
{
    pthread_mutex_lock(&socket_owner->owners->mutex);
    uint64_t cookie = socket_info_cookie(socket_owner->descriptor);
    if (cookie != socket_owner->cookie) {
        if (cookie == 0 || is_anothers(socket_owner, cookie))
            socket_owner->descriptor = -1;
        socket_owner->cookie = socket_owner->descriptor < 0 ? 0 : cookie;
    }
    pthread_mutex_unlock(&socket_owner->owners->mutex);
}

bool socket_owner_stands(const struct socket_owner *socket_owner)
{
    return socket_owner->cookie != 0 &&
           socket_info_cookie(socket_owner->descriptor) == socket_owner->cookie;
}

void socket_owner_drop(struct socket_owner *socket_owner)
{
    pthread_mutex_lock(&socket_owner->owners->mutex);
    struct socket_owner **at = &socket_owner->owners->first;
    while (*at != NULL && *at != socket_owner)
        at = &(*at)->next;
    if (*at != NULL)
        *at = socket_owner->next;
    socket_owner->descriptor = -1;
    socket_owner->cookie = 0;
    pthread_mutex_unlock(&socket_owner->owners->mutex);
}

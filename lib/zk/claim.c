// SPDX-License-Identifier: Apache-2.0
#include "zk/claim.h"

#include "base/clock.h"

#include <time.h>

#define FIND_NS      (2 * NS_PER_S)
#define FIND_STEP_NS (50 * NS_PER_US)

void claims_init(struct claims *claims)
{
    claims->first = NULL;
    pthread_mutex_init(&claims->mutex, NULL);
}

void claims_deinit(struct claims *claims)
{
    pthread_mutex_destroy(&claims->mutex);
}

void claim_init(struct claim *claim, struct claims *claims)
{
    *claim = (struct claim){.claims = claims, .descriptor = -1};
}

void claim_find(struct claim *claim, const struct connection_search *search)
{
    const struct timespec step = {.tv_nsec = FIND_STEP_NS};
    uint64_t until_ns = clock_now_ns() + FIND_NS;
    while ((claim->descriptor = connection_find(search)) < 0 && clock_now_ns() < until_ns)
        nanosleep(&step, NULL);
    pthread_mutex_lock(&claim->claims->mutex);
    claim->cookie = connection_cookie(claim->descriptor);
    claim->next = claim->claims->first;
    claim->claims->first = claim;
    pthread_mutex_unlock(&claim->claims->mutex);
}

static bool is_anothers(const struct claim *claim, uint64_t cookie)
{
    for (const struct claim *other = claim->claims->first; other != NULL; other = other->next) {
        if (other != claim && other->cookie == cookie)
            return true;
    }
    return false;
}

void claim_confirm(struct claim *claim)
{
    pthread_mutex_lock(&claim->claims->mutex);
    uint64_t cookie = connection_cookie(claim->descriptor);
    if (cookie != claim->cookie) {
        if (cookie == 0 || is_anothers(claim, cookie))
            claim->descriptor = -1;
        claim->cookie = claim->descriptor < 0 ? 0 : cookie;
    }
    pthread_mutex_unlock(&claim->claims->mutex);
}

bool claim_stands(const struct claim *claim)
{
    return claim->cookie != 0 && connection_cookie(claim->descriptor) == claim->cookie;
}

void claim_drop(struct claim *claim)
{
    pthread_mutex_lock(&claim->claims->mutex);
    struct claim **at = &claim->claims->first;
    while (*at != NULL && *at != claim)
        at = &(*at)->next;
    if (*at != NULL)
        *at = claim->next;
    claim->descriptor = -1;
    claim->cookie = 0;
    pthread_mutex_unlock(&claim->claims->mutex);
}

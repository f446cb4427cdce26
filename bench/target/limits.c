// SPDX-License-Identifier: Apache-2.0
/* How many sessions servers allow, and the numbers of clients that are within that. */
#include "bench/target/target.h"

#include <stdio.h>

static uint64_t share_of(uint64_t sessions, const struct connect_string *servers)
{
    return (sessions + servers->count - 1) / servers->count;
}

struct target_limit target_limit_of(const struct connect_string *servers, const uint64_t rooms[],
                                    uint64_t most, uint64_t companions)
{
    struct target_limit limit = {.sessions = UINT64_MAX,
                                 .reserved = TARGET_LIMIT_RESERVED + share_of(companions, servers)};
    for (size_t i = 0; i < servers->count; i++) {
        uint64_t own = rooms[i] > limit.reserved ? rooms[i] - limit.reserved : 0;
        /* The sessions of server j are j, j + count, j + 2 count … */
        uint64_t sessions = own == 0 ? 0 : own * servers->count + i;
        if (own >= share_of(most, servers) || sessions >= limit.sessions)
            continue;
        limit.sessions = sessions;
        limit.room = rooms[i];
        endpoint_typed(&servers->endpoints[i], limit.server, sizeof limit.server);
    }
    return limit;
}

enum error_kind target_limit_fit(const struct target_limit *limit, uint64_t max_clients,
                                 struct levels *clients, char *text, size_t size,
                                 struct error *error)
{
    uint64_t most = limit->sessions < max_clients ? limit->sessions : max_clients;
    char why[ENDPOINT_TEXT_SIZE + 400], to[32] = "";
    text[0] = '\0';
    for (; clients->count > 0 && clients->list[clients->count - 1] > most; clients->left_out++)
        clients->count--;
    if (clients->count == 0)
        return error_raise(
            error, ERROR_CONNECTION_LIMIT, 0, limit->server,
            "%llu at a time (maxClientCnxns), %llu of them for zkherd's own use, and the "
            "smallest number of --clients is %llu",
            (unsigned long long)limit->room, (unsigned long long)limit->reserved,
            (unsigned long long)clients->list[0]);
    if (clients->left_out == 0)
        return ERROR_NONE;
    const uint64_t *out = clients->list + clients->count;
    if (clients->left_out > 1)
        snprintf(to, sizeof to, " to %llu", (unsigned long long)out[clients->left_out - 1]);
    if (max_clients < limit->sessions)
        snprintf(why, sizeof why, "--max-clients %llu", (unsigned long long)max_clients);
    else
        snprintf(why, sizeof why,
                 "%s takes %llu connections from this host at a time (maxClientCnxns), %llu of "
                 "them for zkherd's own use; use fewer clients, maxClientCnxns=0 in the server's "
                 "zoo.cfg, or more servers of its ensemble",
                 limit->server, (unsigned long long)limit->room,
                 (unsigned long long)limit->reserved);
    snprintf(text, size, "n = %llu%s left out: %s", (unsigned long long)out[0], to, why);
    return ERROR_NONE;
}

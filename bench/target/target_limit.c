// SPDX-License-Identifier: Apache-2.0
#include "bench/target/target_limit.h"

#include <stdio.h>

/* So many numbers are named one by one. */
#define LISTED_MAX 6

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

/* "64, 128 and 256" */
static void list_left_out(const struct levels *clients, char *text, size_t size)
{
    const uint64_t *out = clients->list + clients->count;
    size_t length = 0, count = clients->left_out;
    if (count > LISTED_MAX) {
        snprintf(text, size, "%llu to %llu (%zu client counts)", (unsigned long long)out[0],
                 (unsigned long long)out[count - 1], count);
        return;
    }
    for (size_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%llu",
                                   i == 0           ? ""
                                   : i == count - 1 ? " and "
                                                    : ", ",
                                   (unsigned long long)out[i]);
}

/* Six or more levels that the servers allow, if there are so many. */
static void suggest_levels(uint64_t sessions, char *text, size_t size)
{
    text[0] = '\0';
    unsigned long long step = sessions >= 48 ? 8 : sessions / 6;
    if (sessions >= 6)
        snprintf(text, size, "-n %llu..%llu+%llu, ", step, sessions - sessions % step, step);
}

static void explain(const struct target_limit *limit, uint64_t max_clients,
                    const struct levels *clients, char *text, size_t size)
{
    char left_out[160], levels[48];
    list_left_out(clients, left_out, sizeof left_out);
    if (max_clients < limit->sessions) {
        snprintf(text, size, "n = %s left out: --max-clients %llu", left_out,
                 (unsigned long long)max_clients);
        return;
    }
    suggest_levels(limit->sessions, levels, sizeof levels);
    snprintf(text, size,
             "n = %s left out: %s takes %llu connections from this host at a time "
             "(maxClientCnxns), %llu of them for zkherd's own use; use %smaxClientCnxns=0 in the "
             "server's zoo.cfg, or more servers of its ensemble",
             left_out, limit->server, (unsigned long long)limit->room,
             (unsigned long long)limit->reserved, levels);
}

enum error_kind target_limit_fit(const struct target_limit *limit, uint64_t max_clients,
                                 struct levels *clients, char *text, size_t size,
                                 struct error *error)
{
    uint64_t most = limit->sessions < max_clients ? limit->sessions : max_clients;
    text[0] = '\0';
    while (clients->count > 0 && clients->list[clients->count - 1] > most) {
        clients->count--;
        clients->left_out++;
    }
    if (clients->count == 0)
        return error_raise(
            error, ERROR_CONNECTION_LIMIT, 0, limit->server,
            "%llu at a time (maxClientCnxns), %llu of them for zkherd's own use, and the "
            "smallest number of --clients is %llu",
            (unsigned long long)limit->room, (unsigned long long)limit->reserved,
            (unsigned long long)clients->list[0]);
    if (clients->left_out > 0)
        explain(limit, max_clients, clients, text, size);
    return ERROR_NONE;
}

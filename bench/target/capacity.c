// SPDX-License-Identifier: Apache-2.0
#include "bench/target/capacity.h"

#include "base/clock.h"
#include "servers/connection_limit.h"

#include <stdio.h>
#include <string.h>

#define TRY_NS (10 * NS_PER_S)

/* So many numbers are named one by one. */
#define LISTED_MAX 6

static uint64_t share_of(uint64_t sessions, const struct connect_string *servers)
{
    return (sessions + servers->count - 1) / servers->count;
}

void capacity_init(struct capacity *capacity, const struct connect_string *servers,
                   uint64_t companions)
{
    *capacity = (struct capacity){.sessions = UINT64_MAX,
                                  .reserved = CAPACITY_RESERVED + share_of(companions, servers)};
}

/* The sessions of server j are j, j + count, j + 2 count … */
void capacity_heed(struct capacity *capacity, const struct connect_string *servers, size_t index,
                   uint64_t room)
{
    uint64_t own = room > capacity->reserved ? room - capacity->reserved : 0;
    uint64_t sessions = own * servers->count + index;
    if (own == 0)
        sessions = 0;
    if (sessions >= capacity->sessions)
        return;
    capacity->sessions = sessions;
    capacity->room = room;
    endpoint_typed(&servers->endpoints[index], capacity->server, sizeof capacity->server);
}

enum error_kind capacity_look(const struct connect_string *servers, uint64_t most,
                              uint64_t companions, struct capacity *capacity, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    capacity_init(capacity, servers, companions);
    uint64_t wanted = share_of(most, servers) + capacity->reserved;
    for (size_t i = 0; kind == ERROR_NONE && i < servers->count; i++) {
        uint64_t room;
        kind = connection_limit_try(&servers->endpoints[i], wanted, TRY_NS, &room, error);
        if (kind == ERROR_NONE && room != CONNECTION_LIMIT_ENOUGH)
            capacity_heed(capacity, servers, i, room);
    }
    return kind;
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

static void explain(const struct capacity *capacity, uint64_t max_clients,
                    const struct levels *clients, char *text, size_t size)
{
    char left_out[160], levels[48];
    list_left_out(clients, left_out, sizeof left_out);
    if (max_clients < capacity->sessions) {
        snprintf(text, size, "n = %s left out: --max-clients %llu", left_out,
                 (unsigned long long)max_clients);
        return;
    }
    suggest_levels(capacity->sessions, levels, sizeof levels);
    snprintf(text, size,
             "n = %s left out: %s takes %llu connections from this host at a time "
             "(maxClientCnxns), %llu of them for zkherd's own use; use %smaxClientCnxns=0 in the "
             "server's zoo.cfg, or more servers of its ensemble",
             left_out, capacity->server, (unsigned long long)capacity->room,
             (unsigned long long)capacity->reserved, levels);
}

static enum error_kind raise_too_few(const struct capacity *capacity, const struct levels *clients,
                                     struct error *error)
{
    return error_raise(
        error, ERROR_CONNECTION_LIMIT, 0, capacity->server,
        "%llu at a time (maxClientCnxns), %llu of them for zkherd's own use, and the "
        "smallest number of --clients is %llu",
        (unsigned long long)capacity->room, (unsigned long long)capacity->reserved,
        (unsigned long long)clients->list[0]);
}

enum error_kind capacity_fit(const struct capacity *capacity, uint64_t max_clients,
                             struct levels *clients, char *text, size_t size, struct error *error)
{
    uint64_t most = capacity->sessions < max_clients ? capacity->sessions : max_clients;
    text[0] = '\0';
    while (clients->count > 0 && clients->list[clients->count - 1] > most) {
        clients->count--;
        clients->left_out++;
    }
    if (clients->count == 0)
        return raise_too_few(capacity, clients, error);
    if (clients->left_out > 0)
        explain(capacity, max_clients, clients, text, size);
    return ERROR_NONE;
}

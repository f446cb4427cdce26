// SPDX-License-Identifier: Apache-2.0
#include "bench/target/others.h"

#include "base/clock.h"
#include "fleet/server_counters.h"

#include <time.h>

struct others others_count(const struct target *target)
{
    struct server_counters counters = {.servers = &target->servers};
    struct server_counters_reading before, after;
    struct error error;
    if (server_counters_read(&counters, &before, &error) != ERROR_NONE)
        return (struct others){0};
    uint64_t begun_ns = clock_now_ns();
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    double seconds = (double)(clock_now_ns() - begun_ns) / 1e9;
    if (server_counters_read(&counters, &after, &error) != ERROR_NONE)
        return (struct others){0};
    struct server_counters_count count = server_counters_subtract(&before, &after);
    if (!count.known || after.connections < 2)
        return (struct others){0};
    return (struct others){.clients = after.connections - 1,
                           .requests_per_s =
                               (uint64_t)((double)count.packets_received / seconds + 0.5)};
}

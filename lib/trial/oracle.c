// SPDX-License-Identifier: Apache-2.0
#include "trial/oracle.h"

#include "base/clock.h"
#include "zk/admin.h"

#define TIMEOUT_NS (5 * NS_PER_S)

/* Adds one server's counters; *told turns false if it does not tell. */
static enum fault_kind add_server(const struct endpoint *endpoint, struct oracle_reading *reading,
                                  struct fault *fault)
{
    struct admin_counters counters;
    enum fault_kind kind = admin_counters(endpoint, TIMEOUT_NS, &counters, fault);
    if (kind == FAULT_NOT_WHITELISTED || kind == FAULT_ZOOKEEPER) {
        reading->told = false;
        return FAULT_NONE;
    }
    if (kind != FAULT_NONE)
        return kind;
    reading->words++;
    reading->writes += counters.writes;
    reading->notifications += counters.notifications_sent;
    reading->packets_received += counters.packets_received - 1;
    reading->watches += counters.watch_count;
    reading->ephemerals += counters.ephemerals_count;
    return FAULT_NONE;
}

enum fault_kind oracle_check(const struct oracle *oracle, struct fault *fault)
{
    uint64_t cpu_ns;
    if (oracle->private_server == NULL || server_alive(oracle->private_server))
        return FAULT_NONE;
    return server_cpu_ns(oracle->private_server, &cpu_ns, fault);
}

enum fault_kind oracle_read(const struct oracle *oracle, struct oracle_reading *reading,
                            struct fault *fault)
{
    *reading = (struct oracle_reading){.told = true};
    enum fault_kind kind = FAULT_NONE;
    for (size_t i = 0; kind == FAULT_NONE && reading->told && i < oracle->servers->count; i++)
        kind = add_server(&oracle->servers->endpoints[i], reading, fault);
    if (kind == FAULT_NONE && oracle->private_server != NULL) {
        reading->cpu_known = true;
        kind = server_cpu_ns(oracle->private_server, &reading->cpu_ns, fault);
    }
    return kind;
}

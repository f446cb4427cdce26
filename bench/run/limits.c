// SPDX-License-Identifier: Apache-2.0
#include "bench/run/limits.h"

#include "bench/cli/machine.h"
#include "bench/target/resources.h"

/* The client library numbers the requests of a process with 31 bits, beginning with the time of
 * day. */
#define REQUESTS_PER_PROCESS UINT64_C(300000000)

void limits_warn(const struct options *options, const struct cells *cells, size_t server_count,
                 struct record *record)
{
    if (options->target.driver == DRIVER_SIMULATED)
        return;
    uint64_t most_rpcs = 0,
             most_clients = options->plan.clients.list[options->plan.clients.count - 1];
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->list[i].rpcs > most_rpcs)
            most_rpcs = cells->list[i].rpcs;
    }
    if (most_rpcs / options->plan.processes > REQUESTS_PER_PROCESS)
        record_warn(record, "a trial makes more requests than the client library can number in one "
                            "process: spread it with --processes");
    if (resources_warning(&options->target, server_count) != NULL)
        record_warn(record, "%s", resources_warning(&options->target, server_count));
    if (most_clients / server_count > machine_local_ports())
        record_warn(record, "more clients than local ports for one server "
                            "(net.ipv4.ip_local_port_range): not all of them will get a "
                            "connection");
}

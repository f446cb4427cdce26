// SPDX-License-Identifier: Apache-2.0
#include "bench/run/limits.h"

#include "bench/output/machine.h"
#include "client/library.h"
#include "servers/ensemble.h"

/* The client library numbers the requests of a process with 31 bits, beginning with the time of
 * day. */
#define REQUESTS_PER_PROCESS UINT64_C(300000000)

/* Reports a missing library once, before a server is started. The set-up session is always on
 * events. */
static enum error_kind check_libraries(const struct options *options, struct error *error)
{
    struct library library;
    if (options->target.driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    enum error_kind kind = library_load(LIBRARY_ST, &library, error);
    if (kind == ERROR_NONE && options->target.driver == DRIVER_THREADS)
        kind = library_load(LIBRARY_MT, &library, error);
    return kind;
}

/* Those of all topologies run beside each other. */
static enum error_kind check_memory(const struct options *options, struct error *error)
{
    uint64_t servers = 0;
    if (options->target.connect || options->target.driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    for (size_t i = 0; i < options->target.topology_count; i++)
        servers += options->target.server_counts[i];
    return ensemble_check_memory((unsigned)servers, options->target.heap_mib, error);
}

static enum error_kind allow_descriptors(const struct options *options, struct error *error)
{
    uint64_t most = options->plan.clients.list[options->plan.clients.count - 1];
    if (options->target.driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    uint64_t in_one_process = (most + options->plan.processes - 1) / options->plan.processes;
    /* The multi-threaded library has a pipe for each session beside its socket. */
    if (options->target.driver == DRIVER_THREADS)
        in_one_process *= 3;
    /* A private server holds all of them, and inherits the limit. */
    return machine_allow_descriptors(
        options->target.connect || in_one_process > most ? in_one_process : most, error);
}

enum error_kind limits_check(const struct options *options, struct error *error)
{
    enum error_kind kind = check_libraries(options, error);
    if (kind == ERROR_NONE)
        kind = check_memory(options, error);
    return kind == ERROR_NONE ? allow_descriptors(options, error) : kind;
}

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
    if (most_clients / server_count > machine_local_ports())
        record_warn(record, "more clients than local ports for one server "
                            "(net.ipv4.ip_local_port_range): not all of them will get a "
                            "connection");
}

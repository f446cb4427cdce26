// SPDX-License-Identifier: Apache-2.0
#include "bench/target/resources.h"

#include "base/cores.h"
#include "bench/cli/machine.h"
#include "client/library.h"
#include "servers/ensemble.h"

/* Reports a missing library once, before a server is started. The set-up session is always on
 * events. */
static enum error_kind check_libraries(const struct target_options *options, struct error *error)
{
    struct library library;
    if (options->driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    enum error_kind kind = library_load(LIBRARY_ST, &library, error);
    if (kind == ERROR_NONE && options->driver == DRIVER_THREADS)
        kind = library_load(LIBRARY_MT, &library, error);
    return kind;
}

/* Those of all topologies run beside each other. */
static enum error_kind check_memory(const struct target_options *options, struct error *error)
{
    uint64_t servers = 0;
    if (options->connect || options->driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    for (size_t i = 0; i < options->topology_count; i++)
        servers += options->server_counts[i];
    return ensemble_check_memory((unsigned)servers, options->heap_mib, error);
}

static enum error_kind allow_descriptors(const struct target_options *options, uint64_t most,
                                         uint32_t processes, struct error *error)
{
    if (options->driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    uint64_t in_one_process = (most + processes - 1) / processes;
    /* The multi-threaded library has a pipe for each session beside its socket. */
    if (options->driver == DRIVER_THREADS)
        in_one_process *= 3;
    /* A private server holds all of them, and inherits the limit. */
    return machine_allow_descriptors(
        options->connect || in_one_process > most ? in_one_process : most, error);
}

enum error_kind resources_check(const struct target_options *options, uint64_t sessions,
                                uint32_t processes, struct error *error)
{
    enum error_kind kind = check_libraries(options, error);
    if (kind == ERROR_NONE)
        kind = check_memory(options, error);
    return kind == ERROR_NONE ? allow_descriptors(options, sessions, processes, error) : kind;
}

const char *resources_warning(const struct target_options *options, size_t server_count)
{
    if ((double)options->cpu_percent * (double)server_count <= cores_allowed() * 100)
        return NULL;
    return "the shares of --server-cpus add up to more than the cores that zkherd may use: the "
           "servers may get less";
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble/ensemble_table.h"

#include "bench/ensemble/ensemble_state.h"

#include <inttypes.h>

/* What is not known is a dash. */
static void write_row(size_t index, const struct ensemble_state *state, FILE *stream)
{
    char memory[32] = "-", connections[32] = "-";
    if (!state->ended)
        snprintf(memory, sizeof memory, "%" PRIu64 " MiB", state->memory_mib);
    if (state->counted)
        snprintf(connections, sizeof connections, "%" PRIu64, state->connections);
    fprintf(stream, "%6zu  %-15s  %-11s  %7d  %8s  %-10s  %11s\n", index + 1, state->address,
            state->role, (int)state->pid, memory, state->version[0] != '\0' ? state->version : "-",
            connections);
}

bool ensemble_table_write(const struct background_ensemble *background, FILE *stream)
{
    bool serves = false;
    fprintf(stream, "%6s  %-15s  %-11s  %7s  %8s  %-10s  %11s\n", "server", "address", "role",
            "pid", "memory", "version", "connections");
    for (size_t i = 0; i < background->connect.count; i++) {
        struct ensemble_state state = ensemble_state_ask(background, i);
        write_row(i, &state, stream);
        serves = serves || state.leads;
    }
    return serves;
}

// SPDX-License-Identifier: Apache-2.0
#include "fleet/gate.h"

#include <string.h>

static enum role role_of_server(const struct shared *shared, const char *server)
{
    const struct connect_string *servers = shared->plan->servers;
    for (size_t i = 0; i < servers->count; i++) {
        char text[ENDPOINT_TEXT_SIZE];
        if (strcmp(endpoint_address(&servers->endpoints[i], text, sizeof text), server) == 0)
            return shared->roles[i];
    }
    return ROLE_UNKNOWN;
}

enum error_kind gate_note_roles(struct shared *shared, struct server_counters *counters,
                                struct error *error)
{
    const struct connect_string *servers = shared->plan->servers;
    for (size_t i = 0; i < servers->count; i++) {
        enum error_kind kind =
            server_counters_ask_role(counters, &servers->endpoints[i], &shared->roles[i], error);
        if (kind != ERROR_NONE)
            return kind;
    }
    for (uint32_t i = 0; i < shared->plan->sessions; i++)
        shared->sessions[i].role = role_of_server(shared, shared->sessions[i].server);
    return ERROR_NONE;
}

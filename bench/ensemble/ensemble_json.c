// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble/ensemble_json.h"

#include "bench/ensemble/ensemble_state.h"
#include "bench/output/json_result.h"

static json_t *describe(size_t index, const struct ensemble_state *state)
{
    return json_pack("{s:I, s:s, s:s, s:I, s:o, s:o, s:o}", "server", (json_int_t)index + 1,
                     "address", state->address, "role", state->role, "pid", (json_int_t)state->pid,
                     "memory_mib",
                     state->ended ? json_null() : json_integer((json_int_t)state->memory_mib),
                     "version", json_result_text(state->version), "connections",
                     state->counted ? json_integer((json_int_t)state->connections) : json_null());
}

enum error_kind ensemble_json_write(const struct background_ensemble *background, FILE *stream,
                                    bool *serves, struct error *error)
{
    char connect[CONNECT_TEXT_SIZE];
    json_t *servers = json_array();
    *serves = false;
    for (size_t i = 0; i < background->connect.count; i++) {
        struct ensemble_state state = ensemble_state_ask(background, i);
        json_array_append_new(servers, describe(i, &state));
        *serves = *serves || state.leads;
    }
    connect_format(&background->connect, false, connect, sizeof connect);
    return json_result_write(json_pack("{s:s, s:b, s:o}", "connect", connect, "serves",
                                       (int)*serves, "servers", servers),
                             "ensemble", stream, error);
}

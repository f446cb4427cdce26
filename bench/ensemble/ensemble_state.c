// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble/ensemble_state.h"

#include "base/clock.h"
#include "base/printable.h"
#include "base/process.h"
#include "servers/four_letter.h"
#include "servers/role.h"

#include <stdio.h>

#define ASK_NS (2 * NS_PER_S)

static void count_connections(const struct endpoint *endpoint, struct ensemble_state *state)
{
    struct four_letter_counters counters;
    struct error ignored;
    state->counted = four_letter_counters(endpoint, ASK_NS, &counters, &ignored) == ERROR_NONE;
    if (state->counted)
        state->connections = counters.connections - 1; /* the question's own */
}

static void ask(const struct endpoint *endpoint, struct ensemble_state *state)
{
    struct four_letter_identity identity;
    struct error refusal;
    enum error_kind kind = four_letter_identify(endpoint, ASK_NS, &identity, &refusal);
    if (kind != ERROR_NONE) {
        snprintf(state->role, sizeof state->role, "%s",
                 kind == ERROR_NOT_SERVING ? "not serving" : "no answer");
        return;
    }
    printable_text(identity.mode, state->role, sizeof state->role);
    printable_text(identity.version, state->version, sizeof state->version);
    state->leads = role_leads(role_of_mode(state->role));
    count_connections(endpoint, state);
}

struct ensemble_state ensemble_state_ask(const struct background_ensemble *background, size_t index)
{
    const struct endpoint *endpoint = &background->connect.endpoints[index];
    struct ensemble_state state = {.role = "ended", .pid = background->pids[index]};
    uint64_t rss_kib;
    endpoint_format(endpoint, state.address, sizeof state.address);
    state.ended = !process_rss_kib(state.pid, &rss_kib);
    if (state.ended)
        return state;
    state.memory_mib = rss_kib / 1024;
    ask(endpoint, &state);
    return state;
}

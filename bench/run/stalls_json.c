// SPDX-License-Identifier: Apache-2.0
#include "bench/run/stalls_json.h"

#include "bench/output/json_text.h"

static json_t *describe_trial(const struct sample *sample)
{
    const struct stalls *stalls = &sample->stalls;
    return json_pack("{s:s, s:i, s:i, s:i, s:f, s:o}", "recipe", sample->cell.recipe->name,
                     "clients", (int)sample->cell.clients, "trial", (int)sample->cell.trial,
                     "count", (int)stalls->count, "seconds", (double)stalls->total_ns / 1e9,
                     "server", stalls->server[0] != '\0' ? json_text(stalls->server) : json_null());
}

json_t *stalls_json(const struct samples *samples)
{
    uint64_t count = 0, total_ns = 0;
    json_t *trials = json_array();
    for (size_t i = 0; i < samples->count; i++) {
        const struct stalls *stalls = &samples->list[i].stalls;
        count += stalls->count;
        total_ns += stalls->total_ns;
        if (stalls->count > 0)
            json_array_append_new(trials, describe_trial(&samples->list[i]));
    }
    return json_pack("{s:I, s:f, s:o}", "count", (json_int_t)count, "seconds",
                     (double)total_ns / 1e9, "trials", trials);
}

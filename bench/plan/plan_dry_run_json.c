// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_dry_run_json.h"

#include "bench/output/json_result.h"
#include "bench/plan/plan_proposals.h"

static json_t *count_or_null(uint64_t count)
{
    return count == PLAN_DEMAND_UNKNOWN ? json_null() : json_integer((json_int_t)count);
}

static json_t *describe(const struct plan_demand *demand)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "sessions", count_or_null(demand->sessions), "watches",
        count_or_null(demand->watches), "trials", count_or_null(demand->trials), "rpcs",
        count_or_null(demand->rpcs), "bytes", count_or_null(demand->bytes), "time_s",
        demand->time_ns == PLAN_DEMAND_UNKNOWN ? json_null()
                                               : json_result_real((double)demand->time_ns / 1e9));
}

static json_t *describe_row(const struct plan_options *options, const struct plan_demand_row *row)
{
    uint64_t proposed = plan_proposals_size(options, row->recipe);
    return json_pack("{s:s?, s:o, s:o, s:o}", "recipe",
                     row->recipe != NULL ? row->recipe->name : NULL, "proposed",
                     proposed > 0 ? json_integer((json_int_t)proposed) : json_null(), "expected",
                     describe(&row->expected), "at_most", describe(&row->most));
}

static json_t *list_servers(const struct target_options *target)
{
    json_t *servers = json_array();
    if (target->connect)
        json_array_append_new(servers, json_integer((json_int_t)target->servers.count));
    const uint64_t *counts = target->server_counts; /* each once for each release */
    for (size_t i = 0; !target->connect && i < target->topology_count; i++) {
        if (i == 0 || counts[i] != counts[i - 1])
            json_array_append_new(servers, json_integer((json_int_t)counts[i]));
    }
    return servers;
}

enum error_kind plan_dry_run_json_write(const struct plan_options *options,
                                        const struct plan_demand_row *rows, size_t count,
                                        json_t *sentences, FILE *stream, struct error *error)
{
    const struct plan_question *question = &options->question;
    char objective[OBJECTIVE_TEXT_SIZE];
    json_t *cells = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(cells, describe_row(options, &rows[i]));
    return json_result_write(
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "objective",
                  objective_format(&question->objective, objective, sizeof objective), "unknown",
                  plan_question_unknowns[question->unknown], "servers",
                  list_servers(&options->target), "cells", cells, "sentences", sentences),
        "plan", stream, error);
}

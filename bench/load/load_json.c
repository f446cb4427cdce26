// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load_json.h"

#include "bench/output/json_result.h"
#include "bench/output/record_json.h"

/* Those of cells.csv that have an interval. */
#define FIGURES(X)                                                                                 \
    X(offered_per_s)                                                                               \
    X(achieved_per_s)                                                                              \
    X(response_p50_us)                                                                             \
    X(response_p99_us)                                                                             \
    X(service_p50_us)                                                                              \
    X(service_p99_us)                                                                              \
    X(fan_out_mean)                                                                                \
    X(first_notification_p50_us)                                                                   \
    X(notification_p50_us)                                                                         \
    X(last_notification_p50_us)                                                                    \
    X(last_notification_p99_us)                                                                    \
    X(set_service_p50_us)                                                                          \
    X(client_cores)                                                                                \
    X(server_cores)

static int verdict_of(const struct load_summary *summary)
{
    bool valid = summary->trials > 0 && summary->valid == summary->trials;
    return summary->miscounted > 0 ? 1 : valid ? 0 : 4;
}

static json_t *describe(const struct load_summary *summary)
{
    const struct load_cell *cell = summary->cell;
    char mix[128];
    json_t *json = json_pack(
        "{s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:s, s:o}", "mix",
        mix_format(&cell->mix, mix, sizeof mix), "reads_percent", (json_int_t)mix_reads(&cell->mix),
        "sessions", (json_int_t)cell->sessions, "rate_per_s",
        cell->rate_per_s > 0 ? json_integer((json_int_t)cell->rate_per_s) : json_null(),
        "trials_complete", (json_int_t)summary->trials, "trials_valid", (json_int_t)summary->valid,
        "trials_driver_bound", (json_int_t)summary->driver_bound, "trials_miscounted",
        (json_int_t)summary->miscounted, "verdict", record_json_verdict(verdict_of(summary)),
        "errors", json_result_count(summary->errors));
#define X(name) json_result_set_interval(json, #name, &summary->name);
    FIGURES(X)
#undef X
    return json;
}

enum error_kind load_json_cells(const struct load_samples *samples, json_t **cells,
                                struct error *error)
{
    json_t *list = json_array();
    for (const struct load_cell *cell = load_summary_next(samples, NULL); cell != NULL;
         cell = load_summary_next(samples, cell)) {
        struct load_summary summary;
        enum error_kind kind = load_summary_take(samples, cell, &summary, error);
        if (kind != ERROR_NONE) {
            json_decref(list);
            return kind;
        }
        json_array_append_new(list, describe(&summary));
    }
    *cells = list;
    return ERROR_NONE;
}

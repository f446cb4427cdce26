// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/plan_limits_json.h"

#include "bench/limits/plan_limits_table.h"
#include "bench/output/json_result.h"
#include "bench/output/verdict.h"

static json_t *count_or_null(uint64_t count)
{
    return count == PLAN_NO_LIMIT || count == PLAN_UNTOLD ? json_null()
                                                          : json_integer((json_int_t)count);
}

static json_t *told_or_null(uint64_t setting)
{
    return setting == FOUR_LETTER_UNTOLD ? json_null() : json_integer((json_int_t)setting);
}

static json_t *describe_settings(const struct plan_given *given)
{
    const struct server_limits *lowest = &given->lowest;
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:I}", "jute_maxbuffer_bytes",
        (json_int_t)given->jute_maxbuffer_bytes, "max_client_connections",
        told_or_null(lowest->connections), "server_descriptors", told_or_null(lowest->descriptors),
        "heap_bytes", told_or_null(lowest->heap_bytes), "descriptors",
        count_or_null(given->descriptors), "local_ports", (json_int_t)given->local_ports);
}

/* ------------------------------------------------------------------ the limits */

/* What `most` and `need` are numbers of. */
static const char *unit_of(enum plan_limit_kind kind)
{
    static const char *const units[] = {
        [PLAN_NAMES] = "names",          [PLAN_WATCHES_AGAIN] = "watches",
        [PLAN_PATH] = "bytes",           [PLAN_VALUE_CREATED] = "bytes",
        [PLAN_VALUE_SET] = "bytes",      [PLAN_VALUE_READ] = "bytes",
        [PLAN_CONNECTIONS] = "sessions", [PLAN_SERVER_DESCRIPTORS] = "sessions",
        [PLAN_DESCRIPTORS] = "sessions", [PLAN_PORTS] = "sessions",
        [PLAN_WATCHES] = "watches"};
    return units[kind];
}

static void append(void *context, const struct plan_limit *limit)
{
    json_array_append_new(
        context,
        json_pack("{s:s, s:s, s:s?, s:s, s:s, s:o, s:b, s:o, s:o, s:b}", "limit",
                  plan_limits_name(limit->kind), "setting", plan_limits_setting(limit->kind),
                  "recipe", limit->recipe != NULL ? limit->recipe->name : NULL, "formula",
                  limit->formula, "unit", unit_of(limit->kind), "most", count_or_null(limit->most),
                  "told", (int)(limit->most != PLAN_UNTOLD), "need",
                  limit->is_needed ? json_integer((json_int_t)limit->need) : json_null(),
                  "most_clients", count_or_null(limit->most_clients), "passed",
                  (int)plan_limits_passed(limit)));
}

static json_t *list_first(const struct plan_limits_options *options, const struct plan_given *given)
{
    json_t *list = json_array();
    for (size_t i = 0; i < options->recipe_count; i++) {
        struct plan_limit first;
        if (plan_limits_first(options->recipes[i], given, &first))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "recipe",
                                                  options->recipes[i]->name, "limit",
                                                  plan_limits_name(first.kind), "setting",
                                                  plan_limits_setting(first.kind), "most_clients",
                                                  (json_int_t)first.most_clients));
    }
    return list;
}

/* ------------------------------------------------------------------ the whole */

json_t *plan_limits_json(const struct plan_limits_options *options, const char *name,
                         const struct plan_given *given)
{
    json_t *limits = json_array();
    plan_limits_table_visit(options, given, append, limits);
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "target", json_text(name), "servers",
                     (json_int_t)given->servers, "lock",
                     json_sprintf("%s%s", options->target.servers.chroot, options->lock), "clients",
                     given->clients > 0 ? json_integer((json_int_t)given->clients) : json_null(),
                     "settings", describe_settings(given), "limits", limits, "first",
                     list_first(options, given));
}

enum error_kind plan_limits_json_write(json_t *results, int status, FILE *stream,
                                       struct error *error)
{
    return json_result_write(json_pack("{s:s, s:O}", "verdict",
                                       verdict_word(verdict_of_status(status)), "results", results),
                             "plan", stream, error);
}

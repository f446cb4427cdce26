// SPDX-License-Identifier: Apache-2.0
/* The files of a tap. */
#include "base/clock.h"
#include "bench/output/handoff_rows.h"
#include "bench/output/trace_rows.h"
#include "bench/output/trial_columns.h"
#include "bench/tap/internal.h"
#include "measure/hlog.h"

#include <string.h>

/* ------------------------------------------------------------------ tables */

static const struct tap_part parts[] = {
    {"operations", &tap_operation_table, tap_operations, false},
    {"paths", &tap_place_table, tap_places, false},
    {"errors", &tap_error_table, tap_errors, false},
    {"clients", &tap_session_table, tap_sessions, false},
    {"by_second", &tap_second_table, tap_seconds, false},
    {"watches", &tap_watch_table, tap_watches, false},
    {"causes", &tap_cause_table, tap_causes, false},
    {"herds", &tap_herd_table, tap_herds, false},
    {"runs", &tap_run_table, tap_runs, true},
    {"laws", &tap_law_table, tap_laws, true},
};
#define PARTS (sizeof parts / sizeof parts[0])

/* Those of a drain are the last. */
const struct tap_part *tap_part(const struct tap_result *result, size_t index)
{
    return index < PARTS && (result->options->drain || !parts[index].of_drain) ? &parts[index]
                                                                               : NULL;
}

static enum error_kind add_parts(const struct tap_result *result, struct file_set *files,
                                 struct csv *csv, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && tap_part(result, i) != NULL; i++)
        kind = file_set_add_table(files, parts[i].type, &csv[i], error);
    return kind;
}

static void write_parts(const struct tap_result *result, struct csv *csv)
{
    for (size_t i = 0; tap_part(result, i) != NULL; i++) {
        struct table rows = parts[i].rows(result);
        for (size_t j = 0; j < rows.rows; j++)
            table_write_row(rows.type, table_row(&rows, j), &csv[i]);
        table_deinit(&rows);
    }
}

static enum error_kind write_latency(const struct tap_result *result, FILE *stream,
                                     uint64_t started_utc_ns, struct error *error)
{
    enum error_kind kind =
        hlog_write_header(stream, started_utc_ns, "a tag for each operation", error);
    for (enum opcode opcode = 0; opcode < OPCODES && kind == ERROR_NONE; opcode++) {
        const struct traffic_figures *operation = &result->traffic->operations[opcode];
        if (operation->replies > 0)
            kind = hlog_write_interval(stream, opcode_name(opcode), 0, result->seconds,
                                       &operation->latency, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the manifest */

static json_t *list_recipes(const struct table *trials)
{
    json_t *names = json_array();
    for (size_t i = 0; i < trials->rows; i++) {
        json_t *name = json_string(table_row(trials, i)[trial_row_recipe].text);
        bool known = false;
        for (size_t j = 0; j < json_array_size(names); j++)
            known = known || json_equal(json_array_get(names, j), name);
        if (!known)
            json_array_append(names, name);
        json_decref(name);
    }
    return names;
}

/* The numbers that a drain has planned; else those of the trials. */
static json_t *list_clients(const struct tap_options *options, const struct table *trials)
{
    json_t *clients = json_array();
    size_t count = options->drain ? options->clients.count : trials->rows;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            clients,
            json_integer((json_int_t)(options->drain
                                          ? options->clients.list[i]
                                          : table_row(trials, i)[trial_row_clients].count)));
    return clients;
}

/* That of a run in free pace, of the locks that were found; and what a tap has more. */
static json_t *describe_plan(const struct tap_options *options, const struct table *trials)
{
    const struct options run = {
        .target = options->target,
        .plan = {.traced = options->traced,
                 .workload = options->drain ? WORKLOAD_DRAIN : WORKLOAD_STEADY,
                 .pace = PACE_FREE,
                 .processes = 1,
                 .locks = 1,
                 .trials = options->drain ? TAP_TRIALS : 1}};
    json_t *plan = option_table_plan(&run);
    json_object_set_new(plan, "recipes", list_recipes(trials));
    json_object_set_new(plan, "clients", list_clients(options, trials));
    json_object_set_new(plan, "listen",
                        options->pcap == NULL ? json_string(options->listen) : json_null());
    json_object_set_new(plan, "tap_ms",
                        options->duration_ns > 0
                            ? json_integer((json_int_t)(options->duration_ns / NS_PER_MS))
                            : json_null());
    json_object_set_new(plan, "with_command", json_boolean(options->command != NULL));
    json_object_set_new(plan, "drain", json_boolean(options->drain));
    return plan;
}

/* ------------------------------------------------------------------ the folder */

/* Each row of trials.csv is a trial; without one the whole tap is. */
static enum error_kind write_all(const struct tap_result *result, struct file_set *files,
                                 const struct table *trials, struct error *error)
{
    struct csv of_trials, of_handoffs, of_trace, of_parts[PARTS];
    bool is_traced = trials->rows > 0 && result->options->traced.count > 0;
    FILE *latency = NULL;
    enum error_kind kind = ERROR_NONE;
    if (trials->rows > 0)
        kind = file_set_add_table(files, &trial_row_table, &of_trials, error);
    if (kind == ERROR_NONE && trials->rows > 0)
        kind = file_set_add_table(files, &handoff_row_table, &of_handoffs, error);
    if (kind == ERROR_NONE && is_traced)
        kind = file_set_add_table(files, &trace_row_table, &of_trace, error);
    if (kind == ERROR_NONE)
        kind = add_parts(result, files, of_parts, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_hlog(files, "latency.hlog", &latency, error);
    if (kind != ERROR_NONE)
        return kind;
    write_parts(result, of_parts);
    if (is_traced)
        tap_write_trace(result, files->run, &of_trace);
    kind = write_latency(result, latency, files->started_utc_ns, error);
    if (trials->rows > 0)
        tap_write_handoffs(result, files->run, &of_handoffs);
    else
        kind = file_set_commit(files, kind, error);
    for (size_t i = 0; i < trials->rows && kind == ERROR_NONE; i++) {
        table_write_row(&trial_row_table, table_row(trials, i), &of_trials);
        kind = file_set_commit(files, kind, error);
    }
    return kind;
}

enum error_kind tap_keep(const struct tap_result *result, int argc, char **argv,
                         char folder[PATH_MAX], struct error *error)
{
    const struct tap_options *options = result->options;
    struct file_set files;
    struct manifest manifest;
    struct error closing;
    enum error_kind kind = file_set_open(&files, options->output.out, result->target->name, error);
    struct table trials = tap_trials(result, files.run);
    if (kind == ERROR_NONE)
        kind = write_all(result, &files, &trials, error);
    manifest_begin(&manifest, argc, argv, options->seed, describe_plan(options, &trials),
                   &options->target, result->target);
    manifest_set(&manifest, "driver",
                 json_pack("{s:s, s:s, s:n, s:s}", "driver", "relay", "client_library",
                           "the clients' own", "client_version", "clock", "CLOCK_MONOTONIC"));
    if (kind == ERROR_NONE)
        kind =
            manifest_write(&manifest, &files, trials.rows > 0 ? trials.rows : 1, NULL, NULL, error);
    manifest_deinit(&manifest);
    table_deinit(&trials);
    memcpy(folder, files.folder, sizeof files.folder);
    enum error_kind closed = file_set_close(&files, &closing);
    if (kind == ERROR_NONE && closed != ERROR_NONE)
        *error = closing;
    return kind == ERROR_NONE ? closed : kind;
}

// SPDX-License-Identifier: Apache-2.0
/* The files of a tap. */
#include "base/clock.h"
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

static json_t *describe_plan(const struct tap_options *options)
{
    json_t *plan = json_object();
    if (options->drain) {
        json_object_set_new(plan, "clients",
                            load_options_describe(options->clients.list, options->clients.count));
        json_object_set_new(plan, "trials", json_integer(TAP_TRIALS));
    }
    json_object_set_new(plan, "server_cpu_percent",
                        options->target.cpu_percent > 0
                            ? json_integer((json_int_t)options->target.cpu_percent)
                            : json_null());
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

/* The whole tap is a trial. */
static enum error_kind write_all(const struct tap_result *result, struct file_set *files,
                                 struct error *error)
{
    struct csv of_parts[PARTS];
    FILE *latency = NULL;
    enum error_kind kind = add_parts(result, files, of_parts, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_hlog(files, "latency.hlog", &latency, error);
    if (kind != ERROR_NONE)
        return kind;
    write_parts(result, of_parts);
    kind = write_latency(result, latency, files->started_utc_ns, error);
    return file_set_commit(files, kind, error);
}

enum error_kind tap_keep(const struct tap_result *result, int argc, char **argv,
                         char folder[PATH_MAX], struct error *error)
{
    const struct tap_options *options = result->options;
    struct file_set files;
    struct manifest manifest;
    struct error closing;
    enum error_kind kind = file_set_open(&files, options->output.out, result->target->name, error);
    if (kind == ERROR_NONE)
        kind = write_all(result, &files, error);
    manifest_begin(&manifest, argc, argv, options->seed, describe_plan(options), &options->target,
                   result->target);
    manifest_set(&manifest, "driver",
                 json_pack("{s:s, s:s, s:n, s:s}", "driver", "relay", "client_library",
                           "the clients' own", "client_version", "clock", "CLOCK_MONOTONIC"));
    if (kind == ERROR_NONE)
        kind = manifest_write(&manifest, &files, 1, NULL, NULL, error);
    manifest_deinit(&manifest);
    memcpy(folder, files.folder, sizeof files.folder);
    enum error_kind closed = file_set_close(&files, &closing);
    if (kind == ERROR_NONE && closed != ERROR_NONE)
        *error = closing;
    return kind == ERROR_NONE ? closed : kind;
}

// SPDX-License-Identifier: Apache-2.0
/* The rows and findings of a tap in files, as JSON, and on the terminal. */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/cli/terminal.h"
#include "bench/output/file_set.h"
#include "bench/output/findings.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/row_grid.h"
#include "bench/tap/internal.h"
#include "measure/hlog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t count_tables(const struct tap *tap)
{
    return tap->options->drain ? TAP_TABLES : TAP_RUNS;
}

/* ------------------------------------------------------------------ files */

static void write_latency(struct tap *tap, FILE *stream, uint64_t started_utc_ns)
{
    ERROR_FIRST(&tap->error,
                hlog_write_header(stream, started_utc_ns, "a tag for each operation", &tap->error));
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        const struct traffic_figures *operation = &tap->observer.traffic.operations[opcode];
        if (operation->replies > 0)
            ERROR_FIRST(&tap->error,
                        hlog_write_interval(stream, opcode_name(opcode), 0, tap->seconds,
                                            &operation->latency, &tap->error));
    }
}

static json_t *describe_plan(const struct tap_options *options)
{
    const struct levels *clients = &options->clients;
    const uint64_t duration_ms = options->duration_ns / NS_PER_MS;
    const double percent = options->target.cpu_percent;
    return json_pack("{s:o*, s:o*, s:o, s:s?, s:o, s:b, s:b}", "clients",
                     options->drain ? load_options_describe(clients->list, clients->count) : NULL,
                     "trials", options->drain ? json_integer(options->trials) : NULL,
                     "server_cpu_percent", json_result_count(percent > 0 ? percent : NAN), "listen",
                     options->pcap == NULL ? options->listen : NULL, "tap_ms",
                     json_result_count(duration_ms > 0 ? (double)duration_ms : NAN), "with_command",
                     options->command != NULL, "drain", options->drain);
}

static void write_manifest(struct tap *tap, const struct file_set *files, int argc, char **argv)
{
    const struct tap_options *options = tap->options;
    struct manifest manifest;
    manifest_begin(&manifest, argc, argv, options->seed, describe_plan(options), &options->target,
                   &tap->target);
    manifest_set(&manifest, "driver",
                 json_pack("{s:s, s:s, s:n, s:s}", "driver", "relay", "client_library",
                           "the clients' own", "client_version", "clock", "CLOCK_MONOTONIC"));
    ERROR_FIRST(&tap->error, manifest_write(&manifest, files, 1, NULL, NULL, &tap->error));
    manifest_deinit(&manifest);
}

/* The whole tap is one trial of the set of files. */
void tap_write_files(struct tap *tap, int argc, char **argv)
{
    struct csv csv[TAP_TABLES];
    struct file_set files;
    struct error closing;
    FILE *latency = NULL;
    ERROR_FIRST(&tap->error,
                file_set_open(&files, tap->options->output.out, tap->target.name, &tap->error));
    for (size_t i = 0; i < count_tables(tap); i++)
        ERROR_FIRST(&tap->error,
                    file_set_add_table(&files, tap->tables[i].type, &csv[i], &tap->error));
    ERROR_FIRST(&tap->error, file_set_add_hlog(&files, "latency.hlog", &latency, &tap->error));
    if (tap->error.kind == ERROR_NONE) {
        for (size_t i = 0; i < count_tables(tap); i++)
            table_write_rows(&tap->tables[i], &csv[i]);
        write_latency(tap, latency, files.started_utc_ns);
        (void)!file_set_commit(&files, tap->error.kind, &tap->error);
    }
    if (tap->error.kind == ERROR_NONE)
        write_manifest(tap, &files, argc, argv);
    memcpy(tap->folder, files.folder, sizeof tap->folder);
    if (file_set_close(&files, &closing) != ERROR_NONE && tap->error.kind == ERROR_NONE)
        tap->error = closing;
}

/* ------------------------------------------------------------------ the tables */

#define MILLISECONDS .factor = 1e-3, .decimals = 2

static const struct row_column
    of_operations[] =
        {{.column = tap_operation_operation},
         {.column = tap_operation_messages},
         {.column = tap_operation_failed},
         {.column = tap_operation_watches},
         {.column = tap_operation_sent_bytes, .over = "bytes", .title = "sent", .spare = 1},
         {.column = tap_operation_received_bytes, .over = "bytes", .title = "received", .spare = 1},
         {.column = tap_operation_p50_us, .title = "p50 ms", MILLISECONDS},
         {.column = tap_operation_p99_us,
          .title = "p99 ms",
          MILLISECONDS,
          .where = ROW_COLUMN_KNOWN},
         {.column = tap_operation_max_us, .title = "max ms", MILLISECONDS}},
    of_places[] = {{.column = tap_place_operation},
                   {.column = tap_place_messages},
                   {.column = tap_place_failed},
                   {.column = tap_place_watches},
                   {.column = tap_place_p50_us, .title = "p50 ms", MILLISECONDS},
                   {.column = tap_place_max_us, .title = "max ms", MILLISECONDS},
                   {.column = tap_place_pattern, .title = "path", .below = true}},
    of_errors[] = {{.column = tap_error_operation},
                   {.column = tap_error_error},
                   {.column = tap_error_code},
                   {.column = tap_error_replies}},
    of_watches[] = {{.column = tap_watch_kind, .title = "watches"},
                    {.column = tap_watch_set},
                    {.column = tap_watch_fired},
                    {.column = tap_watch_left},
                    {.column = tap_watch_armed, .spare = 1},
                    {.column = tap_watch_pattern, .title = "path", .below = true}},
    of_herds[] =
        {{.column = tap_herd_operation, .over = "costliest", .title = "writes"},
         {.column = tap_herd_notified},
         {.column = tap_herd_requests_after, .over = "requests", .title = "after"},
         {.column = tap_herd_got, .over = "sessions", .title = "got"},
         {.column = tap_herd_in_vain, .over = "sessions", .title = "wasted"},
         {.column = tap_herd_last_us, .over = "notified", .title = "after ms", MILLISECONDS},
         {.column = tap_herd_pattern, .title = "path", .below = true}},
    of_laws[] = {{.column = tap_law_counted, .title = "messages"},
                 {.column = tap_law_law},
                 {.column = tap_law_exponent,
                  .over = "grows",
                  .title = "as n^",
                  .decimals = 2,
                  .where = ROW_COLUMN_LACKED},
                 {.column = tap_law_equal, .over = "runs", .title = "equal"},
                 {.column = tap_law_runs, .over = "runs", .title = "of"},
                 {.column = tap_law_differ_most, .over = "others", .title = "differ by"}};

#define COLUMNS(list) list, sizeof(list) / sizeof(list)[0]

static const struct view {
    const char *key;                  /* in JSON */
    const struct row_column *columns; /* on the screen; NULL: the table is not there */
    size_t column_count;
    size_t most;    /* rows; 0: all */
    bool not_drain; /* not on the screen with --drain */
} views[TAP_TABLES] = {
    [TAP_OPERATIONS] = {"operations", COLUMNS(of_operations), 0, true},
    [TAP_PLACES] = {"paths", COLUMNS(of_places), 12, true},
    [TAP_ERRORS] = {"errors", COLUMNS(of_errors), 8, false},
    [TAP_SESSIONS] = {.key = "clients"},
    [TAP_SECONDS] = {.key = "by_second"},
    [TAP_WATCHES] = {"watches", COLUMNS(of_watches), 8, false},
    [TAP_CAUSES] = {.key = "causes"},
    [TAP_HERDS] = {"herds", COLUMNS(of_herds), 0, false},
    [TAP_FINDINGS] = {.key = "findings"},
    [TAP_RUNS] = {.key = "runs"},
    [TAP_LAWS] = {"laws", COLUMNS(of_laws), 0, false},
};

/* ------------------------------------------------------------------ JSON */

/* The sentence of a finding, with its full stop; null if there is none. */
static json_t *describe_finding(const struct table *findings, const char *slug)
{
    json_t *json = json_null();
    for (size_t i = 0; i < findings->rows; i++) {
        const struct table_value *row = table_row(findings, i);
        if (strcmp(row[finding_slug].text, slug) != 0)
            continue;
        char *sentence = memory_format("%s.", row[finding_sentence].text);
        json = json_text(sentence);
        free(sentence);
    }
    return json;
}

/* An object of docs/schema/tap.schema.json. */
static json_t *describe(const struct tap *tap)
{
    const struct observer *observer = &tap->observer;
    const enum verdict verdict = findings_verdict(&tap->tables[TAP_FINDINGS]);
    json_t *json = json_pack(
        "{s:o, s:s, s:o, s:I, s:s, s:s}", "folder", json_result_text(tap->folder), "target",
        tap->target.name, "seconds", json_result_real(tap->seconds), "requests",
        (json_int_t)traffic_requests(&observer->traffic), "reconciled",
        reconcile_word(tap->reconciled), "verdict", json_result_verdict(verdict_status(verdict)));
    for (size_t i = 0; i < count_tables(tap); i++)
        json_object_set_new(json, views[i].key, json_result_rows(&tap->tables[i]));
    json_object_set_new(json, "unattributed",
                        json_integer((json_int_t)observer->watches.unattributed));
#define X(name, meaning)                                                                           \
    json_object_set_new(json, #name, json_integer((json_int_t)observer->traffic.name));
    TRAFFIC_CONVERSATIONS(X)
#undef X
    json_object_set_new(json, "like", describe_finding(&tap->tables[TAP_FINDINGS], "recipe"));
    json_object_set_new(json, "first_time",
                        describe_finding(&tap->tables[TAP_FINDINGS], "first-run"));
    json_result_set_real(json, "cpu_us_per_message", tap->cpu_us);
    if (tap->options->pcap != NULL) {
        json_t *capture = json_object();
#define X(name, meaning)                                                                           \
    json_object_set_new(capture, #name, json_integer((json_int_t)tap->capture.name));
        CAPTURE_COUNTS(X)
#undef X
        json_object_set_new(json, "capture", capture);
    }
    json_object_set_new(json, "cut_short", json_result_text(tap->cut_short));
    json_object_set_new(json, "comparison",
                        describe_finding(&tap->tables[TAP_FINDINGS], "servers"));
    return json;
}

/* ------------------------------------------------------------------ the terminal */

static void print_table(const struct view *view, const struct table *table)
{
    struct table top = *table;
    if (view->most > 0 && top.rows > view->most)
        top.rows = view->most;
    const struct row_grid grid = {
        .table = &top, .columns = view->columns, .column_count = view->column_count};
    row_grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
    if (top.rows < table->rows)
        printf("%zu more are in %s\n", table->rows - top.rows, table->type->file);
    putchar('\n');
}

/* The laws first. */
static void print_results(const struct tap *tap)
{
    for (size_t i = 0; i < TAP_TABLES; i++) {
        const size_t at = (TAP_LAWS + i) % TAP_TABLES;
        const struct table *table = &tap->tables[at];
        if (views[at].columns != NULL && table->rows > 0 &&
            !(tap->options->drain && views[at].not_drain))
            print_table(&views[at], table);
    }
    findings_print(&tap->tables[TAP_FINDINGS], terminal_abilities(STDOUT_FILENO).colours, stdout);
    if (tap->error.kind == ERROR_NONE && tap->folder[0] != '\0')
        printf("\nresults in %s\n", tap->folder);
}

void tap_print(const struct tap *tap)
{
    const struct output_options *output = &tap->options->output;
    if (output->json)
        json_result_write(describe(tap), stdout);
    else if (!output->quiet)
        print_results(tap);
    if (output->json || output->quiet)
        findings_complain(&tap->tables[TAP_FINDINGS], "", false);
}

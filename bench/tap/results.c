// SPDX-License-Identifier: Apache-2.0
/* The rows of what passed, and rows and findings in files, as JSON, and on the terminal. */
#include "base/clock.h"
#include "bench/cli/terminal.h"
#include "bench/output/file_set.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/row_grid.h"
#include "bench/tap/internal.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

TABLE_DEFINE(tap_operation, "traffic.csv", TAP_OPERATION_COLUMNS)
TABLE_DEFINE(tap_place, "paths.csv", TAP_PLACE_COLUMNS)
TABLE_DEFINE(tap_error, "errors.csv", TAP_ERROR_COLUMNS)
TABLE_DEFINE(tap_session, "clients.csv", TAP_SESSION_COLUMNS)
TABLE_DEFINE(tap_second, "seconds.csv", TAP_SECOND_COLUMNS)
TABLE_DEFINE(tap_watch, "watches.csv", TAP_WATCH_COLUMNS)
TABLE_DEFINE(tap_herd, "herds.csv", TAP_HERD_COLUMNS)

/* ------------------------------------------------------------------ the tables */

#define MS .factor = 1e-3, .decimals = 2

static const struct row_column
    of_operations[] =
        {{.column = tap_operation_operation},
         {.column = tap_operation_messages},
         {.column = tap_operation_failed},
         {.column = tap_operation_watches},
         {.column = tap_operation_sent_bytes, .over = "bytes", .title = "sent", .spare = 1},
         {.column = tap_operation_received_bytes, .over = "bytes", .title = "received", .spare = 1},
         {.column = tap_operation_p50_us, .title = "p50 ms", MS},
         {.column = tap_operation_p99_us, .title = "p99 ms", MS, .where = ROW_COLUMN_KNOWN},
         {.column = tap_operation_max_us, .title = "max ms", MS}},
    of_places[] = {{.column = tap_place_operation},
                   {.column = tap_place_messages},
                   {.column = tap_place_failed},
                   {.column = tap_place_watches},
                   {.column = tap_place_p50_us, .title = "p50 ms", MS},
                   {.column = tap_place_max_us, .title = "max ms", MS},
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
    of_herds[] = {{.column = tap_herd_operation, .over = "costliest", .title = "writes"},
                  {.column = tap_herd_notified},
                  {.column = tap_herd_requests_after, .over = "requests", .title = "after"},
                  {.column = tap_herd_got, .over = "sessions", .title = "got"},
                  {.column = tap_herd_in_vain, .over = "sessions", .title = "wasted"},
                  {.column = tap_herd_last_us, .over = "notified", .title = "after ms", MS},
                  {.column = tap_herd_pattern, .title = "path", .below = true}},
    of_laws[] = {{.column = tap_law_counted, .title = "messages"},
                 {.column = tap_law_law},
                 {tap_law_exponent, "grows", "as n^", .decimals = 2, .where = ROW_COLUMN_LACKED},
                 {.column = tap_law_equal, .over = "runs", .title = "equal"},
                 {.column = tap_law_runs, .over = "runs", .title = "of"},
                 {.column = tap_law_differ_most, .over = "others", .title = "differ by"}};

#define COLUMNS(list) list, sizeof(list) / sizeof(list)[0]

#define TABLES(tap) ((tap)->options->drain ? TAP_TABLES : TAP_RUNS) /* of this tap */

/* The tables: in JSON, and on the screen. */
static const struct view {
    const struct table_type *type;
    const char *key;
    const struct row_column *columns; /* NULL: the table is not on the screen */
    size_t column_count;
    size_t most;    /* rows; 0: all */
    bool not_drain; /* not on the screen with --drain */
} views[TAP_TABLES] = {
    [TAP_OPERATIONS] = {&tap_operation_table, "operations", COLUMNS(of_operations), 0, true},
    [TAP_PLACES] = {&tap_place_table, "paths", COLUMNS(of_places), 12, true},
    [TAP_ERRORS] = {&tap_error_table, "errors", COLUMNS(of_errors), 8, false},
    [TAP_SESSIONS] = {.type = &tap_session_table, .key = "clients"},
    [TAP_SECONDS] = {.type = &tap_second_table, .key = "by_second"},
    [TAP_WATCHES] = {&tap_watch_table, "watches", COLUMNS(of_watches), 8, false},
    [TAP_HERDS] = {&tap_herd_table, "herds", COLUMNS(of_herds), 0, false},
    [TAP_FINDINGS] = {.type = &finding_table, .key = "findings"},
    [TAP_RUNS] = {.type = &tap_run_table, .key = "runs"},
    [TAP_LAWS] = {&tap_law_table, "laws", COLUMNS(of_laws), 0, false},
};

/* ------------------------------------------------------------------ rows */

/* A column of a list of X(from, name, ...). */
#define FIGURE(from, name, ...) table_count((from)->name),

/* The columns of TAP_FIGURES. */
#define FIGURES(from)                                                                              \
    table_count((from)->requests), table_count((from)->failed), table_count((from)->watches),      \
        table_count((from)->bytes_sent), table_count((from)->bytes_received),                      \
        percentile_of(&(from)->latency, 50), percentile_of(&(from)->latency, 99),                  \
        percentile_of(&(from)->latency, 100)

/* In microseconds; unknown where so few times have no such percentile but the longest. */
static struct table_value percentile_of(const struct histogram *times, double percent)
{
    bool has = histogram_has_percentile(histogram_recorded(times), percent);
    return table_real(has ? histogram_percentile_us(times, percent) : NAN);
}

static void fill_operations(const struct traffic *traffic, struct table *table)
{
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        if (traffic->operations[opcode].requests > 0)
            TAP_ADD_ROW(table, tap_operation, table_text(opcode_name(opcode)),
                        FIGURES(&traffic->operations[opcode]));
    for (size_t event = 0; event < TRAFFIC_EVENTS; event++) {
        char name[48];
        if (traffic->notifications[event] == 0)
            continue;
        struct table_value *row = table_add(table);
        snprintf(name, sizeof name, "notification %s", traffic_event_word(event));
        row[tap_operation_operation] = table_text(name);
        row[tap_operation_messages] = table_count(traffic->notifications[event]);
        row[tap_operation_received_bytes] = table_count(traffic->notification_bytes[event]);
    }
}

static int compare_places(const void *a, const void *b)
{
    const struct table_value *first = a, *second = b;
    uint64_t x = first[tap_place_messages].count, y = second[tap_place_messages].count;
    return x != y ? (x < y) - (x > y)
                  : strcmp(first[tap_place_pattern].text, second[tap_place_pattern].text);
}

/* The most frequent first. */
static void fill_places(const struct traffic *traffic, struct table *table)
{
    for (size_t i = 0; i < traffic->places.count; i++) {
        const struct traffic_place *place = (const void *)traffic->places.list[i];
        TAP_ADD_ROW(table, tap_place, table_text(opcode_name((enum opcode)place->pattern.number)),
                    table_text(place->pattern.text), FIGURES(&place->figures));
    }
    if (table->rows > 0)
        qsort(table->values, table->rows, tap_place_columns_count * sizeof *table->values,
              compare_places);
}

static struct table_value seconds_of(const struct traffic *traffic, uint64_t at_ns)
{
    return table_real(at_ns > 0 ? (double)(at_ns - traffic->begun_ns) / 1e9 : 0);
}

/* The costliest first; times count from `begun_ns`. */
static void fill_herds(const struct watches *watches, uint64_t begun_ns, struct table *table)
{
    for (size_t i = 0; i < WATCHES_COSTLIEST && watches->costliest[i].uses > 0; i++) {
        const struct watches_write *write = &watches->costliest[i];
        TAP_ADD_ROW(table, tap_herd, table_text(opcode_name(write->opcode)),
                    table_text(write->pattern),
                    table_real((double)(write->requested_ns - begun_ns) / 1e9),
                    table_count(write->notified), table_count(write->followed),
                    table_count(write->followed_bytes), table_count(write->got),
                    table_count(write->armed_again),
                    table_real((double)(write->last_ns - write->requested_ns) / 1e3));
    }
}

void tap_fill_rows(struct tap *tap)
{
    static const char *const kinds[WATCHES_KINDS] = {
        [WATCHES_STAYING] = "staying", [WATCHES_CHILDREN] = "children", [WATCHES_DATA] = "data"};
    const struct traffic *traffic = &tap->traffic;
    const struct watches *watches = &traffic->watches;
    struct table *tables = tap->tables;
    for (size_t i = 0; i < TAP_TABLES; i++)
        tables[i].type = views[i].type;
    fill_operations(traffic, &tables[TAP_OPERATIONS]);
    fill_places(traffic, &tables[TAP_PLACES]);
    for (size_t i = 0; i < traffic->error_count; i++)
        TAP_ADD_ROW(&tables[TAP_ERRORS], tap_error,
                    table_text(opcode_name(traffic->errors[i].opcode)),
                    table_text(message_error_name(traffic->errors[i].error)),
                    table_signed(traffic->errors[i].error), table_count(traffic->errors[i].count));
    for (size_t i = 0; i < traffic->each_count; i++) {
        const struct traffic_session *session = traffic->each[i];
        TAP_ADD_ROW(&tables[TAP_SESSIONS], tap_session, table_hex(session->id),
                    table_text(session->library), table_count(session->connections),
                    seconds_of(traffic, session->first_ns), seconds_of(traffic, session->last_ns),
                    TRAFFIC_SUMS(FIGURE, &session->sums));
    }
    for (size_t i = 0; i < traffic->second_count; i++)
        TAP_ADD_ROW(&tables[TAP_SECONDS], tap_second, table_count(i),
                    TRAFFIC_SUMS(FIGURE, &traffic->seconds[i]));
    for (size_t i = 0; i < watches->armed.kinds.count; i++) {
        const struct armed_kind *kind = (const void *)watches->armed.kinds.list[i];
        TAP_ADD_ROW(&tables[TAP_WATCHES], tap_watch, table_text(kinds[kind->pattern.number]),
                    table_text(kind->pattern.text), WATCHES_FIGURES(FIGURE, &kind->figures));
    }
    fill_herds(watches, tap->begun_ns, &tables[TAP_HERDS]);
}

/* ------------------------------------------------------------------ files, JSON, the terminal */

static json_t *describe_plan(const struct tap_options *options)
{
    const struct levels *clients = &options->clients;
    const uint64_t tap_ms = options->duration_ns / NS_PER_MS;
    const double percent = options->target.cpu_percent;
    return json_pack("{s:o*, s:o*, s:o, s:s?, s:o, s:b, s:b}", "clients",
                     options->drain ? load_options_describe(clients->list, clients->count) : NULL,
                     "trials", options->drain ? json_integer(options->trials) : NULL,
                     "server_cpu_percent", json_result_count(percent > 0 ? percent : NAN), "listen",
                     options->pcap == NULL ? options->listen : NULL, "tap_ms",
                     json_result_count(tap_ms > 0 ? (double)tap_ms : NAN), "with_command",
                     options->command != NULL, "drain", options->drain);
}

/* The whole tap is one trial of the set of files. */
void tap_write_files(struct tap *tap, int argc, char **argv)
{
    const struct tap_options *options = tap->options;
    struct error *error = &tap->error, closing;
    struct file_set files;
    struct manifest manifest;
    ERROR_FIRST(error, file_set_open(&files, options->output.out, tap->target.name, error));
    for (size_t i = 0; error->kind == ERROR_NONE && i < TABLES(tap); i++) {
        struct csv csv;
        file_set_add_table(&files, tap->tables[i].type, &csv, error);
        if (error->kind == ERROR_NONE)
            table_write_rows(&tap->tables[i], &csv);
    }
    ERROR_FIRST(error, file_set_commit(&files, error));
    manifest_begin(&manifest, argc, argv, options->seed, describe_plan(options), &options->target,
                   &tap->target);
    json_object_set_new(manifest.json, "driver",
                        json_pack("{s:s, s:s, s:n, s:s}", "driver", "relay", "client_library",
                                  "the clients' own", "client_version", "clock",
                                  "CLOCK_MONOTONIC"));
    ERROR_FIRST(error, manifest_write(&manifest, &files, 1, NULL, NULL, error));
    manifest_deinit(&manifest);
    memcpy(tap->folder, files.folder, sizeof tap->folder);
    if (file_set_close(&files, &closing) != ERROR_NONE && error->kind == ERROR_NONE)
        *error = closing;
}

#define SET_COUNT(json, of, name)                                                                  \
    json_object_set_new(json, #name, json_integer((json_int_t)(of).name));

/* An object of docs/schema/tap.schema.json. */
static json_t *describe(const struct tap *tap)
{
    const enum verdict verdict = findings_verdict(&tap->tables[TAP_FINDINGS]);
    json_t *json =
        json_pack("{s:o, s:s, s:o, s:I, s:s, s:s}", "folder", json_result_text(tap->folder),
                  "target", tap->target.name, "seconds", json_result_real(tap->seconds), "requests",
                  (json_int_t)traffic_requests(&tap->traffic), "reconciled",
                  reconcile_words[tap->reconciled], "verdict", verdict_word(verdict));
    for (size_t i = 0; i < TABLES(tap); i++)
        json_object_set_new(json, views[i].key, json_result_rows(&tap->tables[i]));
    SET_COUNT(json, tap->traffic.watches, unattributed)
#define X(name, meaning) SET_COUNT(json, tap->traffic, name)
    TRAFFIC_CONVERSATIONS(X)
#undef X
    json_t *capture = tap->options->pcap != NULL ? json_object() : NULL;
#define X(name, meaning) SET_COUNT(capture, tap->capture, name)
    CAPTURE_COUNTS(X)
#undef X
    json_object_set_new(json, "capture", capture); /* without one it does nothing */
    json_object_set_new(json, "cut_short", json_result_text(tap->cut_short));
    return json;
}

/* The laws first. */
static void print_tables(const struct tap *tap)
{
    for (size_t i = 0; i < TAP_TABLES; i++) {
        const size_t at = (TAP_LAWS + i) % TAP_TABLES;
        const struct view *view = &views[at];
        struct table top = tap->tables[at];
        const size_t left = view->most > 0 && top.rows > view->most ? top.rows - view->most : 0;
        if (view->columns == NULL || top.rows == 0 || (tap->options->drain && view->not_drain))
            continue;
        top.rows -= left;
        const struct row_grid grid = {
            .table = &top, .columns = view->columns, .column_count = view->column_count};
        row_grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
        if (left > 0)
            printf("%zu more are in %s\n", left, view->type->file);
        putchar('\n');
    }
}

void tap_print(const struct tap *tap)
{
    const struct output_options *output = &tap->options->output;
    const struct table *findings = &tap->tables[TAP_FINDINGS];
    if (output->json)
        json_result_write(describe(tap), stdout);
    if (output->json || output->quiet) {
        findings_complain(findings, "", false);
        return;
    }
    print_tables(tap);
    findings_print(findings, false, terminal_abilities(STDOUT_FILENO).colours, stdout);
    if (tap->error.kind == ERROR_NONE && tap->folder[0] != '\0')
        printf("\nresults in %s\n", tap->folder);
}

// SPDX-License-Identifier: Apache-2.0
/* What a tap has found: compared with the servers' counters, on the terminal, as JSON, in files. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/tap/internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TABLE_DEFINE(tap_operation, "traffic.csv", TAP_OPERATION_COLUMNS)
TABLE_DEFINE(tap_place, "paths.csv", TAP_PLACE_COLUMNS)
TABLE_DEFINE(tap_error, "errors.csv", TAP_ERROR_COLUMNS)

#define GAP          2 /* blanks between two columns */
#define PLACES_SHOWN 12

/* ------------------------------------------------------------------ compared with the servers */

/* What a server counts as a packet: each opening of a session, and each request. */
static uint64_t packets_of(const struct traffic *traffic)
{
    uint64_t packets = traffic->sessions + traffic->refused + traffic->words;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        packets += traffic->operations[opcode].requests;
    return packets;
}

/* Why the two cannot be compared; NULL: they can. */
static const char *obstacle(const struct tap_result *result)
{
    if (!result->comparison.servers.known)
        return result->comparison.servers.asked_again
                   ? "a server did not give its counters at once, as at an election"
                   : "the servers do not tell their counters (mntr)";
    if (result->traffic->encrypted > 0)
        return "what came over TLS was not read";
    if (result->traffic->unreadable > 0)
        return "a message could not be read";
    return NULL;
}

void tap_compare(struct tap_result *result)
{
    struct tap_comparison *comparison = &result->comparison;
    const struct server_counters_count *servers = &comparison->servers;
    const char *why = obstacle(result);
    char packets[32], notifications[32], more[32];
    /* Servers count a deletion twice for a session that watches both the data and the children, and
     * notify the session once (WatchManager.triggerWatch). */
    uint64_t passed = packets_of(result->traffic), twice = result->watches->both,
             notified = traffic_notifications(result->traffic) + twice;
    text_format_count(passed, packets, sizeof packets);
    text_format_count(notified, notifications, sizeof notifications);
    bool agree =
        why == NULL && servers->packets_received == passed && servers->notifications == notified;
    bool bypassed = servers->packets_received > passed;
    bool others = bypassed && result->target->ensemble == NULL;
    comparison->reconciled = agree                   ? RECONCILED_YES
                             : why != NULL || others ? RECONCILED_NA
                                                     : RECONCILED_NO;
    if (why != NULL)
        snprintf(comparison->sentence, sizeof comparison->sentence,
                 "The servers' counters are not compared: %s.", why);
    else if (agree)
        snprintf(comparison->sentence, sizeof comparison->sentence,
                 "The servers counted the same: %s packets received, %s notifications sent%s.",
                 packets, notifications,
                 twice > 0 ? ", those twice that fired watches of data and of children" : "");
    else if (bypassed)
        snprintf(comparison->sentence, sizeof comparison->sentence,
                 "The servers received %s packets more than passed the relay: other clients, or "
                 "clients that do not connect through the relay.",
                 text_format_count(servers->packets_received - passed, more, sizeof more));
    else
        snprintf(comparison->sentence, sizeof comparison->sentence,
                 "The servers counted otherwise: %" PRIu64 " packets received and %" PRIu64
                 " notifications sent; the relay passed %s and %s.",
                 servers->packets_received, servers->notifications, packets, notifications);
}

/* ------------------------------------------------------------------ rows */

/* Fills the columns of TAP_FIGURES, which begin there. */
static void put_figures(struct table_value *row, const struct traffic_figures *figures)
{
    const struct table_value values[] = {
        table_count(figures->requests),
        table_count(figures->failed),
        table_count(figures->watches),
        table_count(figures->bytes_sent),
        table_count(figures->bytes_received),
        table_real(histogram_percentile_us(&figures->latency, 50)),
        table_real(histogram_percentile_us(&figures->latency, 99)),
        table_real(histogram_percentile_us(&figures->latency, 100)),
    };
    memcpy(row, values, sizeof values);
}

static void add_notifications(struct table *table, enum traffic_event event, uint64_t count,
                              uint64_t bytes)
{
    struct table_value *row = table_add(table);
    char *name = memory_format("notification %s", traffic_event_word(event));
    row[tap_operation_operation] = table_text(name);
    row[tap_operation_messages] = table_count(count);
    row[tap_operation_received_bytes] = table_count(bytes);
    free(name);
}

struct table tap_operations(const struct tap_result *result)
{
    const struct traffic *traffic = result->traffic;
    struct table table = {.type = &tap_operation_table};
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        if (traffic->operations[opcode].requests > 0) {
            struct table_value *row = table_add(&table);
            row[tap_operation_operation] = table_text(opcode_name(opcode));
            put_figures(row + tap_operation_messages, &traffic->operations[opcode]);
        }
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++)
        if (traffic->notifications[event] > 0)
            add_notifications(&table, event, traffic->notifications[event],
                              traffic->notification_bytes[event]);
    return table;
}

static int compare_places(const void *a, const void *b)
{
    const struct table_value *first = a, *second = b;
    uint64_t x = first[tap_place_messages].count, y = second[tap_place_messages].count;
    return x != y ? (x < y) - (x > y)
                  : strcmp(first[tap_place_pattern].text, second[tap_place_pattern].text);
}

struct table tap_places(const struct tap_result *result)
{
    const struct traffic *traffic = result->traffic;
    struct table table = {.type = &tap_place_table};
    for (size_t i = 0; i < traffic->places.count; i++) {
        const struct pattern *place = &traffic->places.list[i];
        struct table_value *row = table_add(&table);
        row[tap_place_operation] = table_text(opcode_name((enum opcode)place->number));
        row[tap_place_pattern] = table_text(place->text);
        put_figures(row + tap_place_messages, traffic->of_places[i]);
    }
    if (table.rows > 0)
        qsort(table.values, table.rows, tap_place_columns_count * sizeof *table.values,
              compare_places);
    return table;
}

struct table tap_errors(const struct tap_result *result)
{
    const struct traffic *traffic = result->traffic;
    struct table table = {.type = &tap_error_table};
    for (size_t i = 0; i < traffic->error_count; i++) {
        const struct traffic_error *error = &traffic->errors[i];
        struct table_value *row = table_add(&table);
        row[tap_error_operation] = table_text(opcode_name(error->opcode));
        row[tap_error_error] = table_text(message_error_name(error->error));
        row[tap_error_code] = table_signed(error->error);
        row[tap_error_replies] = table_count(error->count);
    }
    return table;
}

/* ------------------------------------------------------------------ the terminal */

enum {
    COLUMN_OPERATION,
    COLUMN_MESSAGES,
    COLUMN_FAILED,
    COLUMN_WATCHES,
    COLUMN_SENT,
    COLUMN_RECEIVED,
    COLUMN_P50,
    COLUMN_P99,
    COLUMN_MAX,
    COLUMN_PATH, /* of a table by paths */
    COLUMNS
};

static const struct grid_column columns[COLUMNS] = {
    [COLUMN_OPERATION] = {.title = "operation"},
    [COLUMN_MESSAGES] = {.title = "messages", .right = true},
    [COLUMN_FAILED] = {.title = "failed", .right = true},
    [COLUMN_WATCHES] = {.title = "watches", .right = true},
    [COLUMN_SENT] = {.over = "bytes", .title = "sent", .right = true, .spare = 2},
    [COLUMN_RECEIVED] = {.over = "bytes", .title = "received", .right = true, .spare = 3},
    [COLUMN_P50] = {.over = "latency", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "latency", .title = "p99 ms", .right = true},
    [COLUMN_MAX] = {.over = "latency", .title = "max ms", .right = true, .spare = 1},
    [COLUMN_PATH] = {.title = "path", .below = true},
};

/* The figures of a row, which begin there. */
static void put_row(struct grid *grid, const struct table_value *figures)
{
    for (size_t i = 0; i <= COLUMN_RECEIVED - COLUMN_MESSAGES; i++)
        grid_put_whole(grid, table_number(figures++));
    for (size_t i = 0; i <= COLUMN_MAX - COLUMN_P50; i++)
        grid_put_real(grid, table_number(figures++) / 1e3, 2);
}

void tap_write_grid(struct grid *grid, unsigned width, FILE *stream)
{
    (void)!grid_fit(grid, width, 1);
    grid_write(grid, width, stream);
    grid_deinit(grid);
}

static void write_operations(const struct tap_result *result, unsigned width, FILE *stream)
{
    struct table rows = tap_operations(result);
    struct grid grid;
    grid_init(&grid, columns, COLUMN_PATH, GAP);
    for (size_t i = 0; i < rows.rows; i++) {
        const struct table_value *row = table_row(&rows, i);
        grid_put(&grid, "%s", row[tap_operation_operation].text);
        put_row(&grid, row + tap_operation_messages);
    }
    tap_write_grid(&grid, width, stream);
    table_deinit(&rows);
}

/* The most frequent. */
static void write_places(const struct tap_result *result, unsigned width, FILE *stream)
{
    struct table rows = tap_places(result);
    struct grid grid;
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < rows.rows && i < PLACES_SHOWN; i++) {
        const struct table_value *row = table_row(&rows, i);
        grid_put(&grid, "%s", row[tap_place_operation].text);
        put_row(&grid, row + tap_place_messages);
        grid_put(&grid, "%s", row[tap_place_pattern].text);
    }
    if (rows.rows > 0)
        fputs("\n", stream);
    tap_write_grid(&grid, width, stream);
    if (rows.rows > PLACES_SHOWN)
        fprintf(stream, "%zu more are in paths.csv\n", rows.rows - PLACES_SHOWN);
    table_deinit(&rows);
}

static void write_errors(const struct traffic *traffic, FILE *stream)
{
    struct growing_text list = {0};
    char count[32];
    for (size_t i = 0; i < traffic->error_count; i++) {
        const struct traffic_error *error = &traffic->errors[i];
        growing_text_add(&list, "%s%s %s (%d) %s times", i > 0 ? ", " : "",
                         opcode_name(error->opcode), message_error_name(error->error),
                         (int)error->error, text_format_count(error->count, count, sizeof count));
    }
    if (list.text != NULL)
        wrap_sentence(stream, "errors: %s.", list.text);
    free(list.text);
}

/* What was not read, and what was not relayed. */
static void write_gaps(const struct tap_result *result, FILE *stream)
{
    const struct traffic *traffic = result->traffic;
    const struct relay_connections *connections = &result->connections;
    if (traffic->unreadable > 0)
        wrap_sentence(stream,
                      "Not valid: of %" PRIu64 " of %" PRIu64
                      " connections nothing was counted from a certain message on: %s.",
                      traffic->unreadable, traffic->connections, traffic->why_unreadable);
    if (traffic->encrypted > 0)
        wrap_sentence(stream,
                      "%" PRIu64 " of %" PRIu64
                      " connections used TLS: their bytes passed, and cannot be read.",
                      traffic->encrypted, traffic->connections);
    if (connections->unconnected > 0)
        wrap_sentence(stream, "%" PRIu64 " connections were refused by the servers.",
                      connections->unconnected);
    if (connections->unaccepted > 0)
        wrap_sentence(stream,
                      "Not valid: %" PRIu64 " connections were ended because this process may "
                      "not open more files: raise ulimit -n.",
                      connections->unaccepted);
}

/* What the command used, unless it was run many times, and how it ended. */
static void write_command(const struct tap_result *result, FILE *stream)
{
    const struct tap_command *command = &result->command;
    if (!result->options->drain && command->cpu_ns > 0)
        wrap_sentence(stream,
                      "The command used %.2f s of CPU time, and its largest process %.0f MiB of "
                      "memory.",
                      (double)command->cpu_ns / 1e9, (double)command->rss_kib / 1024);
    if (tap_is_passed_by(result))
        wrap_sentence(stream, "Not valid: the command has opened no connection to the relay: give "
                              "it the connect string, {} in its arguments or ZKHERD_CONNECT.");
    if (!tap_command_failed(command))
        return;
    if (WIFEXITED(command->status))
        wrap_sentence(stream, "Not valid: the command ended with status %d.",
                      WEXITSTATUS(command->status));
    else
        wrap_sentence(stream, "Not valid: the command was ended by signal %d.",
                      WTERMSIG(command->status));
}

/* What the laws are of. */
static void write_runs(const struct tap_result *result, FILE *stream)
{
    size_t planned = result->options->clients.count * TAP_TRIALS;
    fputs("\n", stream);
    if (result->like != NULL)
        wrap_sentence(stream, "%s", result->like);
    if (result->first_time != NULL)
        wrap_sentence(stream, "%s", result->first_time);
    wrap_sentence(stream,
                  "law: the polynomial in the number of clients, n, that most runs equal; "
                  "pings are left out. %zu of %zu runs, behind one that was not counted. runs.csv "
                  "has the counts of each.",
                  result->run_count, planned);
    if (result->run_count < planned)
        wrap_sentence(stream, "Not valid: a run of the command failed or was cut short.");
}

void tap_write(const struct tap_result *result, FILE *stream)
{
    const struct traffic *traffic = result->traffic;
    unsigned width = terminal_columns(STDOUT_FILENO);
    char requests[32], notifications[32], sessions[32], connections[32];
    if (result->options->drain) {
        tap_laws_write(result, width, stream);
        write_runs(result, stream);
    } else {
        write_operations(result, width, stream);
        write_places(result, width, stream);
    }
    tap_watches_write(result, width, stream);
    if (traffic_requests(traffic) > 0)
        fputs("\n", stream);
    wrap_sentence(
        stream,
        "%s requests without pings and closes, %s notifications, %s sessions on %s "
        "connections, in %.1f s.",
        text_format_count(traffic_requests(traffic), requests, sizeof requests),
        text_format_count(traffic_notifications(traffic), notifications, sizeof notifications),
        text_format_count(traffic->sessions - traffic->resumed, sessions, sizeof sessions),
        text_format_count(traffic->connections, connections, sizeof connections), result->seconds);
    tap_clients_write(result, stream);
    write_errors(traffic, stream);
    wrap_sentence(stream, "%s", result->comparison.sentence);
    tap_capture_write(result, stream);
    if (isfinite(result->cpu_us))
        wrap_sentence(stream, "The relay took %.1f us of CPU time for each message.",
                      result->cpu_us);
    write_gaps(result, stream);
    if (result->options->command != NULL)
        write_command(result, stream);
}

/* ------------------------------------------------------------------ JSON */

/* The columns from `first` to `last` of all rows, which are gone afterwards. */
static json_t *describe_rows(struct table rows, size_t first, size_t last)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows.rows; i++) {
        json_t *object = json_object();
        json_result_set_row(object, rows.type, table_row(&rows, i), first, last);
        json_array_append_new(list, object);
    }
    table_deinit(&rows);
    return list;
}

json_t *tap_describe(const struct tap_result *result, const char *folder)
{
    const struct traffic *traffic = result->traffic;
    json_t *json = json_pack("{s:o, s:s, s:o, s:o, s:s, s:s}", "folder",
                             folder[0] != '\0' ? json_text(folder) : json_null(), "target",
                             result->target->name, "seconds", json_result_real(result->seconds),
                             "requests", json_integer((json_int_t)traffic_requests(traffic)),
                             "reconciled", reconcile_word(result->comparison.reconciled), "verdict",
                             json_result_verdict(result->verdict));
    const struct tap_part *part;
    for (size_t i = 0; (part = tap_part(result, i)) != NULL; i++)
        json_object_set_new(json, part->key,
                            describe_rows(part->rows(result), 0, part->type->count - 1));
    json_object_set_new(json, "unattributed",
                        json_integer((json_int_t)result->watches->unattributed));
#define X(name, meaning) json_object_set_new(json, #name, json_integer((json_int_t)traffic->name));
    TRAFFIC_CONVERSATIONS(X)
#undef X
    json_object_set_new(json, "like", json_result_text(result->like));
    json_object_set_new(json, "first_time", json_result_text(result->first_time));
    json_result_set_real(json, "cpu_us_per_message", result->cpu_us);
    tap_capture_describe(result, json);
    json_object_set_new(json, "comparison", json_text(result->comparison.sentence));
    return json;
}

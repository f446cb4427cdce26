// SPDX-License-Identifier: Apache-2.0
/* The rows of what passed: messages, clients, watches. */
#include "bench/output/findings.h"
#include "bench/tap/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(tap_operation, "traffic.csv", TAP_OPERATION_COLUMNS)
TABLE_DEFINE(tap_place, "paths.csv", TAP_PLACE_COLUMNS)
TABLE_DEFINE(tap_error, "errors.csv", TAP_ERROR_COLUMNS)
TABLE_DEFINE(tap_session, "clients.csv", TAP_SESSION_COLUMNS)
TABLE_DEFINE(tap_second, "seconds.csv", TAP_SECOND_COLUMNS)
TABLE_DEFINE(tap_watch, "watches.csv", TAP_WATCH_COLUMNS)
TABLE_DEFINE(tap_cause, "causes.csv", TAP_CAUSE_COLUMNS)
TABLE_DEFINE(tap_herd, "herds.csv", TAP_HERD_COLUMNS)

/* Adds a row: a value for each column of `type`, in their order. */
#define ADD_ROW(table, type, ...)                                                                  \
    do {                                                                                           \
        const struct table_value values[] = {__VA_ARGS__};                                         \
        _Static_assert(sizeof values / sizeof values[0] == type##_columns_count, "all columns");   \
        memcpy(table_add(table), values, sizeof values);                                           \
    } while (0)

/* A column of a list of X(from, name, ...). */
#define FIGURE(from, name, ...) table_count((from)->name),

/* The columns of TAP_FIGURES and of TAP_CAUSED. */
#define FIGURES(from)                                                                              \
    table_count((from)->requests), table_count((from)->failed), table_count((from)->watches),      \
        table_count((from)->bytes_sent), table_count((from)->bytes_received),                      \
        percentile_of(&(from)->latency, 50), percentile_of(&(from)->latency, 99),                  \
        percentile_of(&(from)->latency, 100)
#define CAUSED(from)                                                                               \
    table_count((from)->notified), table_count((from)->followed),                                  \
        table_count((from)->followed_bytes), table_count((from)->got),                             \
        table_count((from)->armed_again)

/* In microseconds; unknown where so few times have no such percentile but the longest. */
static struct table_value percentile_of(const struct histogram *times, double percent)
{
    bool has = histogram_has_percentile(histogram_recorded(times), percent);
    return table_real(has ? histogram_percentile_us(times, percent) : NAN);
}

/* ------------------------------------------------------------------ messages */

static void fill_operations(const struct traffic *traffic, struct table *table)
{
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        if (traffic->operations[opcode].requests > 0)
            ADD_ROW(table, tap_operation, table_text(opcode_name(opcode)),
                    FIGURES(&traffic->operations[opcode]));
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++) {
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
        const struct pattern *place = &traffic->places.list[i];
        ADD_ROW(table, tap_place, table_text(opcode_name((enum opcode)place->number)),
                table_text(place->text), FIGURES(traffic->of_places[i]));
    }
    if (table->rows > 0)
        qsort(table->values, table->rows, tap_place_columns_count * sizeof *table->values,
              compare_places);
}

static void fill_errors(const struct traffic *traffic, struct table *table)
{
    for (size_t i = 0; i < traffic->error_count; i++) {
        const struct traffic_error *error = &traffic->errors[i];
        ADD_ROW(table, tap_error, table_text(opcode_name(error->opcode)),
                table_text(message_error_name(error->error)), table_signed(error->error),
                table_count(error->count));
    }
}

/* ------------------------------------------------------------------ clients */

static struct table_value seconds_of(const struct clients *clients, uint64_t at_ns)
{
    return table_real(at_ns > 0 ? (double)(at_ns - clients->begun_ns) / 1e9 : 0);
}

static void fill_clients(const struct clients *clients, struct table *sessions,
                         struct table *seconds)
{
    for (size_t i = 0; i < clients->session_count; i++) {
        const struct clients_session *session = clients->sessions[i];
        char id[32];
        snprintf(id, sizeof id, "0x%" PRIx64, (uint64_t)session->id);
        ADD_ROW(sessions, tap_session, table_text(id), table_text(session->library),
                table_count(session->connections), seconds_of(clients, session->first_ns),
                seconds_of(clients, session->last_ns), CLIENTS_FIGURES(FIGURE, &session->figures));
    }
    for (size_t i = 0; i < clients->second_count; i++)
        ADD_ROW(seconds, tap_second, table_count(i), CLIENTS_FIGURES(FIGURE, &clients->seconds[i]));
}

/* ------------------------------------------------------------------ watches */

static void fill_watches(const struct watches *watches, struct table *table)
{
    static const char *const kinds[WATCHES_KINDS] = {"data", "children", "staying"};
    for (size_t i = 0; i < watches->kinds.count; i++) {
        const struct pattern *of = &watches->kinds.list[i];
        ADD_ROW(table, tap_watch, table_text(kinds[of->number]), table_text(of->text),
                WATCHES_FIGURES(FIGURE, &watches->figures[i]));
    }
}

static int compare_causes(const void *a, const void *b)
{
    const struct table_value *first = a, *second = b;
    uint64_t x = first[tap_cause_notified].count, y = second[tap_cause_notified].count;
    return (x < y) - (x > y);
}

/* Those with the most notifications first. */
static void fill_causes(const struct watches *watches, struct table *table)
{
    for (size_t i = 0; i < watches->writes.count; i++) {
        const struct pattern *write = &watches->writes.list[i];
        const struct watches_cause *cause = watches->causes[i];
        ADD_ROW(table, tap_cause, table_text(opcode_name((enum opcode)write->number)),
                table_text(write->text), table_count(cause->writes),
                table_count(cause->notified_most), CAUSED(cause), percentile_of(&cause->last, 50),
                percentile_of(&cause->last, 100));
    }
    if (table->rows > 0)
        qsort(table->values, table->rows, tap_cause_columns_count * sizeof *table->values,
              compare_causes);
}

/* The costliest first; times count from `begun_ns`. */
static void fill_herds(const struct watches *watches, uint64_t begun_ns, struct table *table)
{
    for (size_t i = 0; i < WATCHES_COSTLIEST && watches->costliest[i].uses > 0; i++) {
        const struct watches_write *write = &watches->costliest[i];
        ADD_ROW(table, tap_herd, table_text(opcode_name(write->opcode)), table_text(write->pattern),
                table_real((double)(write->requested_ns - begun_ns) / 1e9), CAUSED(write),
                table_real((double)(write->last_ns - write->requested_ns) / 1e3));
    }
}

/* ------------------------------------------------------------------ all of them */

void tap_fill_rows(struct tap *tap)
{
    static const struct table_type *const types[] = {
        &tap_operation_table, &tap_place_table, &tap_error_table, &tap_session_table,
        &tap_second_table,    &tap_watch_table, &tap_cause_table, &tap_herd_table,
        &finding_table,       &tap_run_table,   &tap_law_table};
    const struct observer *observer = &tap->observer;
    struct table *tables = tap->tables;
    for (size_t i = 0; i < TAP_TABLES; i++)
        tables[i].type = types[i];
    fill_operations(&observer->traffic, &tables[TAP_OPERATIONS]);
    fill_places(&observer->traffic, &tables[TAP_PLACES]);
    fill_errors(&observer->traffic, &tables[TAP_ERRORS]);
    fill_clients(&observer->clients, &tables[TAP_SESSIONS], &tables[TAP_SECONDS]);
    fill_watches(&observer->watches, &tables[TAP_WATCHES]);
    fill_causes(&observer->watches, &tables[TAP_CAUSES]);
    fill_herds(&observer->watches, tap->begun_ns, &tables[TAP_HERDS]);
}

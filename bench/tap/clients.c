// SPDX-License-Identifier: Apache-2.0
/* The sessions of the clients, and what they did in each second. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/tap/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(tap_session, "clients.csv", TAP_SESSION_COLUMNS)
TABLE_DEFINE(tap_second, "seconds.csv", TAP_SECOND_COLUMNS)

#define LIBRARIES_MOST 8

static double seconds_of(const struct clients *clients, uint64_t at_ns)
{
    return at_ns > 0 ? (double)(at_ns - clients->begun_ns) / 1e9 : 0;
}

struct table tap_sessions(const struct tap_result *result)
{
    const struct clients *clients = result->clients;
    struct table table = {.type = &tap_session_table};
    for (size_t i = 0; i < clients->session_count; i++) {
        const struct clients_session *session = clients->sessions[i];
        struct table_value *row = table_add(&table);
        char *id = memory_format("0x%" PRIx64, (uint64_t)session->id);
        row[tap_session_session] = table_text(id);
        row[tap_session_library] = table_text(session->library);
        row[tap_session_connections] = table_count(session->connections);
        row[tap_session_from_s] = table_real(seconds_of(clients, session->first_ns));
        row[tap_session_until_s] = table_real(seconds_of(clients, session->last_ns));
#define X(_, name, unit, meaning) row[tap_session_##name] = table_count(session->figures.name);
        CLIENTS_FIGURES(X, _)
#undef X
        free(id);
    }
    return table;
}

struct table tap_seconds(const struct tap_result *result)
{
    struct table table = {.type = &tap_second_table};
    for (size_t i = 0; i < result->clients->second_count; i++) {
        const struct clients_figures *figures = &result->clients->seconds[i];
        struct table_value *row = table_add(&table);
        row[tap_second_second] = table_count(i);
#define X(_, name, unit, meaning) row[tap_second_##name] = table_count(figures->name);
        CLIENTS_FIGURES(X, _)
#undef X
    }
    return table;
}

void tap_clients_write(const struct tap_result *result, FILE *stream)
{
    const struct clients *clients = result->clients;
    const char *names[LIBRARIES_MOST];
    uint64_t counts[LIBRARIES_MOST] = {0};
    size_t count = 0;
    struct growing_text list = {0};
    char number[32];
    for (size_t i = 0; i < clients->session_count; i++) {
        const char *library = clients->sessions[i]->library;
        size_t j = 0;
        if (library == NULL) /* it has asked for nothing */
            continue;
        while (j < count && strcmp(names[j], library) != 0)
            j++;
        if (j == count)
            names[count++] = library;
        counts[j]++;
    }
    for (size_t i = 0; i < count; i++)
        growing_text_add(&list, "%s%s with the library %s", i > 0 ? ", " : "",
                         text_format_count(counts[i], number, sizeof number), names[i]);
    if (count > 0)
        wrap_sentence(stream, "sessions that asked for something: %s.", list.text);
    free(list.text);
}

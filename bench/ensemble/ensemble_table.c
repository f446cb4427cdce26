// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble/ensemble_table.h"

#include "base/clock.h"
#include "base/printable.h"
#include "base/process.h"
#include "servers/four_letter.h"
#include "servers/role.h"
#include "servers/supervisor.h"

#include <inttypes.h>
#include <string.h>

#define ASK_NS (2 * NS_PER_S)

struct row {
    char address[ENDPOINT_TEXT_SIZE];
    char role[24];
    char memory[32];
    char version[64];
    char connections[32];
};

static void note_connections(const struct endpoint *endpoint, struct row *row)
{
    struct four_letter_counters counters;
    struct error ignored;
    if (four_letter_counters(endpoint, ASK_NS, &counters, &ignored) == ERROR_NONE)
        snprintf(row->connections, sizeof row->connections, "%" PRIu64,
                 counters.connections - 1); /* the question's own */
}

static void ask(const struct endpoint *endpoint, struct row *row)
{
    struct four_letter_identity identity;
    struct error refusal;
    enum error_kind kind = four_letter_identify(endpoint, ASK_NS, &identity, &refusal);
    if (kind != ERROR_NONE) {
        snprintf(row->role, sizeof row->role, "%s",
                 kind == ERROR_NOT_SERVING ? "not serving" : "no answer");
        return;
    }
    printable_text(identity.mode, row->role, sizeof row->role);
    printable_text(identity.version, row->version, sizeof row->version);
    note_connections(endpoint, row);
}

/* What is not known is a dash. */
static struct row look_at(const struct background_ensemble *background, size_t index)
{
    struct row row = {.role = "ended", .memory = "-", .version = "-", .connections = "-"};
    uint64_t rss_kib;
    endpoint_format(&background->connect.endpoints[index], row.address, sizeof row.address);
    if (!process_rss_kib(background->pids[index], &rss_kib))
        return row;
    snprintf(row.memory, sizeof row.memory, "%" PRIu64 " MiB", rss_kib / 1024);
    ask(&background->connect.endpoints[index], &row);
    return row;
}

bool ensemble_table_write(const struct background_ensemble *background, FILE *stream)
{
    bool serves = false;
    fprintf(stream, "%6s  %-15s  %-11s  %7s  %8s  %-10s  %11s\n", "server", "address", "role",
            "pid", "memory", "version", "connections");
    for (size_t i = 0; i < background->connect.count; i++) {
        struct row row = look_at(background, i);
        fprintf(stream, "%6zu  %-15s  %-11s  %7d  %8s  %-10s  %11s\n", i + 1, row.address, row.role,
                (int)background->pids[i], row.memory, row.version, row.connections);
        serves = serves || role_leads(role_of_mode(row.role));
    }
    return serves;
}

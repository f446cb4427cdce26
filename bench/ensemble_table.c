// SPDX-License-Identifier: Apache-2.0
#include "bench/ensemble_table.h"

#include "base/clock.h"
#include "base/printable.h"
#include "zk/admin.h"
#include "zk/keeper.h"

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
    struct admin_counters counters;
    struct fault ignored;
    if (admin_counters(endpoint, ASK_NS, &counters, &ignored) == FAULT_NONE)
        snprintf(row->connections, sizeof row->connections, "%" PRIu64,
                 counters.connections - 1); /* the question's own */
}

static void ask(const struct endpoint *endpoint, struct row *row)
{
    struct admin_identity identity;
    struct fault refusal;
    enum fault_kind kind = admin_identify(endpoint, ASK_NS, &identity, &refusal);
    if (kind != FAULT_NONE) {
        snprintf(row->role, sizeof row->role, "%s",
                 kind == FAULT_NOT_SERVING ? "not serving" : "no answer");
        return;
    }
    printable_text(identity.mode, row->role, sizeof row->role);
    printable_text(identity.version, row->version, sizeof row->version);
    note_connections(endpoint, row);
}

/* What is not known is a dash. */
static struct row look_at(const struct standing *standing, size_t index)
{
    struct row row = {.role = "ended", .memory = "-", .version = "-", .connections = "-"};
    uint64_t rss_kib;
    endpoint_format(&standing->connect.endpoints[index], row.address, sizeof row.address);
    if (!keeper_process_rss_kib(standing->pids[index], &rss_kib))
        return row;
    snprintf(row.memory, sizeof row.memory, "%" PRIu64 " MiB", rss_kib / 1024);
    ask(&standing->connect.endpoints[index], &row);
    return row;
}

bool ensemble_table_write(const struct standing *standing, FILE *stream)
{
    bool serves = false;
    fprintf(stream, "%6s  %-15s  %-11s  %7s  %8s  %-10s  %11s\n", "server", "address", "role",
            "pid", "memory", "version", "connections");
    for (size_t i = 0; i < standing->connect.count; i++) {
        struct row row = look_at(standing, i);
        fprintf(stream, "%6zu  %-15s  %-11s  %7d  %8s  %-10s  %11s\n", i + 1, row.address, row.role,
                (int)standing->pids[i], row.memory, row.version, row.connections);
        serves = serves || strcmp(row.role, "leader") == 0 || strcmp(row.role, "standalone") == 0;
    }
    return serves;
}

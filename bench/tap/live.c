// SPDX-License-Identifier: Apache-2.0
/* What a tap tells while it runs. */
#include "bench/metrics/metrics.h"
#include "bench/tap/internal.h"

/* One family for each column of traffic.csv that counts, a sample for each operation. */
static void write_counts(const struct table *rows, FILE *stream)
{
    for (size_t column = tap_operation_messages; column <= tap_operation_received_bytes; column++) {
        const struct table_column *of = &rows->type->columns[column];
        char name[64], help[128];
        snprintf(name, sizeof name, "zkherd_tap_%s_total", of->name);
        snprintf(help, sizeof help, "By operation: %s.", of->meaning);
        metrics_text_family(stream, name, "counter", help);
        for (size_t i = 0; i < rows->rows; i++) {
            const struct table_value *row = table_row(rows, i);
            if (row[column].kind == TABLE_COUNT)
                metrics_text_count(
                    stream, name, row[column].count,
                    METRICS_LABELS({"operation", row[tap_operation_operation].text}));
        }
    }
}

static void write_latencies(const struct traffic *traffic, FILE *stream)
{
    static const char name[] = "zkherd_tap_latency_seconds";
    metrics_text_family(stream, name, "histogram",
                        "From a request to its reply, as the relay saw them.");
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        struct metrics_histogram histogram = {0};
        if (traffic->operations[opcode].replies == 0)
            continue;
        metrics_histogram_add(&histogram, &traffic->operations[opcode].latency);
        metrics_histogram_write(stream, name, &histogram,
                                METRICS_LABELS({"operation", opcode_name(opcode)}));
    }
}

void tap_write_metrics(void *context, FILE *stream)
{
    const struct tap_result *result = context;
    struct table rows = tap_operations(result);
    write_counts(&rows, stream);
    table_deinit(&rows);
    write_latencies(result->traffic, stream);
    metrics_text_family(stream, "zkherd_tap_sessions_total", "counter", "Sessions opened.");
    metrics_text_count(stream, "zkherd_tap_sessions_total",
                       result->traffic->sessions - result->traffic->resumed, METRICS_NO_LABELS);
}

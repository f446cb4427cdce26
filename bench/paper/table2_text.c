// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table2_text.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/wrap.h"
#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"

#include <math.h>

#define GAP 2

/* ------------------------------------------------------------------ the figures */

static const struct grid_column columns_of_figures[] = {
    {.title = "servers", .right = true},
    {.title = "workers", .right = true},
    {.over = "ours,", .title = "creates/s", .right = true},
    {.over = "mean", .title = "ms", .right = true},
    {.over = "paper,", .title = "creates/s", .right = true},
    {.over = "mean", .title = "ms", .right = true},
};

static void put_rate(struct grid *grid, double per_s)
{
    char text[32];
    if (isfinite(per_s))
        grid_put(grid, "%s", text_format_count((uint64_t)(per_s + 0.5), text, sizeof text));
    else
        grid_put(grid, GRID_UNKNOWN);
}

static void put_latency(struct grid *grid, double ms, int decimals)
{
    if (isfinite(ms))
        grid_put(grid, "%.*f", decimals, ms);
    else
        grid_put(grid, GRID_UNKNOWN);
}

enum error_kind table2_text_print(const void *context, const struct load_options *options,
                                  unsigned columns, FILE *stream, struct error *error)
{
    const struct table2 *table = context;
    struct grid grid;
    (void)options;
    grid_init(&grid, columns_of_figures, sizeof columns_of_figures / sizeof columns_of_figures[0],
              GAP);
    for (size_t i = 0; i < table->topologies * table->levels; i++) {
        const struct table2_cell *cell = &table->cells[i];
        grid_put(&grid, "%llu", (unsigned long long)cell->servers);
        grid_put(&grid, "%llu", (unsigned long long)cell->workers);
        put_rate(&grid, cell->per_s.value);
        put_latency(&grid, cell->latency_ms.value, 2);
        put_rate(&grid, published_table2(cell->servers, cell->workers));
        put_latency(&grid, published_latency_ms(cell->servers, cell->workers), 1);
    }
    enum error_kind kind = grid_write(&grid, columns, stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the plan */

void table2_text_explain(const void *table, const struct load_options *options, FILE *stream)
{
    char servers[120], creates[32];
    (void)table;
    wrap_sentence(stream,
                  "Ours: each worker creates znodes of %u bytes for %llu s; %s; %u trials. The "
                  "paper's: %s creates by each worker, of %d bytes; servers of a dual-core machine "
                  "each. A create waits for its reply, and not for that of the delete before it.",
                  options->value_bytes, (unsigned long long)(options->duration_ns / NS_PER_S),
                  paper_servers_describe(&options->target, servers, sizeof servers),
                  options->trials, text_format_count(PUBLISHED_CREATES, creates, sizeof creates),
                  PUBLISHED_VALUE_BYTES);
}

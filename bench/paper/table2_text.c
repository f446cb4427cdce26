// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table2_text.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"

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
        grid_put_whole(&grid, cell->per_s.value);
        grid_put_real(&grid, cell->latency_ms.value, 2);
        grid_put_whole(&grid, published_table2(cell->servers, cell->workers));
        grid_put_real(&grid, published_latency_ms(cell->servers, cell->workers), 1);
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

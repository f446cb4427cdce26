// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table1_text.h"

#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"
#include "bench/target/core_shares.h"

#define GAP 2

/* ------------------------------------------------------------------ the figures */

static const struct grid_column columns_of_figures[] = {
    {.title = "servers", .right = true},
    {.over = "ours, 1/s", .title = "100 % reads", .right = true},
    {.over = "", .title = "0 % reads", .right = true},
    {.over = "paper, 1/s", .title = "100 % reads", .right = true},
    {.over = "", .title = "0 % reads", .right = true},
};

enum error_kind table1_text_print(const void *context, const struct load_options *options,
                                  unsigned columns, FILE *stream, struct error *error)
{
    const struct table1 *table = context;
    struct grid grid;
    (void)options;
    grid_init(&grid, columns_of_figures, sizeof columns_of_figures / sizeof columns_of_figures[0],
              GAP);
    for (size_t i = 0; i < table->topologies; i++) {
        const struct table1_cell *reads = table1_at(table, i, table->shares - 1),
                                 *writes = table1_at(table, i, 0);
        grid_put(&grid, "%llu", (unsigned long long)reads->servers);
        grid_put_whole(&grid, reads->per_s.value);
        grid_put_whole(&grid, writes->per_s.value);
        grid_put_whole(&grid, published_table1(reads->servers, reads->reads));
        grid_put_whole(&grid, published_table1(writes->servers, writes->reads));
    }
    enum error_kind kind = grid_write(&grid, columns, stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the plan */

static void write_differences(const struct load_options *options, FILE *stream)
{
    char servers[120];
    wrap_sentence(stream,
                  "Ours: %llu sessions, %u request%s outstanding each, values of %u bytes; %s; "
                  "%u trials of %llu s. The paper's: %d clients, at least %d requests outstanding "
                  "each, values of %d bytes; servers of a dual-core machine each.",
                  (unsigned long long)options->sessions.list[0], options->depth,
                  options->depth == 1 ? "" : "s", options->value_bytes,
                  paper_servers_describe(&options->target, servers, sizeof servers),
                  options->trials, (unsigned long long)(options->duration_ns / NS_PER_S),
                  PUBLISHED_SESSIONS, PUBLISHED_DEPTH, PUBLISHED_VALUE_BYTES);
}

static void write_starved(const struct table1 *table, FILE *stream)
{
    for (size_t i = 0; i < table->topologies * table->shares; i++) {
        const struct table1_cell *cell = &table->cells[i];
        if (cell->starved > 0)
            wrap_sentence(stream,
                          "%llu server%s, %u %% reads: %zu of %zu trials do not count: the servers "
                          "used less than %d %% of their CPU shares. The machine is busy, or too "
                          "few requests are outstanding.",
                          (unsigned long long)cell->servers, cell->servers == 1 ? "" : "s",
                          cell->reads, cell->starved, cell->trials, CORE_SHARES_SATURATED_PERCENT);
    }
}

void table1_text_explain(const void *context, const struct load_options *options, FILE *stream)
{
    write_starved(context, stream);
    write_differences(options, stream);
}

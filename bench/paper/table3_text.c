// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3_text.h"

#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"

#include <math.h>

#define GAP 2

/* ------------------------------------------------------------------ the figures */

static const struct grid_column columns_of_figures[] = {
    {.title = "servers", .right = true},
    {.title = "clients", .right = true},
    {.title = "barriers", .right = true},
    {.over = "ours,", .title = "s", .right = true},
    {.over = "interval", .title = "95 %", .right = true, .spare = 1},
    {.over = "paper,", .title = "s", .right = true},
    {.over = "passages", .title = "1/s", .right = true},
    {.over = "requests", .title = "1/s", .right = true},
    {.over = "reads to", .title = "writes", .right = true, .spare = 2},
};

/* Of a time in seconds: about three digits. */
static int decimals_of(double seconds)
{
    return seconds < 1 ? 3 : seconds < 100 ? 2 : 1;
}

static void put_cell(struct grid *grid, const struct table3_cell *cell)
{
    grid_put(grid, "%llu", (unsigned long long)cell->servers);
    grid_put(grid, "%u", cell->clients);
    grid_put(grid, "%u", cell->barriers);
    grid_put_real(grid, cell->seconds.value, decimals_of(cell->seconds.value));
    if (isfinite(cell->seconds.low))
        grid_put(grid, "%.*f to %.*f", decimals_of(cell->seconds.low), cell->seconds.low,
                 decimals_of(cell->seconds.high), cell->seconds.high);
    else
        grid_put(grid, GRID_UNKNOWN);
    grid_put_real(grid, published_table3(cell->clients, cell->barriers), 1);
    grid_put_whole(grid, cell->passages_per_s);
    grid_put_whole(grid, cell->requests_per_s);
    grid_put_real(grid, cell->reads_to_writes, 1);
}

enum error_kind table3_text_print(const void *context, const struct load_options *options,
                                  unsigned columns, FILE *stream, struct error *error)
{
    const struct table3 *table = context;
    struct grid grid;
    (void)options;
    grid_init(&grid, columns_of_figures, sizeof columns_of_figures / sizeof columns_of_figures[0],
              GAP);
    for (size_t i = 0; i < table->topologies * table->clients * table->barriers; i++)
        put_cell(&grid, &table->cells[i]);
    grid.hidden[0] = table->topologies == 1;
    (void)grid_fit(&grid, columns, 1);
    enum error_kind kind = grid_write(&grid, columns, stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ what is to be known */

/* The lowest and the highest exponent of the paper's lines. */
struct range {
    double least, most;
};

static struct range range_of(uint64_t (*line)(size_t k), double (*exponent)(uint64_t number))
{
    struct range range = {INFINITY, -INFINITY};
    for (size_t k = 0; line(k) != 0; k++) {
        range.least = fmin(range.least, exponent(line(k)));
        range.most = fmax(range.most, exponent(line(k)));
    }
    return range;
}

static void write_bounds(FILE *stream)
{
    struct range barriers = range_of(published_table3_clients, table3_paper_of_barriers);
    struct range clients = range_of(published_table3_barriers, table3_paper_of_clients);
    wrap_sentence(stream,
                  "Linear: the time grows with a power of the barriers or clients, and the "
                  "interval of the power lies from %.2f to %.2f. The paper calls its own growth "
                  "roughly linear: its figures have powers from %.2f to %.2f in barriers, and "
                  "from %.2f to %.2f in clients.",
                  TABLE3_EXPONENT_LEAST, TABLE3_EXPONENT_MOST, barriers.least, barriers.most,
                  clients.least, clients.most);
}

void table3_text_explain(const void *context, const struct load_options *options, FILE *stream)
{
    char servers[120];
    (void)context;
    write_bounds(stream);
    wrap_sentence(stream,
                  "A time is the average over the clients, from the common start until a client "
                  "has entered all barriers and left them all, and over %u trials; each entry and "
                  "each departure of a client is a passage. Ours: %s. The paper's: five runs of "
                  "50, 100 and 200 clients; it does not say how many servers; 1,950 to 3,100 "
                  "passages and 10,700 to 17,000 requests a second, four reads to a write.",
                  options->trials,
                  paper_servers_describe(&options->target, servers, sizeof servers));
}

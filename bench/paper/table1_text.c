// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table1_text.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/wrap.h"
#include "bench/paper/published.h"

#include <math.h>

#define GAP 2

/* ------------------------------------------------------------------ the figures */

static const struct grid_column columns_of_figures[] = {
    {.title = "servers", .right = true},
    {.over = "ours, 1/s", .title = "100 % reads", .right = true},
    {.over = "", .title = "0 % reads", .right = true},
    {.over = "paper, 1/s", .title = "100 % reads", .right = true},
    {.over = "", .title = "0 % reads", .right = true},
};

static void put_rate(struct grid *grid, double per_s)
{
    char text[32];
    if (isfinite(per_s))
        grid_put(grid, "%s", text_format_count((uint64_t)(per_s + 0.5), text, sizeof text));
    else
        grid_put(grid, GRID_UNKNOWN);
}

static enum error_kind write_figures(const struct table1 *table, unsigned columns, FILE *stream,
                                     struct error *error)
{
    struct grid grid;
    grid_init(&grid, columns_of_figures, sizeof columns_of_figures / sizeof columns_of_figures[0],
              GAP);
    for (size_t i = 0; i < table->topologies; i++) {
        const struct table1_cell *reads = table1_at(table, i, table->shares - 1),
                                 *writes = table1_at(table, i, 0);
        grid_put(&grid, "%llu", (unsigned long long)reads->servers);
        put_rate(&grid, reads->per_s.value);
        put_rate(&grid, writes->per_s.value);
        put_rate(&grid, published_table1(reads->servers, reads->reads));
        put_rate(&grid, published_table1(writes->servers, writes->reads));
    }
    enum error_kind kind = grid_write(&grid, columns, stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the shape */

static const struct grid_column columns_of_shape[] = {
    {.title = "verdict"},
    {.title = "claim"},
    {.over = "ours,", .title = "times", .right = true},
    {.over = "interval", .title = "95 %", .right = true},
    {.over = "paper,", .title = "times", .right = true},
};

static void put_ratio(struct grid *grid, double ratio)
{
    if (isfinite(ratio))
        grid_put(grid, "%.3f", ratio);
    else
        grid_put(grid, GRID_UNKNOWN);
}

/* In fewer words than table1_claim: a row fits in 80 columns. */
static void put_claim(struct grid *grid, const struct table1_judgement *judgement)
{
    unsigned long long servers = judgement->servers;
    if (judgement->claim == TABLE1_RISES_WITH_READS)
        grid_put(grid, "rises with reads, %llu server%s", servers, servers == 1 ? "" : "s");
    else
        grid_put(grid, "%s, %llu to %llu servers",
                 judgement->claim == TABLE1_READS_RISE ? "reads rise" : "writes fall",
                 (unsigned long long)judgement->against, servers);
}

static void put_judgement(struct grid *grid, const struct table1_judgement *judgement)
{
    grid_put(grid, "%s",
             judgement->verdict == VERDICT_FAILS ? "FAILS" : verdict_word(judgement->verdict));
    put_claim(grid, judgement);
    put_ratio(grid, judgement->ratio.value);
    if (isfinite(judgement->ratio.low))
        grid_put(grid, "%.3f to %.3f", judgement->ratio.low, judgement->ratio.high);
    else
        grid_put(grid, GRID_UNKNOWN);
    put_ratio(grid, judgement->paper_ratio);
}

static enum error_kind write_shape(const struct table1 *table, unsigned columns, FILE *stream,
                                   struct error *error)
{
    struct grid grid;
    grid_init(&grid, columns_of_shape, sizeof columns_of_shape / sizeof columns_of_shape[0], GAP);
    for (size_t i = 0; i < table->judgement_count; i++)
        put_judgement(&grid, &table->judgements[i]);
    enum error_kind kind = grid_write(&grid, columns, stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the plan */

/* What a server of ours has, where the paper's has a machine. */
static void describe_servers(const struct load_options *options, char *text, size_t size)
{
    const struct target_options *target = &options->target;
    if (target->driver == DRIVER_SIMULATED)
        snprintf(
            text, size,
            "simulated servers, whose leader pays nothing for a follower, so that writes cannot "
            "fall");
    else if (target->cpu_percent > 0)
        snprintf(text, size, "servers on one machine, %u.%02u cores each",
                 target->cpu_percent / 100, target->cpu_percent % 100);
    else
        snprintf(text, size, "servers that share the cores of one machine");
}

static void write_differences(const struct load_options *options, FILE *stream)
{
    char servers[120];
    describe_servers(options, servers, sizeof servers);
    wrap_sentence(stream,
                  "Ours: %llu sessions, %u requests outstanding each, values of %u bytes; %s; "
                  "%u trials of %llu s. The paper's: %d clients, at least %d requests outstanding "
                  "each, values of %d bytes; servers of a dual-core machine each.",
                  (unsigned long long)options->sessions.list[0], options->depth,
                  options->value_bytes, servers, options->trials,
                  (unsigned long long)(options->duration_ns / NS_PER_S), PUBLISHED_SESSIONS,
                  PUBLISHED_DEPTH, PUBLISHED_VALUE_BYTES);
    wrap_sentence(stream, "The shape is judged, the figures are not: they are those of two "
                          "machines.");
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
                          cell->reads, cell->starved, cell->trials, TABLE1_SATURATED_PERCENT);
    }
}

/* What the ratio of a judgement does not tell. */
static void write_falls(const struct table1 *table, FILE *stream)
{
    for (size_t i = 0; i < table->judgement_count; i++) {
        const struct table1_judgement *judgement = &table->judgements[i];
        if (judgement->falls)
            wrap_sentence(stream, "With %llu server%s throughput falls from %u to %u %% reads.",
                          (unsigned long long)judgement->servers,
                          judgement->servers == 1 ? "" : "s", judgement->falls_from,
                          judgement->falls_to);
    }
}

enum error_kind table1_text_write(const struct table1 *table, const struct load_options *options,
                                  unsigned columns, FILE *stream, struct error *error)
{
    enum error_kind kind = write_figures(table, columns, stream, error);
    fputc('\n', stream);
    if (kind == ERROR_NONE)
        kind = write_shape(table, columns, stream, error);
    fputc('\n', stream);
    write_starved(table, stream);
    write_falls(table, stream);
    write_differences(options, stream);
    return kind;
}

/* Why a judgement is what it is. */
static const char *describe_reason(const struct table1_judgement *judgement, char *text,
                                   size_t size)
{
    if (judgement->falls)
        snprintf(text, size, "throughput falls from %u to %u %% reads", judgement->falls_from,
                 judgement->falls_to);
    else if (isfinite(judgement->ratio.low))
        snprintf(text, size, "%.3f times, 95 %% interval %.3f to %.3f", judgement->ratio.value,
                 judgement->ratio.low, judgement->ratio.high);
    else
        snprintf(text, size, "there are too few valid trials");
    return text;
}

void table1_text_complain(const struct table1 *table)
{
    for (size_t i = 0; i < table->judgement_count; i++) {
        const struct table1_judgement *judgement = &table->judgements[i];
        char claim[100], reason[100];
        if (judgement->verdict != VERDICT_HOLDS)
            complain_plainly("%s: %s: %s", table1_claim(judgement, claim, sizeof claim),
                             verdict_word(judgement->verdict),
                             describe_reason(judgement, reason, sizeof reason));
    }
}

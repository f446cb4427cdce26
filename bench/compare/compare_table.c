// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the sides */

void compare_table_write_sides(const struct compared_runs *compared, FILE *stream)
{
    bool vary = compared_runs_vary_in_release(compared);
    for (size_t i = 0; i < compared->count; i++) {
        const struct compared_run *side = &compared->list[i];
        const char *version = vary ? side->version : NULL;
        char valid[64] = "";
        size_t count = side->run->trials.rows;
        if (side->timed < count)
            snprintf(valid, sizeof valid, " (%zu with valid times)", side->timed);
        char text[COMPARED_RUNS_LABEL_SIZE + PATH_MAX + 200], shown[sizeof text];
        snprintf(text, sizeof text, "%s: %zu trial%s%s on %llu server%s%s%s, in %s", side->label,
                 count, count == 1 ? "" : "s", valid, (unsigned long long)side->servers,
                 side->servers == 1 ? "" : "s", version != NULL ? " of ZooKeeper " : "",
                 version != NULL ? version : "", side->run->folder);
        fprintf(stream, "%c  ", compared_runs_letter(i));
        wrap_write(printable_text(text, shown, sizeof shown), 3, stream);
    }
}

/* ------------------------------------------------------------------ the table */

const char *compare_table_ratio(double ratio, char *text, size_t size)
{
    if (!isfinite(ratio))
        snprintf(text, size, "-");
    else if (ratio < 0.005)
        snprintf(text, size, "<.01");
    else if (ratio < 9.995)
        snprintf(text, size, "%.2f", ratio);
    else if (ratio < 9999.5)
        snprintf(text, size, "%.0f", ratio);
    else
        snprintf(text, size, ">1e4");
    return text;
}

static char mark_of(const struct ratio *ratio)
{
    return ratio->mark == RATIO_MARKED ? '*' : ' ';
}

#define GAP 1 /* blanks between two columns */

enum {
    COLUMN_RECIPE,
    COLUMN_CLIENTS,
    COLUMN_PAIR,
    COLUMN_COUNTS,
    COLUMN_HANDOFF,
    COLUMN_HANDOFF_INTERVAL,
    COLUMN_DRAIN,
    COLUMN_DRAIN_INTERVAL,
    COLUMN_P99,
    COLUMN_RATE,
    COLUMN_CPU,
    TABLE_COLUMNS
};

static const struct grid_column list[TABLE_COLUMNS] = {
    [COLUMN_RECIPE] = {.title = "recipe"},
    [COLUMN_CLIENTS] = {.title = "clients", .right = true},
    [COLUMN_PAIR] = {.title = "pair", .right = true},
    [COLUMN_COUNTS] = {.title = "counts", .right = true},
    [COLUMN_HANDOFF] = {.over = "handoff", .title = "p50"},
    [COLUMN_HANDOFF_INTERVAL] = {.title = "(95 % CI)"},
    [COLUMN_DRAIN] = {.over = "drain", .title = "time"},
    [COLUMN_DRAIN_INTERVAL] = {.title = "(95 % CI)", .spare = 1},
    [COLUMN_P99] = {.over = "handoff", .title = "p99", .spare = 3},
    [COLUMN_RATE] = {.over = "handoffs", .title = "per s", .spare = 4},
    [COLUMN_CPU] = {.over = "server", .title = "CPU", .spare = 2},
};

static bool counts_are_compared(const struct ratio_cell *cell)
{
    return ratios_is_compared(&cell->of[RATIO_RPCS]);
}

/* "1.81*"; without an asterisk a blank stands for it, so that figures are below each other. */
static void put_marked(struct grid *grid, const struct ratio *ratio)
{
    char value[16];
    grid_put(grid, "%4s%c", compare_table_ratio(ratio->ratio.value, value, sizeof value),
             mark_of(ratio));
}

/* "1.81*" and "(1.60-2.04)", in two columns. */
static void put_with_interval(struct grid *grid, const struct ratio *ratio)
{
    char low[16], high[16];
    put_marked(grid, ratio);
    if (isfinite(ratio->ratio.low))
        grid_put(grid, "(%s-%s)", compare_table_ratio(ratio->ratio.low, low, sizeof low),
                 compare_table_ratio(ratio->ratio.high, high, sizeof high));
    else
        grid_put(grid, "%s", "");
}

static const char *counts_word(const struct ratios *ratios, const struct ratio_cell *cell)
{
    if (!counts_are_compared(cell))
        return "-";
    return ratios_counts_differ(ratios, cell) ? "DIFFER" : "equal";
}

static void put_cell(struct grid *grid, const struct ratios *ratios, const struct ratio_cell *cell)
{
    grid_put(grid, "%s", cell->recipe);
    grid_put(grid, "%llu", (unsigned long long)cell->clients);
    grid_put(grid, "%c/%c", compared_runs_letter(cell->side), compared_runs_letter(cell->base));
    if (ratios->exact)
        grid_put(grid, "%s", counts_word(ratios, cell));
    else
        put_marked(grid, &cell->of[RATIO_RPCS]);
    put_with_interval(grid, &cell->of[RATIO_HANDOFF_P50]);
    put_with_interval(grid, &cell->of[RATIO_DRAIN]);
    put_marked(grid, &cell->of[RATIO_HANDOFF_P99]);
    put_marked(grid, &cell->of[RATIO_HANDOFFS_PER_S]);
    put_marked(grid, &cell->of[RATIO_SERVER_CPU]);
}

/* What all cells share: it stands below the table. */
struct shared {
    bool pair;     /* there are two sides only */
    bool base;     /* it is A */
    bool counts;   /* they are exact, and equal in every cell */
    bool interval; /* some time has one */
};

static struct shared find_shared(const struct ratios *ratios)
{
    struct shared shared = {true, true, ratios->exact, false};
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        shared.pair = shared.pair && cell->side == 1;
        shared.base = shared.base && cell->base == 0;
        shared.counts =
            shared.counts && counts_are_compared(cell) && !ratios_counts_differ(ratios, cell);
        shared.interval = shared.interval || isfinite(cell->of[RATIO_HANDOFF_P50].ratio.low) ||
                          isfinite(cell->of[RATIO_DRAIN].ratio.low);
    }
    return shared;
}

static void write_legend(const struct grid *grid, const struct shared *shared, FILE *stream)
{
    if (shared->counts)
        wrap_sentence(stream, "All counts are equal.");
    wrap_sentence(stream, "%s%s",
                  shared->pair   ? "Ratios of B to A."
                  : shared->base ? "Ratios to A."
                                 : "Ratios of the pair's first run to its second.",
                  grid->hidden[COLUMN_CPU] ? "" : " Server CPU: per handoff.");
    if (shared->interval)
        wrap_sentence(stream, "*: the 95 %% CI over trials excludes 1. compare.csv has all ratios "
                              "with their intervals.");
    else
        wrap_sentence(stream, "Too few trials for intervals: at least %d on each side needed.",
                      STATISTICS_TRIALS_MIN);
}

void compare_table_write(const struct ratios *ratios, size_t width, FILE *stream)
{
    const struct shared shared = find_shared(ratios);
    struct grid_column columns[TABLE_COLUMNS];
    struct grid grid;
    memcpy(columns, list, sizeof list);
    if (!ratios->exact)
        columns[COLUMN_COUNTS] = (struct grid_column){.title = "RPCs"};
    grid_init(&grid, columns, TABLE_COLUMNS, GAP);
    grid.hidden[COLUMN_PAIR] = shared.pair;
    grid.hidden[COLUMN_COUNTS] = shared.counts;
    grid.hidden[COLUMN_HANDOFF_INTERVAL] = grid.hidden[COLUMN_DRAIN_INTERVAL] = !shared.interval;
    for (size_t i = 0; i < ratios->count; i++)
        put_cell(&grid, ratios, &ratios->list[i]);
    grid_fit(&grid, width, 1);
    grid_write(&grid, width, stream);
    write_legend(&grid, &shared, stream);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ failed verdicts */

/* "318", or "318 to 320" where the trials of one side differ already. */
static const char *put_span(struct interval span, char *text, size_t size)
{
    if (span.high > span.low)
        snprintf(text, size, "%.0f to %.0f", span.low, span.high);
    else
        snprintf(text, size, "%.0f", span.low);
    return text;
}

static void complain_of_failed_trials(const struct compared_runs *compared)
{
    for (size_t i = 0; i < compared->count; i++) {
        const struct compared_run *side = &compared->list[i];
        if (side->failed > 0)
            complain_plainly("%c: the verdict fails in %zu of %zu trials, which are left out; see "
                             "'reason' in %s/trials.csv",
                             compared_runs_letter(i), side->failed, side->run->trials.rows,
                             side->run->folder);
    }
}

static void complain_of_count(const struct ratios *ratios, const struct ratio_cell *cell,
                              enum ratio_metric metric)
{
    char a[64], b[64], clients[32];
    const struct ratio *ratio = &cell->of[metric];
    complain_plainly("%s, %s clients: the verdict fails: %s: %s in %c, %s in %c", cell->recipe,
                     text_format_count(cell->clients, clients, sizeof clients),
                     ratios_name(ratios, metric), put_span(ratio->a, a, sizeof a),
                     compared_runs_letter(cell->base), put_span(ratio->b, b, sizeof b),
                     compared_runs_letter(cell->side));
}

void compare_table_complain(const struct ratios *ratios, const struct compared_runs *compared)
{
    complain_of_failed_trials(compared);
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        for (int metric = 0; ratios->exact && metric < RATIO_COUNTS; metric++) {
            if (cell->of[metric].mark == RATIO_MARKED)
                complain_of_count(ratios, cell, (enum ratio_metric)metric);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ratio_put(double ratio, char text[RATIO_SIZE])
{
    if (!isfinite(ratio))
        snprintf(text, RATIO_SIZE, "-");
    else if (ratio < 0.005)
        snprintf(text, RATIO_SIZE, "<.01");
    else if (ratio < 9.995)
        snprintf(text, RATIO_SIZE, "%.2f", ratio);
    else if (ratio < 9999.5)
        snprintf(text, RATIO_SIZE, "%.0f", ratio);
    else
        snprintf(text, RATIO_SIZE, ">1e4");
    return text;
}

/* ------------------------------------------------------------------ the sides */

static void write_sides(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        const char *version = comparison->releases_vary ? side->version : NULL;
        char valid[64] = "";
        size_t count = side->run.trials.rows;
        if (side->timed_rows < count)
            snprintf(valid, sizeof valid, " (%zu with valid times)", side->timed_rows);
        char text[SIDE_LABEL_SIZE + PATH_MAX + 200], shown[sizeof text];
        snprintf(text, sizeof text, "%s: %zu trial%s%s on %llu server%s%s%s, in %s", side->label,
                 count, count == 1 ? "" : "s", valid, (unsigned long long)side->servers,
                 side->servers == 1 ? "" : "s", version != NULL ? " of ZooKeeper " : "",
                 version != NULL ? version : "", side->run.folder);
        printf("%s  ", side->letter);
        wrap_write(printable_text(text, shown, sizeof shown), 3, stdout);
    }
}

/* ------------------------------------------------------------------ the table */

#define GAP          1 /* blanks between two columns */
#define COUNTS_EQUAL "equal"

/* The first columns; two for each metric behind them, the second for its interval. */
enum { COLUMN_GROUP, COLUMN_SIZE, COLUMN_AT, COLUMN_PAIR, COLUMN_COUNTS, COLUMN_METRICS };

struct layout {
    struct grid_column columns[GRID_COLUMNS_MAX];
    size_t metrics[GRID_COLUMNS_MAX]; /* of which metric a column is */
    size_t count;
};

/* Columns of metrics until there is no room for one more: those with an interval come first. */
static void add_metrics(const struct comparison *comparison, bool with_interval,
                        struct layout *layout)
{
    size_t width = with_interval ? 2 : 1;
    for (size_t i = 0; i < comparison->metric_count; i++) {
        const struct metric *metric = &comparison->metrics[i];
        if (metric->over == NULL || metric->shows_interval != with_interval ||
            layout->count + width > GRID_COLUMNS_MAX)
            continue;
        layout->metrics[layout->count] = i;
        layout->columns[layout->count++] = (struct grid_column){
            .over = metric->over, .title = metric->title, .spare = metric->spare};
        if (!with_interval)
            continue;
        layout->metrics[layout->count] = i;
        layout->columns[layout->count++] =
            (struct grid_column){.title = "(95 % CI)", .spare = i == comparison->lead ? 0 : 1};
    }
}

static void lay_out(const struct comparison *comparison, struct layout *layout)
{
    const struct grid_column first[] = {
        [COLUMN_GROUP] = {.title = comparison->name_count > 0
                                       ? comparison->kind->type->columns[comparison->names[0]].name
                                       : ""},
        [COLUMN_SIZE] = {.title = comparison_size_word(comparison), .right = true},
        [COLUMN_AT] = {.title = "at"},
        [COLUMN_PAIR] = {.title = "pair", .right = true},
        [COLUMN_COUNTS] = {.title = comparison->exact ? "counts" : "RPCs",
                           .right = comparison->exact}};
    *layout = (struct layout){.count = COLUMN_METRICS};
    memcpy(layout->columns, first, sizeof first);
    add_metrics(comparison, true, layout);
    add_metrics(comparison, false, layout);
}

/* "1.81*"; without an asterisk a blank stands for it, so that figures are below each other. */
static void put_marked(struct grid *grid, const struct ratio *ratio)
{
    char value[RATIO_SIZE];
    grid_put(grid, "%4s%c", ratio_put(ratio->ratio.value, value),
             ratio->mark == RATIO_MARKED ? '*' : ' ');
}

/* "(1.60-2.04)" */
static void put_interval(struct grid *grid, const struct ratio *ratio)
{
    char low[RATIO_SIZE], high[RATIO_SIZE];
    if (isfinite(ratio->ratio.low))
        grid_put(grid, "(%s-%s)", ratio_put(ratio->ratio.low, low),
                 ratio_put(ratio->ratio.high, high));
    else
        grid_put(grid, "%s", "");
}

static void put_counts(struct grid *grid, const struct comparison *comparison,
                       const struct ratio_cell *cell)
{
    if (!comparison->is_of_runs)
        grid_put(grid, "%s", "");
    else if (!comparison->exact)
        put_marked(grid, &cell->of[0]);
    else
        grid_put(grid, "%s",
                 !cell->of[0].is_compared ? GRID_UNKNOWN
                 : cell->counts_differ    ? "DIFFER"
                                          : COUNTS_EQUAL);
}

static void put_cell(struct grid *grid, const struct layout *layout,
                     const struct comparison *comparison, const struct ratio_cell *cell)
{
    grid_put(grid, "%s", cell->place->group);
    grid_put(grid, "%llu", (unsigned long long)cell->place->size);
    grid_put(grid, "%s", cell->place->at);
    grid_put(grid, "%s/%s", cell->side->letter, cell->side->base->letter);
    put_counts(grid, comparison, cell);
    for (size_t i = COLUMN_METRICS; i < layout->count; i++) {
        const struct ratio *ratio = &cell->of[layout->metrics[i]];
        if (layout->columns[i].over != NULL)
            put_marked(grid, ratio);
        else
            put_interval(grid, ratio);
    }
}

/* Without what is the same, or empty, in all rows. */
static void hide(const struct comparison *comparison, const struct layout *layout,
                 struct grid *grid)
{
    bool intervals = comparison->marked_of > 0;
    grid->hidden[COLUMN_AT] = grid_all_are(grid, COLUMN_AT, "");
    grid->hidden[COLUMN_PAIR] = comparison->side_count == 2;
    grid->hidden[COLUMN_COUNTS] =
        !comparison->is_of_runs ||
        (comparison->exact && grid_all_are(grid, COLUMN_COUNTS, COUNTS_EQUAL));
    for (size_t i = COLUMN_METRICS; i < layout->count; i++)
        grid->hidden[i] = (layout->columns[i].over == NULL && !intervals) ||
                          (!comparison->is_of_runs && grid_all_are(grid, i, "   - "));
}

/* What all cells share. */
static void write_legend(const struct comparison *comparison, const struct grid *grid)
{
    bool to_a = true, has_cpu = false;
    for (size_t i = 1; i < comparison->side_count; i++)
        to_a = to_a && comparison->sides[i].base == comparison->sides;
    for (size_t i = 0; i < grid->column_count; i++)
        has_cpu = has_cpu || (!grid->hidden[i] && strcmp(grid->columns[i].title, "CPU") == 0);
    if (comparison->is_of_runs && grid->hidden[COLUMN_COUNTS])
        wrap_sentence(stdout, "All counts are equal.");
    wrap_sentence(stdout, "%s%s",
                  comparison->side_count == 2 ? "Ratios of B to A."
                  : to_a                      ? "Ratios to A."
                                              : "Ratios of the pair's first run to its second.",
                  has_cpu ? " Server CPU: per handoff." : "");
    if (comparison->marked_of == 0) {
        wrap_sentence(stdout, "Too few trials for intervals: at least %d on each side needed.",
                      STATISTICS_TRIALS_MIN);
        return;
    }
    wrap_sentence(stdout,
                  "*: differs from 1, by intervals that hold with 95 %% for all %zu ratios at "
                  "once. compare.csv has each ratio with its own interval of 95 %%.",
                  comparison->marked_of);
}

static void write_table(const struct comparison *comparison)
{
    size_t width = terminal_columns(STDOUT_FILENO);
    struct layout layout;
    struct grid grid;
    lay_out(comparison, &layout);
    grid_init(&grid, layout.columns, layout.count, GAP);
    for (size_t i = 0; i < comparison->cell_count; i++)
        put_cell(&grid, &layout, comparison, &comparison->cells[i]);
    hide(comparison, &layout, &grid);
    grid_fit(&grid, width, 1);
    grid_write(&grid, width, stdout);
    write_legend(comparison, &grid);
    grid_deinit(&grid);
}

void comparison_tell(const struct comparison *comparison)
{
    write_sides(comparison);
    putchar('\n');
    write_table(comparison);
    putchar('\n');
    comparison_conclude(comparison);
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

static void complain_of_counts(const struct comparison *comparison, const struct ratio_cell *cell)
{
    char a[64], b[64], clients[32];
    for (size_t metric = 0; cell->counts_differ && metric < comparison->metric_count; metric++) {
        const struct ratio *ratio = &cell->of[metric];
        if (comparison->metrics[metric].is_count && ratio->mark == RATIO_MARKED)
            complain_plainly(
                "%s, %s clients: the verdict fails: %s: %s in %s, %s in %s", cell->place->group,
                text_format_count(cell->place->size, clients, sizeof clients),
                comparison->metrics[metric].name, put_span(ratio->a, a, sizeof a),
                cell->side->base->letter, put_span(ratio->b, b, sizeof b), cell->side->letter);
    }
}

void comparison_complain(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        if (side->failed > 0)
            complain_plainly("%s: the verdict fails in %zu of %zu trials, which are left out; see "
                             "'reason' in %s/%s",
                             side->letter, side->failed, side->run.trials.rows, side->run.folder,
                             side->run.trials.type->file);
    }
    for (size_t i = 0; i < comparison->cell_count; i++)
        complain_of_counts(comparison, &comparison->cells[i]);
}

void comparison_complain_of_gates(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->result_count; i++) {
        struct growing_text sentence = {0};
        if (comparison->results[i].verdict == GATE_NO_WORSE)
            continue;
        gate_say(comparison, &comparison->results[i], &sentence);
        complain_plainly("%s", sentence.text);
        free(sentence.text);
    }
}

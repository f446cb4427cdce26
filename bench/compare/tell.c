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

/* A longer label would fill a sentence: it is named by its letter. */
#define LABEL_IN_SENTENCE 24

#define RATIO_SIZE 16

/* A ratio in four columns at most; "-": it is not known. */
static const char *put_ratio(double ratio, char text[RATIO_SIZE])
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
        if (side->timed < count)
            snprintf(valid, sizeof valid, " (%zu with valid times)", side->timed);
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

/* "1.81*"; without an asterisk a blank stands for it, so that figures are below each other. */
static void put_marked(struct grid *grid, const struct ratio *ratio)
{
    char value[RATIO_SIZE];
    grid_put(grid, "%4s%c", put_ratio(ratio->ratio.value, value),
             ratio->mark == RATIO_MARKED ? '*' : ' ');
}

/* "1.81*" and "(1.60-2.04)", in two columns. */
static void put_with_interval(struct grid *grid, const struct ratio *ratio)
{
    char low[RATIO_SIZE], high[RATIO_SIZE];
    put_marked(grid, ratio);
    if (isfinite(ratio->ratio.low))
        grid_put(grid, "(%s-%s)", put_ratio(ratio->ratio.low, low),
                 put_ratio(ratio->ratio.high, high));
    else
        grid_put(grid, "%s", "");
}

static void put_cell(struct grid *grid, const struct comparison *comparison,
                     const struct ratio_cell *cell)
{
    const struct ratio *rpcs = &cell->of[METRIC_RPCS];
    grid_put(grid, "%s", cell->recipe);
    grid_put(grid, "%llu", (unsigned long long)cell->clients);
    grid_put(grid, "%s/%s", cell->side->letter, cell->side->base->letter);
    if (!comparison->exact)
        put_marked(grid, rpcs);
    else
        grid_put(grid, "%s",
                 !rpcs->is_compared    ? GRID_UNKNOWN
                 : cell->counts_differ ? "DIFFER"
                                       : COUNTS_EQUAL);
    put_with_interval(grid, &cell->of[METRIC_HANDOFF_P50]);
    put_with_interval(grid, &cell->of[METRIC_DRAIN]);
    put_marked(grid, &cell->of[METRIC_HANDOFF_P99]);
    put_marked(grid, &cell->of[METRIC_HANDOFFS_PER_S]);
    put_marked(grid, &cell->of[METRIC_SERVER_CPU]);
}

/* What all cells share. */
static void write_legend(const struct comparison *comparison, const struct grid *grid)
{
    bool to_a = true;
    for (size_t i = 1; i < comparison->side_count; i++)
        to_a = to_a && comparison->sides[i].base == comparison->sides;
    if (grid->hidden[COLUMN_COUNTS])
        wrap_sentence(stdout, "All counts are equal.");
    wrap_sentence(stdout, "%s%s",
                  grid->hidden[COLUMN_PAIR] ? "Ratios of B to A."
                  : to_a                    ? "Ratios to A."
                                            : "Ratios of the pair's first run to its second.",
                  grid->hidden[COLUMN_CPU] ? "" : " Server CPU: per handoff.");
    if (!grid_all_are(grid, COLUMN_HANDOFF_INTERVAL, "") ||
        !grid_all_are(grid, COLUMN_DRAIN_INTERVAL, ""))
        wrap_sentence(stdout, "*: the 95 %% CI over trials excludes 1. compare.csv has all ratios "
                              "with their intervals.");
    else
        wrap_sentence(stdout, "Too few trials for intervals: at least %d on each side needed.",
                      STATISTICS_TRIALS_MIN);
}

static void write_table(const struct comparison *comparison)
{
    size_t width = terminal_columns(STDOUT_FILENO);
    struct grid_column columns[TABLE_COLUMNS];
    struct grid grid;
    memcpy(columns, list, sizeof list);
    if (!comparison->exact)
        columns[COLUMN_COUNTS] = (struct grid_column){.title = "RPCs"};
    grid_init(&grid, columns, TABLE_COLUMNS, GAP);
    for (size_t i = 0; i < comparison->cell_count; i++)
        put_cell(&grid, comparison, &comparison->cells[i]);
    grid.hidden[COLUMN_PAIR] = comparison->side_count == 2;
    grid.hidden[COLUMN_COUNTS] =
        comparison->exact && grid_all_are(&grid, COLUMN_COUNTS, COUNTS_EQUAL);
    grid.hidden[COLUMN_HANDOFF_INTERVAL] = grid.hidden[COLUMN_DRAIN_INTERVAL] =
        grid_all_are(&grid, COLUMN_HANDOFF_INTERVAL, "") &&
        grid_all_are(&grid, COLUMN_DRAIN_INTERVAL, "");
    grid_fit(&grid, width, 1);
    grid_write(&grid, width, stdout);
    write_legend(comparison, &grid);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ the sentences */

/* The label, or the letter if that is long. */
static void say_label(struct growing_text *sentence, const struct side *side)
{
    char label[SIDE_LABEL_SIZE];
    printable_text(side->label, label, sizeof label);
    growing_text_add(sentence, "%s", strlen(label) <= LABEL_IN_SENTENCE ? label : side->letter);
}

static void say_servers(struct growing_text *sentence, const struct side *side)
{
    growing_text_add(sentence, "%llu server%s", (unsigned long long)side->servers,
                     side->servers == 1 ? "" : "s");
}

/* "3 servers" if that tells the sides apart, else the label. */
static void say_side(struct growing_text *sentence, const struct comparison *comparison,
                     const struct side *side)
{
    bool by_servers = true;
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *other = &comparison->sides[i];
        by_servers = by_servers && (other == side || other->servers != side->servers);
    }
    if (by_servers)
        say_servers(sentence, side);
    else
        say_label(sentence, side);
}

/* "3.9.3" if that tells the two sides apart, else the label. */
static void say_release(struct growing_text *sentence, const struct side *side,
                        const struct side *other)
{
    char shown[128];
    if (side->version != NULL && other->version != NULL &&
        strcmp(side->version, other->version) != 0)
        growing_text_add(sentence, "%s", printable_text(side->version, shown, sizeof shown));
    else
        say_label(sentence, side);
}

/* "1.81", and its interval if there is one. */
static void say_interval(struct growing_text *sentence, const struct ratio *ratio)
{
    char low[RATIO_SIZE], high[RATIO_SIZE];
    if (isfinite(ratio->ratio.low))
        growing_text_add(sentence, " (95 %% CI %s to %s)", put_ratio(ratio->ratio.low, low),
                         put_ratio(ratio->ratio.high, high));
}

static void say_clients(struct growing_text *sentence, const struct ratio_cell *cell)
{
    char clients[32];
    growing_text_add(sentence, " at %s clients",
                     text_format_count(cell->clients, clients, sizeof clients));
}

/* Which of two releases is better, before the ratio that says so. */
static void say_releases(struct growing_text *sentence, const struct ratio_cell *cell)
{
    static const char *const words[][2] = {
        [RATIO_UNKNOWN] = {"too few trials to tell ", " from "},
        [RATIO_PLAIN] = {"no difference is shown between ", " and "},
        [RATIO_MARKED] = {"handoffs are shorter with ", " than with "}};
    const struct ratio *handoff = &cell->of[METRIC_HANDOFF_P50];
    const struct side *side = cell->side;
    bool is_longer = handoff->mark == RATIO_MARKED && handoff->ratio.value > 1;
    char text[RATIO_SIZE];
    growing_text_add(sentence, "%s",
                     is_longer ? "handoffs are longer with " : words[handoff->mark][0]);
    say_release(sentence, side, side->base);
    growing_text_add(sentence, "%s", words[handoff->mark][1]);
    say_release(sentence, side->base, side);
    growing_text_add(sentence, ": the median takes %s times as long",
                     put_ratio(handoff->ratio.value, text));
    say_interval(sentence, handoff);
    say_clients(sentence, cell);
}

static void say_handoff(struct growing_text *sentence, const struct comparison *comparison,
                        const struct ratio_cell *cell)
{
    const struct ratio *handoff = &cell->of[METRIC_HANDOFF_P50];
    char text[RATIO_SIZE];
    growing_text_add(sentence, "the median handoff takes %s times as long on ",
                     put_ratio(handoff->ratio.value, text));
    say_side(sentence, comparison, cell->side);
    if (comparison->releases_vary && comparison->servers_vary) {
        growing_text_add(sentence, " as on ");
        say_side(sentence, comparison, cell->side->base);
    }
    say_interval(sentence, handoff);
    say_clients(sentence, cell);
    if (handoff->mark == RATIO_UNKNOWN)
        growing_text_add(sentence, "; too few trials for an interval");
    else if (handoff->mark == RATIO_PLAIN)
        growing_text_add(sentence, ": this may be chance");
}

static bool is_of(const struct ratio_cell *cell, const char *recipe, const struct side *side)
{
    return cell->side == side && strcmp(cell->recipe, recipe) == 0;
}

static void say_exact_counts(struct growing_text *sentence, const struct comparison *comparison,
                             const char *recipe, const struct side *side)
{
    size_t compared = 0, differ = 0, cells = 0;
    char clients[32];
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct ratio_cell *cell = &comparison->cells[i];
        if (!is_of(cell, recipe, side))
            continue;
        cells++;
        compared += cell->of[METRIC_RPCS].is_compared;
        if (cell->counts_differ)
            growing_text_add(sentence, "%s%s", differ++ == 0 ? "the counts DIFFER at " : ", ",
                             text_format_count(cell->clients, clients, sizeof clients));
    }
    growing_text_add(sentence, "%s",
                     differ > 0     ? " clients"
                     : compared > 0 ? "the counts are equal"
                                    : "no counts can be compared");
    if (compared > 0 && compared < cells)
        growing_text_add(sentence, " (compared at %zu of %zu client counts)", compared, cells);
}

/* The cell at the most clients where handoffs can be compared; else the last one. */
static const struct ratio_cell *cell_to_tell(const struct comparison *comparison,
                                             const char *recipe, const struct side *side)
{
    const struct ratio_cell *compared = NULL, *last = NULL;
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct ratio_cell *cell = &comparison->cells[i];
        if (!is_of(cell, recipe, side))
            continue;
        last = cell;
        if (cell->of[METRIC_HANDOFF_P50].is_compared)
            compared = cell;
    }
    return compared != NULL ? compared : last;
}

static void write_sentence(const struct comparison *comparison, const char *recipe,
                           const struct side *side)
{
    struct growing_text sentence = {0};
    const struct ratio_cell *cell = cell_to_tell(comparison, recipe, side);
    const struct ratio *rpcs = &cell->of[METRIC_RPCS];
    bool is_compared = cell->of[METRIC_HANDOFF_P50].is_compared;
    bool of_releases =
        side->servers == side->base->servers && sides_differ_in_release(side, side->base);
    char text[RATIO_SIZE];
    growing_text_add(&sentence, "%s", recipe);
    if (of_releases && comparison->servers_vary) {
        growing_text_add(&sentence, " on ");
        say_servers(&sentence, side);
    }
    growing_text_add(&sentence, ": ");
    if (is_compared && of_releases) {
        say_releases(&sentence, cell);
    } else if (is_compared) {
        say_handoff(&sentence, comparison, cell);
    } else {
        growing_text_add(&sentence, "no handoff times can be compared on ");
        say_side(&sentence, comparison, side);
    }
    growing_text_add(&sentence, "; ");
    if (comparison->exact) {
        say_exact_counts(&sentence, comparison, recipe, side);
    } else {
        growing_text_add(&sentence, "%s times as many RPCs", put_ratio(rpcs->ratio.value, text));
        say_interval(&sentence, rpcs);
    }
    wrap_hanging(sentence.text, stdout);
    free(sentence.text);
}

void comparison_tell(const struct comparison *comparison)
{
    const struct past_run *run = &comparison->sides[0].run;
    write_sides(comparison);
    putchar('\n');
    write_table(comparison);
    putchar('\n');
    for (size_t r = 0; past_run_recipe(run, r) != NULL; r++) {
        for (size_t side = 1; side < comparison->side_count; side++)
            write_sentence(comparison, past_run_recipe(run, r), &comparison->sides[side]);
    }
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
    for (enum metric metric = 0; cell->counts_differ && metric < METRIC_COUNTS; metric++) {
        const struct ratio *ratio = &cell->of[metric];
        if (ratio->mark == RATIO_MARKED)
            complain_plainly(
                "%s, %s clients: the verdict fails: %s: %s in %s, %s in %s", cell->recipe,
                text_format_count(cell->clients, clients, sizeof clients),
                metric_name(comparison, metric), put_span(ratio->a, a, sizeof a),
                cell->side->base->letter, put_span(ratio->b, b, sizeof b), cell->side->letter);
    }
}

void comparison_complain(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *side = &comparison->sides[i];
        if (side->failed > 0)
            complain_plainly("%s: the verdict fails in %zu of %zu trials, which are left out; see "
                             "'reason' in %s/trials.csv",
                             side->letter, side->failed, side->run.trials.rows, side->run.folder);
    }
    for (size_t i = 0; i < comparison->cell_count; i++)
        complain_of_counts(comparison, &comparison->cells[i]);
}

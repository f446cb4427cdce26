// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define GAP       1 /* blanks between two columns */
#define LINE_SIZE (SIDE_LABEL_SIZE + PATH_MAX + 300)
#define NO_RATIO  "   - "

/* --brief: lines of each part; 24 with those between them. */
#define BRIEF_SIDES 3
#define BRIEF_BARS  10
#define BAR_COLUMNS 30

/* "B  before: 20 trials (18 timed, 2 disturbed), 3 servers of ZooKeeper 3.9.3, in runs/before" */
static void print_side(const struct comparison *cmp, const struct side *side, bool brief)
{
    char text[LINE_SIZE], line[LINE_SIZE], counts[80] = "";
    size_t trials = side->trials.rows;
    bool release = cmp->releases_vary && side->version != NULL;
    if (side->timed < trials || side->disturbed > 0)
        snprintf(counts, sizeof counts, " (%zu timed, %zu disturbed)", side->timed,
                 side->disturbed);
    snprintf(text, sizeof text, "%s: %zu trial%s%s, %llu server%s%s%s, in %s", side->label, trials,
             text_plural(trials), counts, (unsigned long long)side->servers,
             text_plural(side->servers), release ? " of ZooKeeper " : "",
             release ? side->version : "", side->folder);
    printable_text(text, line, sizeof line);
    printf("%s  ", side->letter);
    wrap_write(brief ? printable_cut(line, TERMINAL_COLUMNS - 3) : line, 3, stdout);
}

/* ------------------------------------------------------------------ the table */

/* The first columns; behind them each metric's ratio, of some metrics with its interval. */
enum { COLUMN_GROUP, COLUMN_SIZE, COLUMN_AT, COLUMN_PAIR, COLUMN_METRICS };

/* Sets the columns; returns how many. Metrics from *shown on, for which there is no room, are in
 * compare.csv. */
static size_t choose_columns(const struct comparison *cmp, struct grid_column *columns,
                             size_t *shown)
{
    size_t count = COLUMN_METRICS;
    columns[COLUMN_GROUP].title = cmp->group_word;
    columns[COLUMN_SIZE] = (struct grid_column){.title = cmp->size_word, .right = true};
    columns[COLUMN_AT].title = "at";
    columns[COLUMN_PAIR].title = "pair";
    for (size_t i = 0; i < cmp->metric_count && count + 2 <= GRID_COLUMNS_MAX; i++) {
        const struct metric *metric = &cmp->metrics[i];
        *shown = i + 1;
        if (!metric->is_shown)
            continue;
        columns[count++] = (struct grid_column){
            .over = metric->over, .title = metric->title, .spare = metric->spare};
        if (metric->has_interval)
            columns[count++] =
                (struct grid_column){.title = "(95 % CI)", .spare = i != cmp->main_metric};
    }
    return count;
}

/* Adds "1.81*", and "(1.60-2.04)"; a blank stands for the asterisk: figures are below each other.
 */
static void add_ratio(struct grid *grid, const struct table_value *row, bool with_interval)
{
    char value[RATIO_SIZE], high[RATIO_SIZE];
    grid_add(grid, "%4s%c", format_ratio(row[ratio_ratio].real, value),
             row[ratio_marked].flag ? '*' : ' ');
    if (with_interval && isfinite(row[ratio_ratio_low].real))
        grid_add(grid, "(%s-%s)", format_ratio(row[ratio_ratio_low].real, value),
                 format_ratio(row[ratio_ratio_high].real, high));
    else if (with_interval)
        grid_add(grid, "%s", "");
}

static void print_table(const struct comparison *cmp)
{
    struct grid_column columns[GRID_COLUMNS_MAX] = {0};
    struct grid grid;
    size_t width = terminal_columns(STDOUT_FILENO), shown = 0,
           count = choose_columns(cmp, columns, &shown);
    grid_init(&grid, columns, count, GAP);
    for (size_t i = 0; i < cmp->rows.rows; i += cmp->metric_count) {
        const struct table_value *row = table_row(&cmp->rows, i);
        grid_add(&grid, "%s", row[ratio_recipe].text);
        grid_add(&grid, "%llu", (unsigned long long)row[ratio_clients].count);
        grid_add(&grid, "%s", row[ratio_at].text);
        grid_add(&grid, "%s", row[ratio_pair].text);
        for (size_t j = 0; j < shown; j++) {
            if (cmp->metrics[j].is_shown)
                add_ratio(&grid, table_row(&cmp->rows, i + j), cmp->metrics[j].has_interval);
        }
    }
    grid.hidden[COLUMN_AT] = grid_all_are(&grid, COLUMN_AT, "");
    grid.hidden[COLUMN_PAIR] = cmp->side_count == 2;
    for (size_t i = COLUMN_METRICS; i < count; i++)
        grid.hidden[i] = grid_all_are(&grid, i, columns[i].over != NULL ? NO_RATIO : "");
    grid_fit(&grid, width);
    printf("ratios%s:\n", cmp->side_count == 2 ? ", B to A" : "");
    grid_write(&grid, width, stdout);
    grid_deinit(&grid);
    if (cmp->interval_count > 0)
        wrap_sentence(stdout, "*: the ratio differs from 1, with 95 %% for all %zu at once.",
                      cmp->interval_count);
    else
        wrap_sentence(stdout, "Ratios without intervals: those need %d trials on each side.",
                      STATISTICS_TRIALS_MIN);
}

/* Whether the trials of two sides were made in turn, by one command, or are simulated: their times
 * do not drift apart. */
static bool share_drift(const struct side *one, const struct side *other)
{
    const json_t *a = one->manifest, *b = other->manifest;
    const char *driver = json_string_value(json_object_get(json_object_get(a, "driver"), "driver"));
    return (driver != NULL && strcmp(driver, options_drivers[DRIVER_SIMULATED]) == 0) ||
           (json_equal(json_object_get(a, "command"), json_object_get(b, "command")) &&
            json_equal(json_object_get(a, "seed"), json_object_get(b, "seed")));
}

/* ------------------------------------------------------------------ --brief */

/* The overall ratios as bars. */
static void print_bars(const struct comparison *cmp)
{
    const struct grid_column columns[4] = {{.title = cmp->group_word},
                                           {.title = "pair"},
                                           {.title = "ratio"},
                                           {.title = cmp->metrics[cmp->main_metric].name}};
    struct grid grid;
    double most = 0;
    for (size_t i = 0; i < cmp->overall_count; i++)
        most = fmax(most, cmp->overall[i].ratio.value);
    grid_init(&grid, columns, 4, GAP);
    for (size_t i = 0; i < cmp->overall_count && i < BRIEF_BARS; i++) {
        const struct overall *overall = &cmp->overall[i];
        char ratio[RATIO_SIZE], bar[BAR_SIZE];
        grid_add(&grid, "%.40s", overall->group);
        grid_add(&grid, "%s/%s", overall->side->letter, overall->side->base->letter);
        grid_add(&grid, "%s", format_ratio(overall->ratio.value, ratio));
        grid_add(&grid, "%s", bar_format(overall->ratio.value, most, BAR_COLUMNS, bar));
    }
    grid_write(&grid, TERMINAL_COLUMNS, stdout);
    grid_deinit(&grid);
    if (cmp->overall_count > BRIEF_BARS)
        printf("and %zu more\n", cmp->overall_count - BRIEF_BARS);
}

/* Sides, table, findings, and what the intervals do not know; or, in 24 lines of 80 columns, sides,
 * bars and verdict. */
void comparison_print(const struct comparison *cmp, bool brief)
{
    size_t sides = brief && cmp->side_count > BRIEF_SIDES ? BRIEF_SIDES : cmp->side_count;
    bool drifts = false, has_ratio = false, colours = terminal_abilities(STDOUT_FILENO).colours;
    for (size_t i = 0; i < sides; i++) {
        print_side(cmp, &cmp->sides[i], brief);
        drifts = drifts || !share_drift(cmp->sides[i].base, &cmp->sides[i]);
    }
    if (sides < cmp->side_count)
        printf("   and %zu more\n", cmp->side_count - sides);
    for (size_t i = 0; i < cmp->overall_count; i++)
        has_ratio = has_ratio || cmp->overall[i].sizes > 0;
    putchar('\n');
    if (has_ratio && brief)
        print_bars(cmp);
    if (has_ratio && !brief) {
        print_table(cmp);
        if (drifts)
            wrap_sentence(stdout, "Runs made one after the other drift: two of the same thing have "
                                  "had a ratio of 0.57. Compare topologies in one run: run "
                                  "--servers 1,3.");
        putchar('\n');
    }
    findings_print(&cmp->findings, brief, colours, stdout);
}

// SPDX-License-Identifier: Apache-2.0
/* Trials that have their keys in common are a cell: the medians of all sources side by side, the
 * laws beside the counts, and what a run says about its locks. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"
#include "measure/fit.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_SIZE  32
#define KEYS_MAX    4
#define FIGURES_MAX 5
#define NUMBER_SIZE 64

/* What a cell has of a column: its median over the trials that count; the least and the greatest
 * value of all trials; or, of all columns, how many trials are equal to their law. */
enum view { MEDIAN, RANGE, LAWFUL };

/* A column, and what it is called; NULL: behind the last. */
struct column {
    const char *column, *title;
    enum view view;
};

/* What is told of the rows of a file; NULL: nothing is told. */
struct figures {
    const char *file, *caption;
    const char *keys[KEYS_MAX + 1][2]; /* columns, and what they are called */
    struct column figures[FIGURES_MAX + 1];
    const char *needed; /* rows without a number here are left out; NULL: none is */
};

static const struct figures figures_of[PAGE_KINDS] = {
    [PAGE_RUN] = {"trials.csv",
                  "Medians over the valid trials of each cell",
                  {{"recipe", "recipe"}, {"clients", "clients"}},
                  {{"rpcs", "requests", MEDIAN},
                   {"notifications", "notifications", MEDIAN},
                   {"handoff_p50_us", "handoff p50, µs", MEDIAN},
                   {"drain_s", "drain, s", MEDIAN},
                   {"handoffs_per_s", "handoffs, 1/s", MEDIAN}},
                  NULL},
    [PAGE_LOAD] = {"cells.csv",
                   "Geometric means over the trials of each cell",
                   {{"servers", "servers"},
                    {"mix", "mix"},
                    {"sessions", "sessions"},
                    {"rate_per_s", "offered, 1/s"}},
                   {{"achieved_per_s", "answered, 1/s", MEDIAN},
                    {"response_p50_us", "response p50, µs", MEDIAN},
                    {"response_p99_us", "response p99, µs", MEDIAN}},
                   NULL},
    [PAGE_PLAN] = {"answers.csv",
                   "Answers of the searches",
                   {{"recipe", "recipe"}, {"objective", "objective"}, {"unknown", "unknown"}},
                   {{"passed", "largest passed", MEDIAN},
                    {"failed", "smallest failed", MEDIAN},
                    {"measured_us", "measured, µs", MEDIAN},
                    {"handoffs_per_s", "handoffs, 1/s", MEDIAN}},
                   NULL}};

/* The laws beside the counts of a run. */
static const struct figures laws = {"trials.csv",
                                    "Laws beside the counts of ",
                                    {{"recipe", "recipe"}, {"clients", "clients"}},
                                    {{"law_rpcs", "requests by law", RANGE},
                                     {"rpcs", "requests", RANGE},
                                     {"law_notifications", "notifications by law", RANGE},
                                     {"notifications", "notifications", RANGE},
                                     {"", "trials equal to the law", LAWFUL}},
                                    "law_rpcs"};

/* ------------------------------------------------------------------ cells */

/* A trial, or a row that sums up several. Its keys are owned by the source; "" behind the last. */
struct trial {
    const char *keys[KEYS_MAX];
    const struct page_source *source;
    size_t row;
};

struct cell {
    const struct trial *trials;
    size_t count;
};

struct cells {
    struct trial *trials; /* those of a cell together, of each source in the order of their rows */
    struct cell *list;    /* in the order of their keys, numbers by value */
    size_t count;
};

static int compare_keys(const struct trial *x, const struct trial *y)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < KEYS_MAX; i++) {
        char *x_end, *y_end;
        double of_x = strtod(x->keys[i], &x_end), of_y = strtod(y->keys[i], &y_end);
        bool are_numbers =
            x_end != x->keys[i] && *x_end == '\0' && y_end != y->keys[i] && *y_end == '\0';
        order = are_numbers ? (of_x > of_y) - (of_x < of_y) : strcmp(x->keys[i], y->keys[i]);
    }
    return order;
}

/* The sources are elements of one list. */
static int compare_trials(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* The cells of the sources of a kind. */
static struct cells find_cells(const struct page_source *sources, size_t count, enum page_kind kind,
                               const struct figures *figures)
{
    struct cells cells = {0};
    size_t trials = 0;
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *file = page_file(&sources[i], figures->file);
        for (size_t row = 0; sources[i].kind == kind && row < file->rows; row++) {
            if (figures->needed != NULL && isnan(page_number(file, row, figures->needed)))
                continue;
            cells.trials = memory_grow(cells.trials, trials, sizeof *cells.trials);
            struct trial *trial = &cells.trials[trials++];
            *trial = (struct trial){{"", "", "", ""}, &sources[i], row};
            for (size_t key = 0; figures->keys[key][0] != NULL; key++)
                trial->keys[key] = page_text(file, row, figures->keys[key][0]);
        }
    }
    if (trials > 0)
        qsort(cells.trials, trials, sizeof *cells.trials, compare_trials);
    for (size_t i = 0; i < trials; i++) {
        if (i == 0 || compare_keys(&cells.trials[i - 1], &cells.trials[i]) != 0) {
            cells.list = memory_grow(cells.list, cells.count, sizeof *cells.list);
            cells.list[cells.count++] = (struct cell){&cells.trials[i], 0};
        }
        cells.list[cells.count - 1].count++;
    }
    return cells;
}

static void free_cells(struct cells *cells)
{
    free(cells->trials);
    free(cells->list);
}

/* The numbers that trials of a source have in a column, sorted: of all trials, or of those that
 * count; for the caller to free. */
static double *find_values(const struct cell *cell, const struct csv_reader *file,
                           const struct page_source *source, const char *column, bool all,
                           size_t *count)
{
    double *values = memory_new(cell->count, sizeof *values);
    *count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        double value = page_number(file, cell->trials[i].row, column);
        if (cell->trials[i].source == source && !isnan(value) &&
            (all || page_counts(file, cell->trials[i].row)))
            values[(*count)++] = value;
    }
    statistics_sort(values, *count);
    return values;
}

/* The trials that are equal to their law. */
static size_t count_lawful(const struct cell *cell, const struct csv_reader *trials)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        size_t row = cell->trials[i].row;
        count += page_number(trials, row, "rpcs") == page_number(trials, row, "law_rpcs") &&
                 page_number(trials, row, "notifications") ==
                     page_number(trials, row, "law_notifications");
    }
    return count;
}

/* ------------------------------------------------------------------ tables of cells */

/* A dash: no trial has this number. */
static void put_figure(FILE *stream, const struct cell *cell, const struct csv_reader *file,
                       const struct page_source *source, const struct column *figure)
{
    char text[NUMBER_SIZE] = "–";
    size_t count;
    double *values = find_values(cell, file, source, figure->column, figure->view == RANGE, &count);
    if (figure->view == LAWFUL)
        snprintf(text, sizeof text, "%zu of %zu", count_lawful(cell, file), cell->count);
    else if (count > 0 && figure->view == MEDIAN)
        snprintf(text, sizeof text, "%.7g", statistics_median(values, count));
    else if (count > 0 && values[0] == values[count - 1])
        snprintf(text, sizeof text, "%.0f", values[0]);
    else if (count > 0)
        snprintf(text, sizeof text, "%.0f to %.0f", values[0], values[count - 1]);
    html_cell(stream, true, text);
    free(values);
}

/* A row for each cell of the sources of a kind, and columns for each of them. The caption may name
 * the source. Without a cell there is no table, if `needed`. */
static void write_table(FILE *stream, const struct page_source *sources, size_t count,
                        enum page_kind kind, const struct figures *figures, const char *label)
{
    struct cells cells = find_cells(sources, count, kind, figures);
    const struct column *figure;
    size_t of_kind = 0;
    for (size_t i = 0; i < count; i++)
        of_kind += sources[i].kind == kind;
    if (of_kind == 0 || (cells.count == 0 && figures->needed != NULL))
        return;
    html_table_begin(stream, "%s%s", figures->caption, label);
    for (size_t i = 0; figures->keys[i][0] != NULL; i++)
        html_element(stream, "th scope=\"col\"", "%s", figures->keys[i][1]);
    for (size_t i = 0; i < count; i++) {
        for (figure = figures->figures; sources[i].kind == kind && figure->column != NULL; figure++)
            html_element(stream, "th scope=\"col\"", "%s%s%s", of_kind > 1 ? sources[i].label : "",
                         of_kind > 1 ? ": " : "", figure->title);
    }
    html_table_rows(stream);
    for (size_t row = 0; row < cells.count; row++) {
        const struct cell *cell = &cells.list[row];
        fputs("<tr>", stream);
        for (size_t i = 0; figures->keys[i][0] != NULL; i++)
            html_cell(stream, false, cell->trials[0].keys[i]);
        for (size_t i = 0; i < count; i++) {
            for (figure = figures->figures; sources[i].kind == kind && figure->column != NULL;
                 figure++)
                put_figure(stream, cell, page_file(&sources[i], figures->file), &sources[i],
                           figure);
        }
        fputs("</tr>\n", stream);
    }
    html_table_end(stream);
    free_cells(&cells);
}

void page_figures_write(FILE *stream, const struct page_sources *sources)
{
    for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++) {
        if (figures_of[kind].file != NULL)
            write_table(stream, sources->list, sources->count, kind, &figures_of[kind], "");
    }
}

void page_laws_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        write_table(stream, &sources->list[i], 1, PAGE_RUN, &laws, sources->list[i].label);
}

/* ------------------------------------------------------------------ a run: counts */

static const char *in_thousands(double count, char text[COUNT_SIZE])
{
    return text_format_count((uint64_t)(count > 0 ? count : 0), text, COUNT_SIZE);
}

/* The row of a recipe's fit; behind the last one if there is none. */
static size_t find_fit(const struct csv_reader *fits, const char *recipe, const char *metric)
{
    size_t row = 0;
    while (row < fits->rows && (strcmp(page_text(fits, row, "recipe"), recipe) != 0 ||
                                strcmp(page_text(fits, row, "metric"), metric) != 0))
        row++;
    return row;
}

/* The cell of a recipe with the most clients, but not with more than so many; NULL: none. */
static const struct cell *find_cell(const struct cells *cells, const char *recipe, double clients)
{
    for (size_t i = cells->count; i-- > 0;) {
        const char *const *keys = cells->list[i].trials[0].keys;
        if (strcmp(keys[0], recipe) == 0 && strtod(keys[1], NULL) <= clients)
            return &cells->list[i];
    }
    return NULL;
}

/* lawful: of the trials with a law. The last cell of a recipe has the most clients. */
static void say_law(FILE *stream, const struct page_source *run, const struct cells *lawful,
                    const char *recipe)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    const struct cell *most = find_cell(lawful, recipe, INFINITY);
    size_t with_law = 0, equal = 0;
    if (most == NULL)
        return;
    for (const struct cell *cell = most;
         cell >= lawful->list && strcmp(cell->trials[0].keys[0], recipe) == 0; cell--) {
        with_law += cell->count;
        equal += count_lawful(cell, trials);
    }
    html_sentence_begin(stream, equal == with_law ? "holds" : "fails");
    html_format(stream, "%s: requests", recipe);
    html_row(stream, "[ ({law:^}: {verdict:^})]", fits, find_fit(fits, recipe, "rpcs"));
    html_format(stream, " and notifications equal the law in %zu of %zu trials; with ", equal,
                with_law);
    html_row(stream,
             "{clients:,} clients there are {rpcs:,} requests and {notifications:,} notifications.",
             trials, most->trials[0].row);
    html_sentence_end(stream);
}

/* Recipes beside each other, with the most clients that all of them have: the median requests of a
 * drain; only drains have equally many handoffs. */
static void say_price(FILE *stream, const struct page_source *run, const struct cells *cells,
                      const json_t *recipes)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    double clients = INFINITY, least = INFINITY, most = 0;
    const char *cheap = "", *dear = "";
    char few[COUNT_SIZE], many[COUNT_SIZE], number[COUNT_SIZE];
    size_t i;
    const json_t *name;
    json_array_foreach(recipes, i, name)
    {
        const struct cell *cell = find_cell(cells, page_json_text(name), INFINITY);
        clients = fmin(clients, cell != NULL ? strtod(cell->trials[0].keys[1], NULL) : 0);
    }
    json_array_foreach(recipes, i, name)
    {
        const char *recipe = page_json_text(name);
        const struct cell *cell = find_cell(cells, recipe, clients);
        if (cell == NULL || strtod(cell->trials[0].keys[1], NULL) != clients ||
            strcmp(page_text(trials, cell->trials[0].row, "workload"), "drain") != 0)
            continue;
        size_t count;
        double *rpcs = find_values(cell, trials, run, "rpcs", false, &count);
        double price = statistics_median(rpcs, count);
        free(rpcs);
        if (price < least)
            least = price, cheap = recipe;
        if (price > most)
            most = price, dear = recipe;
    }
    if (least > 0 && least < most)
        html_sentence(stream, HTML_MEASURED,
                      "A drain of %s clients takes %s requests with %s, and %s with %s: %.3g times "
                      "as many.",
                      in_thousands(clients, number), in_thousands(least, few), cheap,
                      in_thousands(most, many), dear, most / least);
}

/* ------------------------------------------------------------------ a run: times */

/* As a run tells it: an exponent without an interval says nothing, except of a decided order. */
static void say_drain(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "drain_s");
    double levels = page_number(fits, row, "levels");
    bool is_decided = strncmp(page_text(fits, row, "verdict"), "O(", 2) == 0;
    bool is_known = is_decided || !isnan(page_number(fits, row, "exponent_low"));
    if (isnan(page_number(fits, row, "exponent")))
        return;
    html_sentence_begin(stream, is_decided ? HTML_MEASURED : "undetermined");
    html_row(stream,
             is_known ? "{recipe}: the drain time grows as n^{exponent:2}"
                        "[ (95 % CI {exponent_low:2} to {exponent_high:2})]: "
                      : "{recipe}: how the drain time grows",
             fits, row);
    if (is_known)
        html_row(stream, is_decided ? "{verdict:^}" : "no order is certain", fits, row);
    if (!is_decided && levels < FIT_LEVELS_MIN)
        html_format(stream, ": %g number%s of clients, at least %d needed", levels,
                    levels == 1 ? "" : "s", FIT_LEVELS_MIN);
    html_text(stream, ".");
    html_sentence_end(stream);
}

/* Without an interval, the coefficient says nothing. */
static void say_herd(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "handoff_us");
    if (isnan(page_number(fits, row, "beta")) || isnan(page_number(fits, row, "beta_low")))
        return;
    html_sentence_begin(stream, HTML_MEASURED);
    html_row(stream,
             "{recipe}: each extra waiter adds {beta:%} %[ (95 % CI {beta_low:%} to {beta_high:%})]"
             " to the time of a handoff without waiters.",
             fits, row);
    html_sentence_end(stream);
}

static void say_background(FILE *stream, const struct csv_reader *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        if (isnan(page_number(rows, row, "ratio_p50")))
            continue;
        html_sentence_begin(stream, HTML_MEASURED);
        html_row(stream,
                 "Beside {recipe} with {clients} clients, the median response time of other "
                 "requests is {ratio_p50:2} times as long as without the lock[ (95 % CI "
                 "{ratio_p50_low:2} to {ratio_p50_high:2})].",
                 rows, row);
        html_sentence_end(stream);
    }
}

void page_run_verdicts(FILE *stream, const struct page_source *run)
{
    const json_t *recipes = page_json(&run->manifests[0], "plan", "recipes");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    struct cells cells = find_cells(run, 1, PAGE_RUN, &figures_of[PAGE_RUN]);
    struct cells lawful = find_cells(run, 1, PAGE_RUN, &laws);
    say_price(stream, run, &cells, recipes);
    for (size_t i = 0; i < json_array_size(recipes); i++)
        say_law(stream, run, &lawful, page_json_text(json_array_get(recipes, i)));
    if (lawful.count == 0)
        html_sentence(stream, "undetermined", "No law applies to the counts of these trials.");
    for (size_t i = 0; i < json_array_size(recipes); i++) {
        say_drain(stream, fits, page_json_text(json_array_get(recipes, i)));
        say_herd(stream, fits, page_json_text(json_array_get(recipes, i)));
    }
    say_background(stream, page_file(run, "background.csv"));
    free_cells(&cells);
    free_cells(&lawful);
}

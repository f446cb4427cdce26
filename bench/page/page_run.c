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

/* ------------------------------------------------------------------ tables of cells */

/* A trial, or a row that sums up several. Its keys are owned by the source; "" behind the last. */
struct trial {
    const char *keys[KEYS_MAX];
    const struct page_source *source;
    size_t row;
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

/* The trials of a cell together, those of each source in the order of their rows. The sources are
 * elements of one list. */
static int compare_trials(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* The trials of the sources of a kind, sorted; for the caller to free. */
static struct trial *find_trials(const struct page_source *sources, size_t count,
                                 enum page_kind kind, const struct figures *figures, size_t *found)
{
    struct trial *trials = NULL;
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *file = page_file(&sources[i], figures->file);
        for (size_t row = 0; sources[i].kind == kind && row < file->rows; row++) {
            if (figures->needed != NULL && isnan(page_number(file, row, figures->needed)))
                continue;
            trials = memory_grow(trials, *found, sizeof *trials);
            struct trial *trial = &trials[(*found)++];
            *trial = (struct trial){{"", "", "", ""}, &sources[i], row};
            for (size_t key = 0; figures->keys[key][0] != NULL; key++)
                trial->keys[key] = page_text(file, row, figures->keys[key][0]);
        }
    }
    if (*found > 0)
        qsort(trials, *found, sizeof *trials, compare_trials);
    return trials;
}

static bool is_lawful(const struct csv_reader *trials, size_t row)
{
    return page_number(trials, row, "rpcs") == page_number(trials, row, "law_rpcs") &&
           page_number(trials, row, "notifications") ==
               page_number(trials, row, "law_notifications");
}

/* What the trials of a cell have in a source. A dash: none has this number. */
static void put_figure(FILE *stream, const struct trial *trials, size_t count,
                       const struct csv_reader *file, const struct page_source *source,
                       const struct column *figure)
{
    char text[NUMBER_SIZE] = "–";
    double *values = memory_new(count, sizeof *values);
    size_t found = 0, lawful = 0;
    for (size_t i = 0; i < count; i++) {
        double value = page_number(file, trials[i].row, figure->column);
        lawful += figure->view == LAWFUL && is_lawful(file, trials[i].row);
        if (trials[i].source == source && !isnan(value) &&
            (figure->view == RANGE || page_counts(file, trials[i].row)))
            values[found++] = value;
    }
    statistics_sort(values, found);
    if (figure->view == LAWFUL)
        snprintf(text, sizeof text, "%zu of %zu", lawful, count);
    else if (found > 0 && figure->view == MEDIAN)
        snprintf(text, sizeof text, "%.7g", statistics_median(values, found));
    else if (found > 0 && values[0] == values[found - 1])
        snprintf(text, sizeof text, "%.0f", values[0]);
    else if (found > 0)
        snprintf(text, sizeof text, "%.0f to %.0f", values[0], values[found - 1]);
    html_cell(stream, true, text);
    free(values);
}

/* A row for each cell of the sources of a kind, and columns for each of them. The caption may end
 * in a label. No table without a trial that has what is needed. */
static void write_table(FILE *stream, const struct page_source *sources, size_t count,
                        enum page_kind kind, const struct figures *figures, const char *label)
{
    const struct column *figure;
    size_t of_kind = 0, found, alike;
    struct trial *trials = find_trials(sources, count, kind, figures, &found);
    for (size_t i = 0; i < count; i++)
        of_kind += sources[i].kind == kind;
    if (of_kind == 0 || (found == 0 && figures->needed != NULL))
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
    for (const struct trial *cell = trials; cell < trials + found; cell += alike) {
        alike = 1;
        while (cell + alike < trials + found && compare_keys(cell, cell + alike) == 0)
            alike++;
        fputs("<tr>", stream);
        for (size_t i = 0; figures->keys[i][0] != NULL; i++)
            html_cell(stream, false, cell->keys[i]);
        for (size_t i = 0; i < count; i++) {
            for (figure = figures->figures; sources[i].kind == kind && figure->column != NULL;
                 figure++)
                put_figure(stream, cell, alike, page_file(&sources[i], figures->file), &sources[i],
                           figure);
        }
        fputs("</tr>\n", stream);
    }
    html_table_end(stream);
    free(trials);
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

/* The row of a recipe's fit; behind the last one if there is none. */
static size_t find_fit(const struct csv_reader *fits, const char *recipe, const char *metric)
{
    size_t row = 0;
    while (row < fits->rows && (strcmp(page_text(fits, row, "recipe"), recipe) != 0 ||
                                strcmp(page_text(fits, row, "metric"), metric) != 0))
        row++;
    return row;
}

/* Says in how many of a recipe's trials the requests equal the law. */
static void say_law(FILE *stream, const struct page_source *run, const char *recipe)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    size_t with_law = 0, equal = 0, most = 0;
    double clients = -1;
    for (size_t row = 0; row < trials->rows; row++) {
        if (strcmp(page_text(trials, row, "recipe"), recipe) != 0 ||
            isnan(page_number(trials, row, "law_rpcs")))
            continue;
        with_law++;
        equal += is_lawful(trials, row);
        if (page_number(trials, row, "clients") > clients)
            clients = page_number(trials, row, "clients"), most = row;
    }
    if (with_law == 0)
        return;
    html_sentence_begin(stream, equal == with_law ? "holds" : "fails");
    html_format(stream, "%s: requests", recipe);
    html_row(stream, "[ ({law:^}: {verdict:^})]", fits, find_fit(fits, recipe, "rpcs"));
    html_format(stream, " and notifications equal the law in %zu of %zu trials; with ", equal,
                with_law);
    html_row(stream,
             "{clients:,} clients there are {rpcs:,} requests and {notifications:,} notifications.",
             trials, most);
    html_sentence_end(stream);
}

/* The most clients of a recipe; 0: it has no trial. */
static double most_clients(const struct csv_reader *trials, const char *recipe)
{
    double most = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        if (strcmp(page_text(trials, row, "recipe"), recipe) == 0)
            most = fmax(most, page_number(trials, row, "clients"));
    }
    return most;
}

/* The median requests of the drains that count; NaN: there is none. */
static double median_rpcs(const struct csv_reader *trials, const char *recipe, double clients)
{
    double *rpcs = memory_new(trials->rows, sizeof *rpcs);
    size_t count = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        rpcs[count] = page_number(trials, row, "rpcs");
        count += strcmp(page_text(trials, row, "recipe"), recipe) == 0 &&
                 page_number(trials, row, "clients") == clients &&
                 strcmp(page_text(trials, row, "workload"), "drain") == 0 &&
                 page_counts(trials, row) && !isnan(rpcs[count]);
    }
    statistics_sort(rpcs, count);
    double median = statistics_median(rpcs, count);
    free(rpcs);
    return median;
}

/* Recipes beside each other, with the most clients that all of them have: the requests of a drain;
 * only drains have equally many handoffs. */
static void say_price(FILE *stream, const struct csv_reader *trials, const json_t *recipes)
{
    double clients = INFINITY, least = INFINITY, most = 0;
    const char *cheap = "", *dear = "";
    char few[COUNT_SIZE], many[COUNT_SIZE], number[COUNT_SIZE];
    size_t i;
    const json_t *name;
    json_array_foreach(recipes, i, name) clients =
        fmin(clients, most_clients(trials, page_json_text(name)));
    json_array_foreach(recipes, i, name)
    {
        double price = median_rpcs(trials, page_json_text(name), clients);
        if (price < least)
            least = price, cheap = page_json_text(name);
        if (price > most)
            most = price, dear = page_json_text(name);
    }
    if (least > 0 && least < most)
        html_sentence(stream, HTML_MEASURED,
                      "A drain of %s clients takes %s requests with %s, and %s with %s: %.3g times "
                      "as many.",
                      text_format_count((uint64_t)clients, number, sizeof number),
                      text_format_count((uint64_t)least, few, sizeof few), cheap,
                      text_format_count((uint64_t)most, many, sizeof many), dear, most / least);
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
    if (!isnan(page_number(fits, row, "beta")) && !isnan(page_number(fits, row, "beta_low")))
        html_sentence_row(
            stream, HTML_MEASURED,
            "{recipe}: each extra waiter adds {beta:%} %[ (95 % CI {beta_low:%} to {beta_high:%})]"
            " to the time of a handoff without waiters.",
            fits, row);
}

static void say_background(FILE *stream, const struct csv_reader *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        if (!isnan(page_number(rows, row, "ratio_p50")))
            html_sentence_row(
                stream, HTML_MEASURED,
                "Beside {recipe} with {clients} clients, the median response time of other "
                "requests is {ratio_p50:2} times as long as without the lock[ (95 % CI "
                "{ratio_p50_low:2} to {ratio_p50_high:2})].",
                rows, row);
    }
}

void page_run_verdicts(FILE *stream, const struct page_source *run)
{
    const json_t *recipes = page_json(&run->manifests[0], "plan", "recipes");
    const struct csv_reader *fits = page_file(run, "fits.csv"),
                            *trials = page_file(run, "trials.csv");
    size_t row = 0;
    say_price(stream, trials, recipes);
    for (size_t i = 0; i < json_array_size(recipes); i++)
        say_law(stream, run, page_json_text(json_array_get(recipes, i)));
    while (row < trials->rows && isnan(page_number(trials, row, "law_rpcs")))
        row++;
    if (row == trials->rows)
        html_sentence(stream, "undetermined", "No law applies to the counts of these trials.");
    for (size_t i = 0; i < json_array_size(recipes); i++) {
        say_drain(stream, fits, page_json_text(json_array_get(recipes, i)));
        say_herd(stream, fits, page_json_text(json_array_get(recipes, i)));
    }
    say_background(stream, page_file(run, "background.csv"));
}

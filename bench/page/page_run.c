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
#define LAW_SIZE    200
#define KEYS_MAX    4
#define FIGURES_MAX 5
#define NUMBER_SIZE 64

/* A column, and what it is called; NULL: behind the last. */
struct column {
    const char *column, *title;
};

/* What is told of the trials of a kind, in a file with a row for each; NULL: nothing is told. */
static const struct figures {
    const char *file, *caption;
    struct column keys[KEYS_MAX + 1];
    struct column figures[FIGURES_MAX + 1];
} figures_of[PAGE_KINDS] = {
    [PAGE_RUN] = {"trials.csv",
                  "Medians over the valid trials of each cell",
                  {{"recipe", "recipe"}, {"clients", "clients"}},
                  {{"rpcs", "requests"},
                   {"notifications", "notifications"},
                   {"handoff_p50_us", "handoff p50, µs"},
                   {"drain_s", "drain, s"},
                   {"handoffs_per_s", "handoffs, 1/s"}}},
    [PAGE_LOAD] = {"cells.csv",
                   "Geometric means over the trials of each cell",
                   {{"servers", "servers"},
                    {"mix", "mix"},
                    {"sessions", "sessions"},
                    {"rate_per_s", "offered, 1/s"}},
                   {{"achieved_per_s", "answered, 1/s"},
                    {"response_p50_us", "response p50, µs"},
                    {"response_p99_us", "response p99, µs"}}},
    [PAGE_PLAN] = {"answers.csv",
                   "Answers of the searches",
                   {{"recipe", "recipe"}, {"objective", "objective"}, {"unknown", "unknown"}},
                   {{"passed", "largest passed"},
                    {"failed", "smallest failed"},
                    {"measured_us", "measured, µs"},
                    {"handoffs_per_s", "handoffs, 1/s"}}}};

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

static int compare_texts(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    bool are_numbers = a_end != a && *a_end == '\0' && b_end != b && *b_end == '\0';
    return are_numbers ? (x > y) - (x < y) : strcmp(a, b);
}

static int compare_keys(const struct trial *x, const struct trial *y)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < KEYS_MAX; i++)
        order = compare_texts(x->keys[i], y->keys[i]);
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
static struct cells find_cells(const struct page_source *sources, size_t count, enum page_kind kind)
{
    const struct figures *figures = &figures_of[kind];
    struct cells cells = {0};
    size_t trials = 0;
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *file = page_file(&sources[i], figures->file);
        for (size_t row = 0; sources[i].kind == kind && row < file->rows; row++) {
            cells.trials = memory_grow(cells.trials, trials, sizeof *cells.trials);
            struct trial *trial = &cells.trials[trials++];
            *trial = (struct trial){{"", "", "", ""}, &sources[i], row};
            for (size_t key = 0; figures->keys[key].column != NULL; key++)
                trial->keys[key] = page_text(file, row, figures->keys[key].column);
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

/* Over the trials of a source that count; NaN if none has a number. */
static double find_median(const struct cell *cell, const struct page_source *source,
                          const char *column)
{
    const struct csv_reader *file = page_file(source, figures_of[source->kind].file);
    double *values = memory_new(cell->count, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        double value = page_number(file, cell->trials[i].row, column);
        if (cell->trials[i].source == source && page_counts(file, cell->trials[i].row) &&
            !isnan(value))
            values[count++] = value;
    }
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

/* How the counts of a cell compare with their law: requests, then notifications. */
struct law {
    double least[2], most[2], law[2];
    size_t trials, equal; /* with a law; of these, equal to it */
    size_t row;           /* of the first with a law */
};

static struct law find_law(const struct cell *cell, const struct page_source *run)
{
    static const char *const columns[2][2] = {{"rpcs", "law_rpcs"},
                                              {"notifications", "law_notifications"}};
    const struct csv_reader *file = page_file(run, "trials.csv");
    struct law law = {.least = {INFINITY, INFINITY}, .most = {-INFINITY, -INFINITY}};
    for (size_t trial = 0; trial < cell->count; trial++) {
        size_t row = cell->trials[trial].row;
        bool equal = true;
        if (cell->trials[trial].source != run || isnan(page_number(file, row, columns[0][1])))
            continue;
        for (size_t i = 0; i < 2; i++) {
            double count = page_number(file, row, columns[i][0]);
            law.law[i] = page_number(file, row, columns[i][1]);
            law.least[i] = fmin(law.least[i], count);
            law.most[i] = fmax(law.most[i], count);
            equal = equal && count == law.law[i];
        }
        law.row = law.trials++ == 0 ? row : law.row;
        law.equal += equal;
    }
    return law;
}

/* ------------------------------------------------------------------ medians */

static void write_headings(FILE *stream, const struct page_sources *sources, enum page_kind kind,
                           size_t of_kind)
{
    const struct figures *figures = &figures_of[kind];
    html_table_begin(stream, "%s", figures->caption);
    for (size_t i = 0; figures->keys[i].column != NULL; i++)
        html_element(stream, "th scope=\"col\"", "%s", figures->keys[i].title);
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        for (size_t j = 0; source->kind == kind && figures->figures[j].column != NULL; j++)
            html_element(stream, "th scope=\"col\"", "%s%s%s", of_kind > 1 ? source->label : "",
                         of_kind > 1 ? ": " : "", figures->figures[j].title);
    }
    html_table_rows(stream);
}

/* A dash: no trial that counts has this number. */
static void write_cell(FILE *stream, const struct page_sources *sources, enum page_kind kind,
                       const struct cell *cell)
{
    const struct figures *figures = &figures_of[kind];
    fputs("<tr>", stream);
    for (size_t i = 0; figures->keys[i].column != NULL; i++)
        html_cell(stream, false, cell->trials[0].keys[i]);
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        for (size_t j = 0; source->kind == kind && figures->figures[j].column != NULL; j++) {
            double median = find_median(cell, source, figures->figures[j].column);
            char text[NUMBER_SIZE] = "–";
            if (!isnan(median))
                snprintf(text, sizeof text, "%.7g", median);
            html_cell(stream, true, text);
        }
    }
    fputs("</tr>\n", stream);
}

void page_figures_write(FILE *stream, const struct page_sources *sources)
{
    for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++) {
        size_t of_kind = 0;
        for (size_t i = 0; i < sources->count; i++)
            of_kind += sources->list[i].kind == kind;
        if (figures_of[kind].file == NULL || of_kind == 0)
            continue;
        struct cells cells = find_cells(sources->list, sources->count, kind);
        write_headings(stream, sources, kind, of_kind);
        for (size_t i = 0; i < cells.count; i++)
            write_cell(stream, sources, kind, &cells.list[i]);
        html_table_end(stream);
        free_cells(&cells);
    }
}

/* ------------------------------------------------------------------ laws */

static void write_law(FILE *stream, const struct cell *cell, const struct law *law)
{
    char text[NUMBER_SIZE];
    int length;
    fputs("<tr>", stream);
    html_cell(stream, false, cell->trials[0].keys[0]);
    html_cell(stream, false, cell->trials[0].keys[1]);
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%.0f", law->law[i]);
        html_cell(stream, true, text);
        length = snprintf(text, sizeof text, "%.0f", law->least[i]);
        if (law->least[i] != law->most[i])
            snprintf(text + length, sizeof text - (size_t)length, " to %.0f", law->most[i]);
        html_cell(stream, true, text);
    }
    snprintf(text, sizeof text, "%zu of %zu", law->equal, law->trials);
    html_cell(stream, true, text);
    fputs("</tr>\n", stream);
}

void page_laws_write(FILE *stream, const struct page_sources *sources)
{
    static const char *const titles[] = {"recipe",
                                         "clients",
                                         "requests by law",
                                         "requests",
                                         "notifications by law",
                                         "notifications",
                                         "trials equal to the law"};
    struct cells cells = find_cells(sources->list, sources->count, PAGE_RUN);
    for (size_t i = 0; i < sources->count; i++) {
        bool begun = false;
        for (size_t j = 0; j < cells.count; j++) {
            struct law law = find_law(&cells.list[j], &sources->list[i]);
            if (law.trials == 0)
                continue;
            if (!begun) {
                html_table_begin(stream, "Laws beside the counts of %s", sources->list[i].label);
                for (size_t k = 0; k < sizeof titles / sizeof titles[0]; k++)
                    html_element(stream, "th scope=\"col\"", "%s", titles[k]);
                html_table_rows(stream);
            }
            begun = true;
            write_law(stream, &cells.list[j], &law);
        }
        if (begun)
            html_table_end(stream);
    }
    free_cells(&cells);
}
/* ------------------------------------------------------------------ a run: counts */

static const char *in_thousands(double count, char text[COUNT_SIZE])
{
    return text_format_count((uint64_t)(count > 0 ? count : 0), text, COUNT_SIZE);
}

/* A formula as people write it: n² for n^2. */
static const char *raised(const char *formula, char text[LAW_SIZE])
{
    size_t length = 0;
    for (; *formula != '\0' && length + 3 < LAW_SIZE; formula++) {
        bool is_power = formula[0] == '^' && (formula[1] == '2' || formula[1] == '3');
        const char *power = formula[1] == '2' ? "²" : "³";
        length += (size_t)snprintf(text + length, LAW_SIZE - length, "%.*s",
                                   is_power ? (int)strlen(power) : 1, is_power ? power : formula);
        formula += is_power;
    }
    text[length] = '\0';
    return text;
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

/* False if no trial of the recipe has a law. Its last cell with a law has the most clients. */
static bool say_law(FILE *stream, const struct page_source *run, const struct cells *cells,
                    const char *recipe)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    size_t fit = find_fit(fits, recipe, "rpcs"), with_law = 0, equal = 0, most = 0;
    char clients[COUNT_SIZE], rpcs[COUNT_SIZE], notifications[COUNT_SIZE];
    char formula[LAW_SIZE], order[LAW_SIZE];
    for (size_t i = 0; i < cells->count; i++) {
        struct law law = find_law(&cells->list[i], run);
        if (strcmp(cells->list[i].trials[0].keys[0], recipe) != 0 || law.trials == 0)
            continue;
        with_law += law.trials;
        equal += law.equal;
        most = law.row;
    }
    if (with_law == 0)
        return false;
    html_sentence_begin(stream, equal == with_law ? "holds" : "fails");
    html_format(stream, "%s: requests", recipe);
    if (page_text(fits, fit, "law")[0] != '\0')
        html_format(stream, " (%s: %s)", raised(page_text(fits, fit, "law"), formula),
                    raised(page_text(fits, fit, "verdict"), order));
    html_format(stream,
                " and notifications equal the law in %zu of %zu trials; with %s clients there are "
                "%s requests and %s notifications.",
                equal, with_law, in_thousands(page_number(trials, most, "clients"), clients),
                in_thousands(page_number(trials, most, "rpcs"), rpcs),
                in_thousands(page_number(trials, most, "notifications"), notifications));
    html_sentence_end(stream);
    return true;
}

/* Recipes beside each other, with the most clients that all of them have: the median requests of a
 * drain; only drains have equally many handoffs. */
static void say_price(FILE *stream, const struct page_source *run, const struct cells *cells,
                      const json_t *recipes)
{
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
            strcmp(page_text(page_file(run, "trials.csv"), cell->trials[0].row, "workload"),
                   "drain") != 0)
            continue;
        double price = find_median(cell, run, "rpcs");
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

/* Rounded, so that none is "-0.00". */
static double percent(double share)
{
    return nearbyint(share * 10000) / 100 + 0.0;
}

static void put_interval(FILE *stream, double low, double high)
{
    if (!isnan(low) && !isnan(high))
        html_format(stream, " (95 %% CI %.2f to %.2f)", low, high);
}

/* As a run tells it: an exponent without an interval says nothing, except of a decided order. */
static void say_drain(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "drain_s");
    double exponent = page_number(fits, row, "exponent");
    double low = page_number(fits, row, "exponent_low");
    double levels = page_number(fits, row, "levels");
    char order[LAW_SIZE];
    raised(page_text(fits, row, "verdict"), order);
    bool is_decided = strncmp(order, "O(", 2) == 0;
    if (isnan(exponent))
        return;
    html_sentence_begin(stream, is_decided ? HTML_MEASURED : "undetermined");
    if (is_decided || !isnan(low)) {
        html_format(stream, "%s: the drain time grows as n^%.2f", recipe, exponent);
        put_interval(stream, low, page_number(fits, row, "exponent_high"));
        html_format(stream, ": %s", is_decided ? order : "no order is certain");
    } else {
        html_format(stream, "%s: how the drain time grows", recipe);
    }
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
    double beta = page_number(fits, row, "beta"), low = page_number(fits, row, "beta_low");
    if (isnan(beta) || isnan(low))
        return;
    html_sentence_begin(stream, HTML_MEASURED);
    html_format(stream, "%s: each extra waiter adds %.2f %%", recipe, percent(beta));
    put_interval(stream, percent(low), percent(page_number(fits, row, "beta_high")));
    html_text(stream, " to the time of a handoff without waiters.");
    html_sentence_end(stream);
}

static void say_background(FILE *stream, const struct csv_reader *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        double ratio = page_number(rows, row, "ratio_p50");
        if (isnan(ratio))
            continue;
        html_sentence_begin(stream, HTML_MEASURED);
        html_row(stream,
                 "Beside {recipe} with {clients} clients, the median response time of other "
                 "requests is ",
                 rows, row);
        html_format(stream, "%.2f times as long as without the lock", ratio);
        put_interval(stream, page_number(rows, row, "ratio_p50_low"),
                     page_number(rows, row, "ratio_p50_high"));
        html_text(stream, ".");
        html_sentence_end(stream);
    }
}

void page_run_verdicts(FILE *stream, const struct page_source *run)
{
    const json_t *recipes = page_json(&run->manifests[0], "plan", "recipes");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    struct cells cells = find_cells(run, 1, PAGE_RUN);
    bool has_law = false;
    size_t i;
    const json_t *name;
    say_price(stream, run, &cells, recipes);
    json_array_foreach(recipes, i, name) has_law =
        say_law(stream, run, &cells, page_json_text(name)) || has_law;
    if (!has_law)
        html_sentence(stream, "undetermined", "No law applies to the counts of these trials.");
    json_array_foreach(recipes, i, name)
    {
        say_drain(stream, fits, page_json_text(name));
        say_herd(stream, fits, page_json_text(name));
    }
    say_background(stream, page_file(run, "background.csv"));
    free_cells(&cells);
}

// SPDX-License-Identifier: Apache-2.0
/* The cells of all sources, their medians side by side, and the laws beside the counts. */
#include "base/memory.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIGURES_MAX 5
#define NUMBER_SIZE 64

/* A column, and what it is called; NULL: behind the last. */
struct column {
    const char *column, *title;
};

/* What is told of the trials of a kind, in a file with a row for each; NULL: nothing is told. */
static const struct figures {
    const char *file, *caption;
    struct column keys[PAGE_KEYS_MAX + 1];
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

static int compare_texts(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    bool are_numbers = a_end != a && *a_end == '\0' && b_end != b && *b_end == '\0';
    return are_numbers ? (x > y) - (x < y) : strcmp(a, b);
}

static int compare_keys(const struct page_trial *x, const struct page_trial *y)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < PAGE_KEYS_MAX; i++)
        order = compare_texts(x->keys[i], y->keys[i]);
    return order;
}

/* The sources are elements of one list. */
static int compare_trials(const void *a, const void *b)
{
    const struct page_trial *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

struct page_cells page_cells_of(const struct page_source *sources, size_t count,
                                enum page_kind kind)
{
    const struct figures *figures = &figures_of[kind];
    struct page_cells cells = {0};
    size_t trials = 0;
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *file = page_file(&sources[i], figures->file);
        for (size_t row = 0; sources[i].kind == kind && row < file->rows; row++) {
            cells.trials = memory_grow(cells.trials, trials, sizeof *cells.trials);
            struct page_trial *trial = &cells.trials[trials++];
            *trial = (struct page_trial){{"", "", "", ""}, &sources[i], row};
            for (size_t key = 0; figures->keys[key].column != NULL; key++)
                trial->keys[key] = page_text(file, row, figures->keys[key].column);
        }
    }
    if (trials > 0)
        qsort(cells.trials, trials, sizeof *cells.trials, compare_trials);
    for (size_t i = 0; i < trials; i++) {
        if (i == 0 || compare_keys(&cells.trials[i - 1], &cells.trials[i]) != 0) {
            cells.list = memory_grow(cells.list, cells.count, sizeof *cells.list);
            cells.list[cells.count++] = (struct page_cell){figures->file, &cells.trials[i], 0};
        }
        cells.list[cells.count - 1].count++;
    }
    return cells;
}

void page_cells_deinit(struct page_cells *cells)
{
    free(cells->trials);
    free(cells->list);
}

double page_cell_median(const struct page_cell *cell, const struct page_source *source,
                        const char *column)
{
    const struct csv_reader *file = page_file(source, cell->file);
    double *values = memory_new(cell->count, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        const struct page_trial *trial = &cell->trials[i];
        double value = page_number(file, trial->row, column);
        if (trial->source == source && page_counts(file, trial->row) && !isnan(value))
            values[count++] = value;
    }
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

struct page_law page_cell_law(const struct page_cell *cell, const struct page_source *source)
{
    static const char *const columns[2][2] = {{"rpcs", "law_rpcs"},
                                              {"notifications", "law_notifications"}};
    const struct csv_reader *file = page_file(source, cell->file);
    struct page_law law = {.least = {INFINITY, INFINITY}, .most = {-INFINITY, -INFINITY}};
    for (size_t trial = 0; trial < cell->count; trial++) {
        size_t row = cell->trials[trial].row;
        bool equal = true;
        if (cell->trials[trial].source != source || isnan(page_number(file, row, columns[0][1])))
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
        html_table_heading(stream, "%s", figures->keys[i].title);
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        for (size_t j = 0; source->kind == kind && figures->figures[j].column != NULL; j++)
            html_table_heading(stream, "%s%s%s", of_kind > 1 ? source->label : "",
                               of_kind > 1 ? ": " : "", figures->figures[j].title);
    }
    html_table_rows(stream);
}

/* A dash: no trial that counts has this number. */
static void write_cell(FILE *stream, const struct page_sources *sources, enum page_kind kind,
                       const struct page_cell *cell)
{
    const struct figures *figures = &figures_of[kind];
    fputs("<tr>", stream);
    for (size_t i = 0; figures->keys[i].column != NULL; i++)
        html_cell(stream, false, cell->trials[0].keys[i]);
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        for (size_t j = 0; source->kind == kind && figures->figures[j].column != NULL; j++) {
            double median = page_cell_median(cell, source, figures->figures[j].column);
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
        struct page_cells cells = page_cells_of(sources->list, sources->count, kind);
        write_headings(stream, sources, kind, of_kind);
        for (size_t i = 0; i < cells.count; i++)
            write_cell(stream, sources, kind, &cells.list[i]);
        html_table_end(stream);
        page_cells_deinit(&cells);
    }
}

/* ------------------------------------------------------------------ laws */

static void write_law(FILE *stream, const struct page_cell *cell, const struct page_law *law)
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
    struct page_cells cells = page_cells_of(sources->list, sources->count, PAGE_RUN);
    for (size_t i = 0; i < sources->count; i++) {
        bool begun = false;
        for (size_t j = 0; j < cells.count; j++) {
            struct page_law law = page_cell_law(&cells.list[j], &sources->list[i]);
            if (law.trials == 0)
                continue;
            if (!begun) {
                html_table_begin(stream, "Laws beside the counts of %s", sources->list[i].label);
                for (size_t k = 0; k < sizeof titles / sizeof titles[0]; k++)
                    html_table_heading(stream, "%s", titles[k]);
                html_table_rows(stream);
            }
            begun = true;
            write_law(stream, &cells.list[j], &law);
        }
        if (begun)
            html_table_end(stream);
    }
    page_cells_deinit(&cells);
}

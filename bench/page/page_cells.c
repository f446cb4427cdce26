// SPDX-License-Identifier: Apache-2.0
/* Trials that have their keys in common are a cell: the medians of all sources side by side, and
 * the laws beside the counts. */
#include "base/memory.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The trials of a cell together, those of each source, an element of one list, in the order of
 * their rows. */
static int compare_trials(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* The trials of these sources, sorted; for the caller to free. */
static struct trial *find_trials(const struct page_source *const sources[], size_t count,
                                 const struct figures *figures, size_t *found)
{
    struct trial *trials = NULL;
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *file = page_file(sources[i], figures->file);
        for (size_t row = 0; row < file->rows; row++) {
            if (figures->needed != NULL && isnan(page_number(file, row, figures->needed)))
                continue;
            trials = memory_grow(trials, *found, sizeof *trials);
            struct trial *trial = &trials[(*found)++];
            *trial = (struct trial){{"", "", "", ""}, sources[i], row};
            for (size_t key = 0; figures->keys[key][0] != NULL; key++)
                trial->keys[key] = page_text(file, row, figures->keys[key][0]);
        }
    }
    if (*found > 0)
        qsort(trials, *found, sizeof *trials, compare_trials);
    return trials;
}

bool page_is_lawful(const struct csv_reader *trials, size_t row)
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
    const char *least = "";
    for (size_t i = 0; i < count; i++) {
        double value = page_number(file, trials[i].row, figure->column);
        if (isnan(value) && !isnan(value = page_least(file, trials[i].row, figure->column)))
            least = "≥ ";
        lawful += figure->view == LAWFUL && page_is_lawful(file, trials[i].row);
        if (trials[i].source == source && !isnan(value) &&
            (figure->view == RANGE || page_counts(file, trials[i].row)))
            values[found++] = value;
    }
    statistics_sort(values, found);
    if (figure->view == LAWFUL)
        snprintf(text, sizeof text, "%zu of %zu", lawful, count);
    else if (found > 0 && figure->view == MEDIAN)
        snprintf(text, sizeof text, "%s%.7g", least, statistics_median(values, found));
    else if (found > 0 && values[0] == values[found - 1])
        snprintf(text, sizeof text, "%.0f", values[0]);
    else if (found > 0)
        snprintf(text, sizeof text, "%.0f to %.0f", values[0], values[found - 1]);
    html_cell(stream, true, text);
    free(values);
}

/* A row for each cell of these sources, and columns for each of them. The caption may end in a
 * label. No table without a trial that has what is needed. */
static void write_table(FILE *stream, const struct page_source *const sources[], size_t count,
                        const struct figures *figures, const char *label)
{
    const struct column *figure;
    size_t found, alike;
    struct trial *trials = find_trials(sources, count, figures, &found);
    if (found == 0 && figures->needed != NULL)
        return;
    html_table_begin(stream, memory_format("%s%s", figures->caption, label));
    for (size_t i = 0; figures->keys[i][0] != NULL; i++)
        html_element(stream, "th scope=\"col\"", "%s", figures->keys[i][1]);
    for (size_t i = 0; i < count; i++) {
        for (figure = figures->figures; figure->column != NULL; figure++)
            html_element(stream, "th scope=\"col\"", "%s%s%s", count > 1 ? sources[i]->label : "",
                         count > 1 ? ": " : "", figure->title);
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
            for (figure = figures->figures; figure->column != NULL; figure++)
                put_figure(stream, cell, alike, page_file(sources[i], figures->file), sources[i],
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
        const struct page_source *of_kind[PAGE_SOURCES_MAX];
        size_t count = 0;
        for (size_t i = 0; i < sources->count; i++) {
            if (sources->list[i].kind == kind)
                of_kind[count++] = &sources->list[i];
        }
        if (count > 0 && figures_of[kind].file != NULL)
            write_table(stream, of_kind, count, &figures_of[kind], "");
    }
}

void page_laws_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        if (source->kind == PAGE_RUN)
            write_table(stream, &source, 1, &laws, source->label);
    }
}

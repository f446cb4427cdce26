// SPDX-License-Identifier: Apache-2.0
/* Trials that have their keys in common are a cell: the medians of all sources side by side, and
 * the laws beside the counts. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX    4
#define FIGURES_MAX 8

/* What a cell has of a column: its median over the trials that count, of times and rates with
 * ratios of sources beside it; the same, of one source alone: several have no room; the least and
 * the greatest value of all trials; or, of all columns, how many trials are equal to their law. */
enum view { MEDIAN, TIME, ALONE, RANGE, LAWFUL };

/* A column, what it is called, and what its numbers are multiplied with: all times of a table are
 * in one unit. NULL: behind the last. */
struct column {
    const char *column, *title;
    enum view view;
    double scale;
};

/* What is told of the rows of a file; NULL: nothing is told. */
struct figures {
    enum page_kind kind; /* PAGE_KINDS: any that has the file */
    const char *file, *caption;
    const char *keys[KEYS_MAX + 1][2]; /* columns, and what they are called */
    struct column figures[FIGURES_MAX + 1];
    const char *needed; /* rows without a number here are left out; NULL: none is */
};

static const struct figures told[] = {
    {PAGE_RUN,
     "trials.csv",
     "Medians over the valid trials of each cell",
     {{"recipe", "recipe"}, {"clients", "clients"}},
     {{"rpcs", "requests", MEDIAN, 1},
      {"notifications", "notifications", MEDIAN, 1},
      {"handoff_p50_us", "handoff p50, ms", TIME, 1e-3},
      {"drain_s", "drain, ms", TIME, 1e3},
      {"handoffs_per_s", "handoffs, 1/s", ALONE, 1}},
     NULL},
    {PAGE_LOAD,
     "cells.csv",
     "Geometric means over the trials of each cell",
     {{"servers", "servers"},
      {"mix", "mix"},
      {"sessions", "sessions"},
      {"rate_per_s", "offered, 1/s"}},
     {{"achieved_per_s", "answered, 1/s", TIME, 1},
      {"response_p50_us", "response p50, ms", TIME, 1e-3},
      {"response_p99_us", "response p99, ms", TIME, 1e-3}},
     NULL},
    {PAGE_PAPER,
     "table1.csv",
     "Table 1 and Figure 5: operations a second",
     {{"servers", "servers"}, {"reads_percent", "reads, %"}},
     {{"achieved_per_s", "ours", MEDIAN, 1},
      {"achieved_per_s_low", "95 % CI from", MEDIAN, 1},
      {"achieved_per_s_high", "to", MEDIAN, 1},
      {"paper_per_s", "the paper's", MEDIAN, 1}},
     "achieved_per_s"},
    {PAGE_PAPER,
     "table2.csv",
     "Table 2: creates a second, and their mean latency",
     {{"servers", "servers"}, {"workers", "workers"}},
     {{"creates_per_s", "ours, 1/s", MEDIAN, 1},
      {"creates_per_s_low", "95 % CI from", MEDIAN, 1},
      {"creates_per_s_high", "to", MEDIAN, 1},
      {"paper_per_s", "the paper's, 1/s", MEDIAN, 1},
      {"latency_mean_ms", "ours, ms", MEDIAN, 1},
      {"paper_latency_ms", "the paper's, ms", MEDIAN, 1}},
     "creates_per_s"},
    {PAGE_PAPER,
     "table3.csv",
     "Table 3: time of barriers, s",
     {{"servers", "servers"}, {"clients", "clients"}, {"barriers", "barriers"}},
     {{"seconds", "ours", MEDIAN, 1},
      {"seconds_low", "95 % CI from", MEDIAN, 1},
      {"seconds_high", "to", MEDIAN, 1},
      {"paper_seconds", "the paper's", MEDIAN, 1}},
     "seconds"},
    {PAGE_PAPER,
     "figure8.csv",
     "Figure 8: servers killed and started again, medians over the valid trials",
     {{"fault", "event"}, {"action", "what"}, {"event", "server"}},
     {{"longest_silence_ms", "longest silence, ms", MEDIAN, 1},
      {"new_leader_ms", "until a new leader, ms", MEDIAN, 1},
      {"first_write_ms", "until a write is answered, ms", MEDIAN, 1},
      {"serves_ms", "until it serves, ms", MEDIAN, 1},
      {"seconds_at_zero", "seconds without an answer", MEDIAN, 1},
      {"before_per_s", "answered before, 1/s", MEDIAN, 1},
      {"down_per_s", "meanwhile, 1/s", MEDIAN, 1},
      {"after_per_s", "afterwards, 1/s", MEDIAN, 1}},
     "at_s"},
    {PAGE_PLAN,
     "answers.csv",
     "Answers of the searches",
     {{"recipe", "recipe"}, {"objective", "objective"}, {"unknown", "unknown"}},
     {{"passed", "largest passed", MEDIAN, 1},
      {"failed", "smallest failed", MEDIAN, 1},
      {"measured_us", "measured, ms", TIME, 1e-3},
      {"handoffs_per_s", "handoffs, 1/s", TIME, 1}},
     NULL},
    {PAGE_KINDS,
     "traffic.csv",
     "What the relay saw: messages by operation",
     {{"operation", "operation"}},
     {{"messages", "messages", MEDIAN, 1},
      {"failed", "failed", MEDIAN, 1},
      {"watches", "watches set", MEDIAN, 1},
      {"sent_bytes", "sent, bytes", MEDIAN, 1},
      {"received_bytes", "received, bytes", MEDIAN, 1},
      {"p50_us", "p50, ms", MEDIAN, 1e-3},
      {"p99_us", "p99, ms", MEDIAN, 1e-3}},
     "messages"},
    {PAGE_KINDS,
     "causes.csv",
     "Writes that notified sessions, and what these sent then",
     {{"operation", "write"}, {"pattern", "path"}},
     {{"writes", "writes", MEDIAN, 1},
      {"notified", "notifications", MEDIAN, 1},
      {"notified_most", "most of one write", MEDIAN, 1},
      {"requests_after", "requests after", MEDIAN, 1},
      {"got", "sessions that got something", MEDIAN, 1},
      {"in_vain", "in vain", MEDIAN, 1},
      {"last_p50_us", "last notified, p50, ms", MEDIAN, 1e-3}},
     "notified"},
    {PAGE_KINDS,
     "watches.csv",
     "Watches",
     {{"kind", "watch"}, {"pattern", "path"}},
     {{"set", "set", MEDIAN, 1},
      {"again", "set again", MEDIAN, 1},
      {"fired", "fired", MEDIAN, 1},
      {"removed", "removed", MEDIAN, 1},
      {"left", "left by closed sessions", MEDIAN, 1},
      {"armed", "armed at the end", MEDIAN, 1}},
     "set"}};

#define TOLD (sizeof told / sizeof told[0])

/* The laws beside the counts of a run. */
static const struct figures laws = {PAGE_RUN,
                                    "trials.csv",
                                    "Laws beside the counts of ",
                                    {{"recipe", "recipe"}, {"clients", "clients"}},
                                    {{"law_rpcs", "requests by law", RANGE, 1},
                                     {"rpcs", "requests", RANGE, 1},
                                     {"law_notifications", "notifications by law", RANGE, 1},
                                     {"notifications", "notifications", RANGE, 1},
                                     {"", "trials equal to the law", LAWFUL, 1}},
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

const char *page_write_number(double number, char text[PAGE_NUMBER_SIZE])
{
    if (number >= 1000 || (number >= 0 && number == floor(number)))
        return text_format_count((uint64_t)(number + 0.5), text, PAGE_NUMBER_SIZE);
    snprintf(text, PAGE_NUMBER_SIZE, "%.4g", number);
    return text;
}

const char *page_write_us(const struct csv_reader *file, size_t row, const char *column,
                          char text[PAGE_NUMBER_SIZE])
{
    char number[PAGE_NUMBER_SIZE];
    double us = page_number(file, row, column), least_us = page_least(file, row, column);
    if (isnan(us) && isnan(least_us))
        return "not known";
    snprintf(text, PAGE_NUMBER_SIZE, "%s%.32s ms", isnan(us) ? "≥ " : "",
             page_write_number((isnan(us) ? least_us : us) / 1e3, number));
    return text;
}

/* The numbers of a column, sorted, of the trials of a cell in a source that count; for ranges, of
 * all. *least: whether one is only known to be at least so large. */
static size_t take_numbers(const struct trial *trials, size_t count,
                           const struct page_source *source, const struct column *figure,
                           const struct csv_reader *file, double *values, bool *least)
{
    size_t found = 0;
    *least = false;
    for (size_t i = 0; i < count; i++) {
        double value = page_number(file, trials[i].row, figure->column);
        bool is_least = isnan(value);
        if (is_least)
            value = page_least(file, trials[i].row, figure->column);
        if (trials[i].source != source || isnan(value) ||
            (figure->view != RANGE && !page_counts(file, trials[i].row)))
            continue;
        *least = *least || is_least;
        values[found++] = value * figure->scale;
    }
    statistics_sort(values, found);
    return found;
}

/* What the trials of a cell have in a source. A dash: none has this number. */
static void put_figure(FILE *stream, const struct trial *trials, size_t count,
                       const struct csv_reader *file, const struct page_source *source,
                       const struct column *figure)
{
    char text[2 * PAGE_NUMBER_SIZE] = "–", least[PAGE_NUMBER_SIZE], most[PAGE_NUMBER_SIZE];
    double *values = memory_new(count, sizeof *values);
    bool is_least;
    size_t found = take_numbers(trials, count, source, figure, file, values, &is_least), lawful = 0;
    for (size_t i = 0; i < count; i++)
        lawful += figure->view == LAWFUL && page_is_lawful(file, trials[i].row);
    if (figure->view == LAWFUL)
        snprintf(text, sizeof text, "%zu of %zu", lawful, count);
    else if (found > 0 && figure->view != RANGE)
        snprintf(text, sizeof text, "%s%s", is_least ? "≥ " : "",
                 page_write_number(statistics_median(values, found), least));
    else if (found > 0 && values[0] == values[found - 1])
        page_write_number(values[0], text);
    else if (found > 0)
        snprintf(text, sizeof text, "%s to %s", page_write_number(values[0], least),
                 page_write_number(values[found - 1], most));
    html_cell(stream, true, text);
    free(values);
}

/* The ratio of a source to the first, as zkherd compare has it: with its interval, where there are
 * enough trials. */
static void put_ratio(FILE *stream, const struct trial *trials, size_t count,
                      const struct figures *figures, const struct page_source *const of[2],
                      const struct column *figure)
{
    char text[PAGE_NUMBER_SIZE] = "–";
    double *values[2];
    size_t found[2];
    bool least[2];
    for (size_t i = 0; i < 2; i++) {
        values[i] = memory_new(count, sizeof *values[i]);
        found[i] = take_numbers(trials, count, of[i], figure, page_file(of[i], figures->file),
                                values[i], &least[i]);
    }
    struct interval ratio = statistics_ratio(values[1], found[1], values[0], found[0], 0.95);
    bool enough = found[0] >= STATISTICS_TRIALS_MIN && found[1] >= STATISTICS_TRIALS_MIN;
    if (!isnan(ratio.value) && !least[0] && !least[1])
        snprintf(text, sizeof text, "%.2f", ratio.value);
    if (enough && !isnan(ratio.low) && !least[0] && !least[1])
        snprintf(text, sizeof text, "%.2f (%.2f–%.2f)", ratio.value, ratio.low, ratio.high);
    html_cell(stream, true, text);
    free(values[0]);
    free(values[1]);
}

static bool has_ratio(const struct column *figure, size_t source)
{
    return figure->view == TIME && source > 0;
}

/* The headings: of several sources a line of the figures, and below each what it is of. */
static void put_headings(FILE *stream, const struct page_source *const sources[], size_t count,
                         const struct figures *figures)
{
    const struct column *figure;
    for (size_t i = 0; figures->keys[i][0] != NULL; i++)
        html_element(stream, count > 1 ? "th scope=\"col\" rowspan=\"2\"" : "th scope=\"col\"",
                     "%s", figures->keys[i][1]);
    for (figure = figures->figures; figure->column != NULL; figure++) {
        if (count == 1) {
            html_element(stream, "th scope=\"col\"", "%s", figure->title);
            continue;
        }
        if (figure->view == ALONE)
            continue;
        size_t columns = figure->view == TIME ? 2 * count - 1 : count;
        fprintf(stream, "<th scope=\"colgroup\" colspan=\"%zu\">", columns);
        html_text(stream, figure->title);
        fputs("</th>\n", stream);
    }
    if (count == 1)
        return;
    fputs("</tr>\n<tr>\n", stream);
    for (figure = figures->figures; figure->column != NULL; figure++) {
        for (size_t i = 0; i < count && figure->view != ALONE; i++) {
            html_element(stream, "th scope=\"col\"", "%s", sources[i]->label);
            if (has_ratio(figure, i))
                html_element(stream, "th scope=\"col\"", "%s",
                             count == 2 ? "ratio" : "ratio to the first");
        }
    }
}

/* A row for each cell of these sources, and columns for each of them. The caption may end in a
 * label. No table without a trial that has what is needed. */
static void write_table(FILE *stream, const struct page_source *const sources[], size_t count,
                        const struct figures *figures, const char *label)
{
    size_t found, alike;
    struct trial *trials = find_trials(sources, count, figures, &found);
    if (found == 0 && figures->needed != NULL)
        return;
    html_table_begin(stream,
                     memory_format("%s%s%s", figures->caption, label,
                                   count > 1 ? "; ratios of geometric means (95 % CI)" : ""));
    put_headings(stream, sources, count, figures);
    html_table_rows(stream);
    for (const struct trial *cell = trials; cell < trials + found; cell += alike) {
        alike = 1;
        while (cell + alike < trials + found && compare_keys(cell, cell + alike) == 0)
            alike++;
        fputs("<tr>", stream);
        for (size_t i = 0; figures->keys[i][0] != NULL; i++)
            html_cell(stream, false, cell->keys[i]);
        for (const struct column *of = figures->figures; of->column != NULL; of++) {
            for (size_t i = 0; i < count && (count == 1 || of->view != ALONE); i++) {
                put_figure(stream, cell, alike, page_file(sources[i], figures->file), sources[i],
                           of);
                if (has_ratio(of, i))
                    put_ratio(stream, cell, alike, figures,
                              (const struct page_source *const[]){sources[0], sources[i]}, of);
            }
        }
        fputs("</tr>\n", stream);
    }
    html_table_end(stream);
    free(trials);
}

void page_figures_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t which = 0; which < TOLD; which++) {
        const struct page_source *of_kind[PAGE_SOURCES_MAX];
        size_t count = 0;
        for (size_t i = 0; i < sources->count; i++) {
            if ((sources->list[i].kind == told[which].kind || told[which].kind == PAGE_KINDS) &&
                (told[which].needed == NULL ||
                 page_file(&sources->list[i], told[which].file)->rows > 0))
                of_kind[count++] = &sources->list[i];
        }
        if (count > 0)
            write_table(stream, of_kind, count, &told[which], "");
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

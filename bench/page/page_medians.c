// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_medians.h"

#include "bench/page/page_cells.h"
#include "bench/page/page_table.h"

#include <math.h>

#define CAPTION_SIZE 512
#define NUMBER_SIZE  64

static const struct page_figures figures_of[PAGE_KINDS] = {
    [PAGE_RUN] = {PAGE_RUN,
                  "trials.csv",
                  {{"recipe", "recipe"}, {"clients", "clients"}},
                  {{"rpcs", "requests"},
                   {"notifications", "notifications"},
                   {"handoff_p50_us", "handoff p50, µs"},
                   {"drain_s", "drain, s"},
                   {"handoffs_per_s", "handoffs, 1/s"}}},
    [PAGE_LOAD] = {PAGE_LOAD,
                   "cells.csv",
                   {{"servers", "servers"},
                    {"mix", "mix"},
                    {"sessions", "sessions"},
                    {"rate_per_s", "offered, 1/s"}},
                   {{"achieved_per_s", "answered, 1/s"},
                    {"response_p50_us", "response p50, µs"},
                    {"response_p99_us", "response p99, µs"}}},
    [PAGE_PLAN] = {PAGE_PLAN,
                   "answers.csv",
                   {{"recipe", "recipe"}, {"objective", "objective"}, {"unknown", "unknown"}},
                   {{"passed", "largest passed"},
                    {"failed", "smallest failed"},
                    {"measured_us", "measured, µs"},
                    {"handoffs_per_s", "handoffs, 1/s"}}}};

static size_t count_kind(const struct page_sources *sources, enum page_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++)
        count += sources->list[i].kind == kind;
    return count;
}

static void put_keys(FILE *stream, const struct page_figures *figures, const char *const *cell)
{
    for (size_t i = 0; figures->keys[i].column != NULL; i++)
        page_table_text(stream, cell[i]);
}

/* A dash: no trial that counts has this number. */
static void put_median(FILE *stream, double median)
{
    char text[NUMBER_SIZE] = "–";
    if (!isnan(median))
        snprintf(text, sizeof text, "%.7g", median);
    page_table_number(stream, text);
}

static enum error_kind put_figures(FILE *stream, const struct page_source *source, size_t place,
                                   const struct page_cells *cells, size_t first, size_t end,
                                   struct error *error)
{
    const struct page_figures *figures = &figures_of[source->kind];
    const struct csv_reader *file = page_source_file(source, figures->file);
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && figures->figures[i].column != NULL; i++) {
        double median;
        kind = page_cells_median(cells, first, end, place, file, figures->figures[i].column,
                                 &median, error);
        if (kind == ERROR_NONE)
            put_median(stream, median);
    }
    return kind;
}

static void put_headings(FILE *stream, const struct page_sources *sources, enum page_kind kind)
{
    const struct page_figures *figures = &figures_of[kind];
    fputs("<thead>\n<tr>\n", stream);
    for (size_t i = 0; figures->keys[i].column != NULL; i++)
        page_table_heading(stream, figures->keys[i].title);
    for (size_t i = 0; i < sources->count; i++) {
        for (size_t j = 0; sources->list[i].kind == kind && figures->figures[j].column != NULL;
             j++) {
            char title[CAPTION_SIZE];
            snprintf(title, sizeof title, "%.400s: %s", sources->list[i].label,
                     figures->figures[j].title);
            page_table_heading(stream,
                               count_kind(sources, kind) > 1 ? title : figures->figures[j].title);
        }
    }
    fputs("</tr>\n</thead>\n<tbody>\n", stream);
}

static enum error_kind put_cell(FILE *stream, const struct page_sources *sources, enum page_kind of,
                                const struct page_cells *cells, size_t first, size_t end,
                                struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    fputs("<tr>", stream);
    put_keys(stream, &figures_of[of], cells->trials[first].keys);
    for (size_t i = 0; kind == ERROR_NONE && i < sources->count; i++) {
        if (sources->list[i].kind == of)
            kind = put_figures(stream, &sources->list[i], i, cells, first, end, error);
    }
    fputs("</tr>\n", stream);
    return kind;
}

static enum error_kind put_cells(FILE *stream, const struct page_sources *sources,
                                 enum page_kind of, const struct page_cells *cells,
                                 struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    size_t end;
    for (size_t first = 0; kind == ERROR_NONE && first < cells->count; first = end) {
        end = page_cells_end(cells, first);
        kind = put_cell(stream, sources, of, cells, first, end, error);
    }
    return kind;
}

static enum error_kind write_kind(FILE *stream, const struct page_sources *sources,
                                  enum page_kind of, struct error *error)
{
    static const char *const captions[PAGE_KINDS] = {
        [PAGE_RUN] = "Medians over the valid trials of each cell",
        [PAGE_LOAD] = "Geometric means over the trials of each cell",
        [PAGE_PLAN] = "Answers of the searches"};
    struct page_cells cells;
    enum error_kind kind = page_cells_init(sources, &figures_of[of], &cells, error);
    if (kind != ERROR_NONE)
        return kind;
    page_table_begin(stream, captions[of]);
    put_headings(stream, sources, of);
    kind = put_cells(stream, sources, of, &cells, error);
    page_table_end(stream);
    page_cells_deinit(&cells);
    return kind;
}

bool page_medians_any(const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        if (figures_of[sources->list[i].kind].file != NULL)
            return true;
    }
    return false;
}

enum error_kind page_medians_write(FILE *stream, const struct page_sources *sources,
                                   struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (enum page_kind of = 0; kind == ERROR_NONE && of < PAGE_KINDS; of++) {
        if (figures_of[of].file != NULL && count_kind(sources, of) > 0)
            kind = write_kind(stream, sources, of, error);
    }
    return kind;
}

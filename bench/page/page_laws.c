// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_laws.h"

#include "bench/page/page_cells.h"
#include "bench/page/page_table.h"

#include <math.h>

#define CAPTION_SIZE 512
#define NUMBER_SIZE  64

static const struct page_figures cells_of = {
    .kind = PAGE_RUN, .file = "trials.csv", .keys = {{"recipe", "recipe"}, {"clients", "clients"}}};

/* What was counted in the trials of a cell that have a law. */
struct counted {
    double least[2], most[2], law[2]; /* requests, notifications */
    size_t trials, equal;
};

static const char *const counts[2] = {"rpcs", "notifications"};
static const char *const laws[2] = {"law_rpcs", "law_notifications"};

static void add_trial(const struct csv_reader *file, size_t row, struct counted *counted)
{
    bool equal = true;
    for (size_t i = 0; i < 2; i++) {
        double count = page_source_number(file, row, counts[i]);
        counted->law[i] = page_source_number(file, row, laws[i]);
        counted->least[i] = counted->trials == 0 ? count : fmin(counted->least[i], count);
        counted->most[i] = counted->trials == 0 ? count : fmax(counted->most[i], count);
        equal = equal && count == counted->law[i];
    }
    counted->trials++;
    counted->equal += equal;
}

static struct counted count_cell(const struct csv_reader *file, const struct page_cells *cells,
                                 size_t first, size_t end, size_t source)
{
    struct counted counted = {0};
    for (size_t i = first; i < end; i++) {
        const struct page_trial *trial = &cells->trials[i];
        if (trial->source == source && !isnan(page_source_number(file, trial->row, laws[0])))
            add_trial(file, trial->row, &counted);
    }
    return counted;
}

static void put_counted(FILE *stream, const struct counted *counted)
{
    char text[NUMBER_SIZE];
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%.0f", counted->law[i]);
        page_table_number(stream, text);
        if (counted->least[i] == counted->most[i])
            snprintf(text, sizeof text, "%.0f", counted->least[i]);
        else
            snprintf(text, sizeof text, "%.0f to %.0f", counted->least[i], counted->most[i]);
        page_table_number(stream, text);
    }
    snprintf(text, sizeof text, "%zu of %zu", counted->equal, counted->trials);
    page_table_number(stream, text);
}

static bool has_laws(const struct page_source *source)
{
    const struct csv_reader *file = page_source_file(source, "trials.csv");
    for (size_t row = 0; source->kind == PAGE_RUN && row < file->rows; row++) {
        if (!isnan(page_source_number(file, row, laws[0])))
            return true;
    }
    return false;
}

static void put_lawful_cells(FILE *stream, const struct page_source *source, size_t place,
                             const struct page_cells *cells)
{
    const struct csv_reader *file = page_source_file(source, "trials.csv");
    size_t end;
    for (size_t first = 0; first < cells->count; first = end) {
        end = page_cells_end(cells, first);
        const struct counted counted = count_cell(file, cells, first, end, place);
        if (counted.trials == 0)
            continue;
        fputs("<tr>", stream);
        for (size_t i = 0; cells_of.keys[i].column != NULL; i++)
            page_table_text(stream, cells->trials[first].keys[i]);
        put_counted(stream, &counted);
        fputs("</tr>\n", stream);
    }
}

static void write_laws(FILE *stream, const struct page_source *source, size_t place,
                       const struct page_cells *cells)
{
    static const char *const titles[] = {"recipe",
                                         "clients",
                                         "requests by law",
                                         "requests",
                                         "notifications by law",
                                         "notifications",
                                         "trials equal to the law"};
    char caption[CAPTION_SIZE];
    snprintf(caption, sizeof caption, "Laws beside the counts of %.400s", source->label);
    page_table_begin(stream, caption);
    fputs("<thead>\n<tr>\n", stream);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        page_table_heading(stream, titles[i]);
    fputs("</tr>\n</thead>\n<tbody>\n", stream);
    put_lawful_cells(stream, source, place, cells);
    page_table_end(stream);
}

bool page_laws_any(const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        if (has_laws(&sources->list[i]))
            return true;
    }
    return false;
}

enum error_kind page_laws_write(FILE *stream, const struct page_sources *sources,
                                struct error *error)
{
    struct page_cells cells;
    enum error_kind kind = page_cells_init(sources, &cells_of, &cells, error);
    if (kind != ERROR_NONE)
        return kind;
    for (size_t i = 0; i < sources->count; i++) {
        if (has_laws(&sources->list[i]))
            write_laws(stream, &sources->list[i], i, &cells);
    }
    page_cells_deinit(&cells);
    return ERROR_NONE;
}

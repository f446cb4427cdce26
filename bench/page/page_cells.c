// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_cells.h"

#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    bool are_numbers = a_end != a && *a_end == '\0' && b_end != b && *b_end == '\0';
    return are_numbers ? (x > y) - (x < y) : strcmp(a, b);
}

static int compare_cells(const struct page_trial *x, const struct page_trial *y)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < PAGE_KEYS_MAX; i++)
        order = compare_texts(x->keys[i], y->keys[i]);
    return order;
}

static int compare_trials(const void *a, const void *b)
{
    const struct page_trial *x = a, *y = b;
    int order = compare_cells(x, y);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static void add_trials(const struct csv_reader *file, const struct page_figures *figures,
                       size_t source, struct page_cells *cells)
{
    for (size_t row = 0; row < file->rows; row++) {
        struct page_trial *trial = &cells->trials[cells->count++];
        *trial = (struct page_trial){{"", "", "", ""}, source, row};
        for (size_t i = 0; figures->keys[i].column != NULL; i++)
            trial->keys[i] = page_source_text(file, row, figures->keys[i].column);
    }
}

enum error_kind page_cells_init(const struct page_sources *sources,
                                const struct page_figures *figures, struct page_cells *cells,
                                struct error *error)
{
    size_t rows = 0;
    for (size_t i = 0; i < sources->count; i++)
        rows += page_source_file(&sources->list[i], figures->file)->rows;
    *cells = (struct page_cells){.trials = calloc(rows + 1, sizeof *cells->trials)};
    if (cells->trials == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, figures->file, "%s", "");
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->list[i].kind == figures->kind)
            add_trials(page_source_file(&sources->list[i], figures->file), figures, i, cells);
    }
    qsort(cells->trials, cells->count, sizeof *cells->trials, compare_trials);
    return ERROR_NONE;
}

void page_cells_deinit(struct page_cells *cells)
{
    free(cells->trials);
    *cells = (struct page_cells){0};
}

size_t page_cells_end(const struct page_cells *cells, size_t first)
{
    size_t end = first + 1;
    while (end < cells->count && compare_cells(&cells->trials[first], &cells->trials[end]) == 0)
        end++;
    return end;
}

enum error_kind page_cells_median(const struct page_cells *cells, size_t first, size_t end,
                                  size_t source, const struct csv_reader *file, const char *column,
                                  double *median, struct error *error)
{
    double *values = calloc(end - first + 1, sizeof *values);
    size_t count = 0;
    if (values == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, column, "%s", "");
    for (size_t i = first; i < end; i++) {
        const struct page_trial *trial = &cells->trials[i];
        if (trial->source != source || !page_source_counts(file, trial->row))
            continue;
        double value = page_source_number(file, trial->row, column);
        if (!isnan(value))
            values[count++] = value;
    }
    statistics_sort(values, count);
    *median = statistics_median(values, count);
    free(values);
    return ERROR_NONE;
}

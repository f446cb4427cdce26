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

/* Keys behind the last are "". */
static int compare_cells(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    int order = 0;
    for (size_t i = 0; order == 0 && i < PAGE_KEYS_MAX; i++)
        order = compare_texts(x[i], y[i]);
    return order;
}

static void take_keys(const struct csv_reader *file, size_t row, const struct page_figures *figures,
                      const char *cell[PAGE_KEYS_MAX])
{
    for (size_t i = 0; i < PAGE_KEYS_MAX; i++)
        cell[i] = "";
    for (size_t i = 0; figures->keys[i].column != NULL; i++)
        cell[i] = page_source_text(file, row, figures->keys[i].column);
}

static void drop_repetitions(struct page_cells *cells)
{
    size_t kept = 0;
    for (size_t i = 0; i < cells->count; i++) {
        if (kept > 0 && compare_cells(cells->list[kept - 1], cells->list[i]) == 0)
            continue;
        memmove(cells->list[kept++], cells->list[i], sizeof cells->list[i]);
    }
    cells->count = kept;
}

enum error_kind page_cells_init(const struct page_sources *sources,
                                const struct page_figures *figures, struct page_cells *cells,
                                struct error *error)
{
    size_t rows = 0;
    for (size_t i = 0; i < sources->count; i++)
        rows += page_source_file(&sources->list[i], figures->file)->rows;
    *cells = (struct page_cells){.list = calloc(rows + 1, sizeof *cells->list)};
    if (cells->list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, figures->file, "%s", "");
    for (size_t i = 0; i < sources->count; i++) {
        const struct csv_reader *file = page_source_file(&sources->list[i], figures->file);
        for (size_t row = 0; sources->list[i].kind == figures->kind && row < file->rows; row++)
            take_keys(file, row, figures, cells->list[cells->count++]);
    }
    qsort(cells->list, cells->count, sizeof *cells->list, compare_cells);
    drop_repetitions(cells);
    return ERROR_NONE;
}

void page_cells_deinit(struct page_cells *cells)
{
    free(cells->list);
    *cells = (struct page_cells){0};
}

bool page_cells_has(const struct csv_reader *file, size_t row, const struct page_figures *figures,
                    const char *const *cell)
{
    const char *keys[PAGE_KEYS_MAX];
    take_keys(file, row, figures, keys);
    return compare_cells(keys, cell) == 0;
}

enum error_kind page_cells_median(const struct csv_reader *file, const struct page_figures *figures,
                                  const char *const *cell, const char *column, double *median,
                                  size_t *count, struct error *error)
{
    double *values = calloc(file->rows + 1, sizeof *values);
    if (values == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, column, "%s", "");
    *count = 0;
    for (size_t row = 0; row < file->rows; row++) {
        double value = page_source_number(file, row, column);
        if (!isnan(value) && page_source_counts(file, row) &&
            page_cells_has(file, row, figures, cell))
            values[(*count)++] = value;
    }
    statistics_sort(values, *count);
    *median = *count > 0 ? statistics_median(values, *count) : NAN;
    free(values);
    return ERROR_NONE;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * page_cells: medians over the trials of each cell, of several sources side by side. Layer:
 * bench/page.
 *
 * A cell is what trials have in common: of a run, the recipe and the number of clients.
 *
 * Invariant: the cells differ, and are in order; numbers come in the order of their values.
 */
#ifndef BENCH_PAGE_PAGE_CELLS_H
#define BENCH_PAGE_PAGE_CELLS_H

#include "bench/page/page_source.h"

#define PAGE_KEYS_MAX    4
#define PAGE_FIGURES_MAX 6

/* A column, and what it is called. */
struct page_column {
    const char *column; /* NULL: behind the last */
    const char *title;
};

/* What is told of the trials of a kind; constant. */
struct page_figures {
    enum page_kind kind;
    const char *file; /* which has a row for each trial; NULL: nothing is told */
    struct page_column keys[PAGE_KEYS_MAX + 1];
    struct page_column figures[PAGE_FIGURES_MAX + 1];
};

/* A trial of a cell. */
struct page_trial {
    const char *keys[PAGE_KEYS_MAX]; /* their texts, owned by the source; "" behind the last */
    size_t source;                   /* in the list of the sources */
    size_t row;
};

/* The trials of a cell stand together, those of a source in the order of their rows. All zero bytes
 * are an empty list. */
struct page_cells {
    struct page_trial *trials;
    size_t count;
};

/* Gathers the trials of all sources of this kind. On success *cells is for page_cells_deinit;
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_cells_init(const struct page_sources *sources,
                                           const struct page_figures *figures,
                                           struct page_cells *cells, struct error *error);
void page_cells_deinit(struct page_cells *cells);

/* The place behind the last trial of the cell whose first trial is at `first`. */
size_t page_cells_end(const struct page_cells *cells, size_t first);

/* The median of a column over those trials of a source from `first` to before `end` that count; NaN
 * if none has a number. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_cells_median(const struct page_cells *cells, size_t first,
                                             size_t end, size_t source,
                                             const struct csv_reader *file, const char *column,
                                             double *median, struct error *error);

#endif

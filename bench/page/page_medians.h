// SPDX-License-Identifier: Apache-2.0
/*
 * page_medians: the figures of all sources side by side, and the counts of runs beside their laws.
 * Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_MEDIANS_H
#define BENCH_PAGE_PAGE_MEDIANS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes a table of medians for each kind that the sources have: a row for each cell, and columns
 * for each source. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_medians_write(FILE *stream, const struct page_sources *sources,
                                              struct error *error);

/* Whether a run is among the sources whose counts have laws. */
bool page_medians_has_laws(const struct page_sources *sources);

/* Writes a table for each such run: what the law predicts for a cell, what was counted, and in how
 * many trials both are equal. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_medians_write_laws(FILE *stream, const struct page_sources *sources,
                                                   struct error *error);

#endif

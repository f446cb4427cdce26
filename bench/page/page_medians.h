// SPDX-License-Identifier: Apache-2.0
/*
 * page_medians: the figures of all sources side by side. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_MEDIANS_H
#define BENCH_PAGE_PAGE_MEDIANS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Whether a source is of a kind that has such a table. */
bool page_medians_any(const struct page_sources *sources);

/* Writes a table of medians for each kind that the sources have: a row for each cell, and columns
 * for each source. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_medians_write(FILE *stream, const struct page_sources *sources,
                                              struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * page_laws: the counts of runs beside their laws. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_LAWS_H
#define BENCH_PAGE_PAGE_LAWS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Whether a run is among the sources whose counts have laws. */
bool page_laws_any(const struct page_sources *sources);

/* Writes a table for each such run: what the law predicts for a cell, what was counted, and in how
 * many trials both are equal. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_laws_write(FILE *stream, const struct page_sources *sources,
                                           struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * page_plots: the pictures of all sources, each with words for those who do not see it and with its
 * data as a table. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_PLOTS_H
#define BENCH_PAGE_PAGE_PLOTS_H

#include "bench/page/page_source.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether some source has a picture, or what one is drawn from. */
bool page_plots_any(const struct page_sources *sources);

/* Writes the pictures that some source has, each once for every source that has it, side by side.
 * In the place of a picture that is not one of gnuplot's a sentence says so. Of a source without
 * any picture only the tables are written. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_plots_write(FILE *stream, const struct page_sources *sources,
                                            struct error *error);

/* The same for the anatomy of a handoff, which is not among them, and whether some source has it.
 * Its handoffs can be gone through, by the script of the page (bench/page/page_anatomy.h). */
bool page_plots_has_anatomy(const struct page_sources *sources);
MUST_CHECK enum error_kind
page_plots_write_anatomy(FILE *stream, const struct page_sources *sources, struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * page_lead: what was measured, on which servers, and when, in a sentence or two for each source.
 * Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_LEAD_H
#define BENCH_PAGE_PAGE_LEAD_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes a paragraph for each source. */
void page_lead_write(FILE *stream, const struct page_sources *sources);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * page_terms: what the words of a page mean. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_TERMS_H
#define BENCH_PAGE_PAGE_TERMS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes the terms that a page of these sources uses as a list. */
void page_terms_write(FILE *stream, const struct page_sources *sources);

#endif

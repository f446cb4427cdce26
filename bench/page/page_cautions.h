// SPDX-License-Identifier: Apache-2.0
/*
 * page_cautions: what a reader of results has to be careful about. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_CAUTIONS_H
#define BENCH_PAGE_PAGE_CAUTIONS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes the sentences about a source as a list. */
void page_cautions_write(FILE *stream, const struct page_source *source);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * page_checks: what was checked in every trial, and whether a check failed: each grant when it was
 * made, and the counts of the clients against those of the servers. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_CHECKS_H
#define BENCH_PAGE_PAGE_CHECKS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes the sentences about a source, as items of a list. */
void page_checks_write(FILE *stream, const struct page_source *source);

#endif

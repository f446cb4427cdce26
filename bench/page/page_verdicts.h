// SPDX-License-Identifier: Apache-2.0
/*
 * page_verdicts: what results say, in a sentence each. Layer: bench/page.
 *
 * Each sentence begins with its verdict as a word: holds, fails, undetermined; or measured, where
 * nothing is claimed.
 *
 * Invariant: a sentence has no number that is not in the files, or follows from them by counting.
 */
#ifndef BENCH_PAGE_PAGE_VERDICTS_H
#define BENCH_PAGE_PAGE_VERDICTS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes the sentences about a source as a list. */
void page_verdicts_write(FILE *stream, const struct page_source *source);

/* What the sizes of a plan count, by its unknown: "waiters", "requests a second". */
const char *page_verdicts_unit(const char *unknown);

#endif

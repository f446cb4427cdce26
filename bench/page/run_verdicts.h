// SPDX-License-Identifier: Apache-2.0
/*
 * run_verdicts: what a run says about its locks. Layer: bench/page.
 */
#ifndef BENCH_PAGE_RUN_VERDICTS_H
#define BENCH_PAGE_RUN_VERDICTS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes the sentences about trials.csv, fits.csv and background.csv, as items of a list. */
void run_verdicts_write(FILE *stream, const struct page_source *run);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * page_anatomy: the handoffs of a trace, to be gone through by a reader. Layer: bench/page.
 *
 * What is written here is hidden until the script of the page (page_anatomy.js) fills it, from the
 * table of trace.csv that stands beside it. Without the script, and on paper, there are the picture
 * and the table.
 */
#ifndef BENCH_PAGE_PAGE_ANATOMY_H
#define BENCH_PAGE_PAGE_ANATOMY_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes the elements of one trace, whose table has the same parent. Of a long trace the handoffs
 * that are in the table as a whole (PAGE_TABLE_ROWS_MAX) can be gone through; if there is none,
 * nothing is written. */
void page_anatomy_write(FILE *stream, const struct csv_reader *trace);

/* Writes the script, behind the last trace. */
void page_anatomy_write_script(FILE *stream);

#endif

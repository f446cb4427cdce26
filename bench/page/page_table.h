// SPDX-License-Identifier: Apache-2.0
/*
 * page_table: tables of a page. Layer: bench/page.
 *
 * A table can be scrolled by keyboard where it is wider than the page.
 */
#ifndef BENCH_PAGE_PAGE_TABLE_H
#define BENCH_PAGE_PAGE_TABLE_H

#include "measure/csv_reader.h"

#include <stdbool.h>
#include <stdio.h>

/* Rows that a table has at most; the file has the others. */
#define PAGE_TABLE_ROWS_MAX 20000

/* On paper a table with more rows is named, and not printed: the file has them. */
#define PAGE_TABLE_PRINTED_MAX 60

/* Begins a table with this caption, before its rows; ends it. */
void page_table_begin(FILE *stream, const char *caption);
void page_table_end(FILE *stream);

/* Cells of a row, between <tr> and </tr>: the heading of a column; a text; a text that is a number.
 */
void page_table_heading(FILE *stream, const char *text);
void page_table_text(FILE *stream, const char *text);
void page_table_number(FILE *stream, const char *text);

/* Writes these columns (with blanks between) of all rows, folded away. A column that the file lacks
 * is left out. printed: the page has room for the table on paper. */
void page_table_data(FILE *stream, const struct csv_reader *file, const char *columns,
                     const char *caption, bool printed);

#endif

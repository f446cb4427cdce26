// SPDX-License-Identifier: Apache-2.0
/*
 * page: report.html, which shows the results of one folder, or of several side by side: findings,
 * rows of tables, and pictures; and these tables for a text of one's own. It computes nothing.
 * Layer: bench/page.
 *
 * The page is one file, which loads nothing. It depends on the files of the folders and on the
 * names of these, and on nothing else: one written at the end of a run is the same as one that is
 * written later.
 *
 * Invariant: the page is written as a whole, or not at all.
 */
#ifndef BENCH_PAGE_PAGE_H
#define BENCH_PAGE_PAGE_H

#include "base/error.h"
#include "bench/output/series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The page of one folder, in it. */
#define PAGE_FILE "report.html"

/* Writes the page of these folders (bench/page/sources.c) to `file`, replacing a file of that name.
 * Errors of page_sources_read and of base/output.h; ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind page_write(const char *const *folders, size_t count, const char *file,
                                      struct error *error);

/* A form in which people take tables into a text of their own. */
enum page_format { PAGE_LATEX, PAGE_CSV, PAGE_MARKDOWN };

extern const char *const page_formats[]; /* NULL behind the last */

/* Prints the table with this name, with the rows of all these folders; the page names it in its
 * files. table: NULL: makes the folder `out` with a file for each table, which has its name. Errors
 * as above, and of folder_make (bench/output/folder.h); ERROR_USAGE: they have none of that name,
 * and the detail lists theirs. */
MUST_CHECK enum error_kind page_tables_export(const char *const *folders, size_t count,
                                              const char *table, enum page_format format,
                                              const char *out, struct error *error);

/* Writes PAGE_FILE into one folder at the end of a subcommand, whose results are none the worse if
 * it cannot be done: that is a warning on stderr, except if quiet, and in the manifest. manifest:
 * that of the folder, which has been written; NULL: the folder has none. */
void page_add(const char *folder, const struct manifest *manifest, bool quiet);

/* The same at the end of a series: for each of its records that is whole, and for the folder that
 * holds several. */
void page_add_series(const struct series *series);

#endif

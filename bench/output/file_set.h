// SPDX-License-Identifier: Apache-2.0
/*
 * file_set: the files of a new folder that grow trial by trial. Layer: bench/output.
 *
 * Invariant: every file has the same trials, whole ones, whatever happens: a trial that one file
 * has no room for is in none of them. Room for the folder's manifest.json is reserved, so that a
 * disk that fills up leaves no folder without one.
 */
#ifndef BENCH_OUTPUT_FILE_SET_H
#define BENCH_OUTPUT_FILE_SET_H

#include "base/error.h"
#include "base/output.h"
#include "measure/csv.h"
#include "measure/histogram.h"
#include "measure/table.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_SET_FILES_MAX 16

struct file_set {
    char folder[PATH_MAX];
    char run[NAME_MAX + 1]; /* the id in every row: the folder's last name, or the user's own */
    uint64_t started_utc_ns;
    uint64_t started_ns;
    size_t trials;
    bool broken; /* a write has failed: the files have the trials before the failure */
    struct output files[FILE_SET_FILES_MAX];
    size_t count;
};

/* Makes the folder (bench/output/folder.h): `out`, or results/<UTC time>-<name> if out is NULL.
 * After an error, too, file_set_close must be called. The set must not be moved while it is open.
 */
MUST_CHECK enum error_kind file_set_open(struct file_set *set, const char *out, const char *name,
                                         struct error *error);

/* Each adds a file, unless *error is set: of several files in a row the first error stays. Until
 * the set is closed, the rows of a CSV file with these columns, or with those of a table, are
 * written through *csv, and the intervals of a log of histograms (measure/hlog.h) to *stream. */
void file_set_add_csv(struct file_set *set, const char *name, const char *columns, struct csv *csv,
                      struct error *error);
void file_set_add_table(struct file_set *set, const struct table_type *type, struct csv *csv,
                        struct error *error);
void file_set_add_hlog(struct file_set *set, const char *name, FILE **stream, struct error *error);

/* Writes all rows of a table to a file in a folder that is part of no set: whole, or as before.
 * name: NULL for that of the table's type. */
MUST_CHECK enum error_kind file_set_save_table(const char *folder, const struct table *table,
                                               const char *name, struct error *error);

/* A trial has been written to all files, of which the first has a row for every trial. A file that
 * could not be written is named in *error. On an error the files keep the trials before this one.
 */
MUST_CHECK enum error_kind file_set_commit(struct file_set *set, struct error *error);

/* Renames the files to their final names; after a failed write they have the trials before the
 * failure. If no trial was added, the files and the folder are removed. */
MUST_CHECK enum error_kind file_set_close(struct file_set *set, struct error *error);

#endif

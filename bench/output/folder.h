// SPDX-License-Identifier: Apache-2.0
/*
 * folder: the folder for the results of a subcommand, and what a folder with results is known by.
 * Layer: bench/output.
 *
 * Invariant: the folder is new. Nothing is written into a folder that exists already.
 */
#ifndef BENCH_OUTPUT_FOLDER_H
#define BENCH_OUTPUT_FOLDER_H

#include "base/error.h"
#include "measure/table.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The two take OUTPUT_NOWHERE (base/output.h) as a folder: there is then none.
 *
 * Whether folder_make will succeed, before the work begins; errors of folder_make. Makes the folder
 * `out`, if not NULL, and removes it again. */
MUST_CHECK enum error_kind folder_check(const char *out, struct error *error);

/*
 * Makes the folder `out`; or, if out is NULL, results/<UTC time>-<name>, with -2, -3, … behind it
 * if a folder of that name exists. The path, without slashes at the end, goes to folder.
 * ERROR_EXISTS, ERROR_DENIED, ERROR_NO_SPACE, ERROR_SYSTEM.
 */
MUST_CHECK enum error_kind folder_make(const char *out, uint64_t utc_ns, const char *name,
                                       char folder[PATH_MAX], struct error *error);

/* Removes what folder_make has made, if it is empty: the folder, and "results" if that did not
 * exist before. A signal handler may call it. */
void folder_discard(const char *folder);

/* Removes the slashes at the end of a path, but not that of "/"; the last name of such a path. */
void folder_trim(char *folder);
const char *folder_name(const char *path);

bool folder_has(const char *folder, const char *name);

/* Writes the path of a file in a folder of results. ERROR_NOT_A_RUN: there is no such folder, or no
 * such file in it. */
#define FOLDER_FILE_SIZE (PATH_MAX + NAME_MAX + 2)
MUST_CHECK enum error_kind folder_find(const char *folder, const char *name,
                                       char path[FOLDER_FILE_SIZE], struct error *error);

/* What its manifest.json holds, the caller's to json_decref; NULL, with an error of folder_find or
 * ERROR_MALFORMED, if that cannot be read. */
json_t *folder_manifest(const char *folder, struct error *error);

/* Calls `add` with each folder and file in a folder, except hidden ones, in the order of their
 * names, until an error. A folder that cannot be read has none. */
enum error_kind folder_each(const char *folder,
                            enum error_kind (*add)(void *context, const char *path,
                                                   struct error *error),
                            void *context, struct error *error);

/* A kind of results. */
struct result_kind {
    const char *file;              /* by which a folder is known */
    const char *word, *terms;      /* conditions of page.html, the first in the heading, too; NULL:
                                      it has no page */
    const struct table_type *type; /* of the rows that are compared; NULL: it is not */
};

/* The kind of a folder; NULL: it has no results. */
const struct result_kind *result_kind_of(const char *folder);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * folder: the folder that a subcommand writes its results into. Layer: bench/output.
 *
 * Invariant: it is new. What exists already is somebody's, and is never written into.
 */
#ifndef BENCH_OUTPUT_FOLDER_H
#define BENCH_OUTPUT_FOLDER_H

#include "base/error.h"

#include <limits.h>
#include <stdint.h>

/* Whether folder_make will succeed, for before the work begins, with its errors. A folder that is
 * named is made for it, and removed again. */
MUST_CHECK enum error_kind folder_check(const char *out, struct error *error);

/*
 * Makes the folder: `out`, or results/<UTC time>-<name> below the present one if out is NULL, with
 * -2, -3, … behind it where that is somebody's of the same second. Its path, without slashes at the
 * end, goes to folder. ERROR_EXISTS, ERROR_DENIED, ERROR_NO_SPACE, ERROR_SYSTEM.
 */
MUST_CHECK enum error_kind folder_make(const char *out, uint64_t utc_ns, const char *name,
                                       char folder[PATH_MAX], struct error *error);

/* Takes the slashes off the end of a folder's name, but for the root's. */
void folder_trim(char *folder);

/* The last name of a path: points into it. */
const char *folder_name(const char *path);

/* The folder, which is there, that a results' folder named so is, or would be, made in: of NULL
 * that is "results", or "." if it is not there yet. */
void folder_parent(const char *out, char folder[PATH_MAX]);

#endif

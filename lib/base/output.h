// SPDX-License-Identifier: Apache-2.0
/*
 * output: a file that is written beside its final name and renamed when it is complete. Layer:
 * base.
 *
 * The file grows as folder/name.part. A failed write (a full disk) loses only what was written
 * after the last commit; output_keep saves the rest and needs no space. Invariants: folder/name
 * never exists half written; after a failed write nothing more is written, so there is no hole; the
 * first errno is reported. The program must ignore SIGXFSZ, so that EFBIG is an error.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* In the place of a folder: what is written goes nowhere, and no file is made. */
#define OUTPUT_NOWHERE ""

/* All zero bytes: closed. Must not be moved or copied while open. */
struct output {
    FILE *stream; /* the caller writes here; output_commit finds errors */
    int descriptor;
    int os_error; /* errno of the first write that failed, or 0 */
    uint64_t written_bytes;
    uint64_t committed_bytes;
    char path[PATH_MAX];      /* the final name */
    char part_path[PATH_MAX]; /* "" when closed, and nowhere */
};

/* Takes up room as folder/name.part, if there is so much, so that a small file can still be written
 * when the disk is full: output_open gives the room back, or output_unreserve for a file that will
 * not be opened. */
void output_reserve(const char *folder, const char *name, size_t bytes);
void output_unreserve(const char *folder, const char *name);

/* Opens folder/name.part, empty, for writing. On an error *output is closed. */
MUST_CHECK enum error_kind output_open(struct output *output, const char *folder, const char *name,
                                       struct error *error);

/* Writes what is buffered and marks it as committed; to be called where the file is well-formed.
 * The other commits, closes, and renames to folder/name, replacing a file of that name. On an error
 * the output stays open with its last commit: end it with output_keep or output_abandon. */
MUST_CHECK enum error_kind output_commit(struct output *output, struct error *error);
MUST_CHECK enum error_kind output_finish(struct output *output, struct error *error);

/* After a failed write: cuts the file to its last commit, closes it and renames it to folder/name;
 * a file without a commit is removed. On an error the output is closed, and folder/name.part may
 * remain. */
MUST_CHECK enum error_kind output_keep(struct output *output, struct error *error);

/* Closes and removes the file. Does nothing if the output is closed. */
void output_abandon(struct output *output);

/* Writes folder/name as a whole. On an error the folder is as before. */
MUST_CHECK enum error_kind output_write(const char *folder, const char *name,
                                        void (*write)(FILE *stream, const void *context),
                                        const void *context, struct error *error);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * output: a file that is written beside its final name and renamed when it is complete. Layer:
 * base.
 *
 * It grows as folder/name.part. What was committed is good; a failed write (a full disk) loses only
 * what came after the last commit, and output_keep saves the rest without needing space.
 * Invariants: folder/name never exists half written; after a failed write nothing more is
 * written, so there is never a hole; the first errno is the one that is reported.
 *
 * A write over the limit of a file's size (EFBIG) comes out as an error only if the program ignores
 * SIGXFSZ.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/error.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* All zero bytes: closed. Must not be moved or copied while it is open. */
struct output {
    FILE *stream; /* to write to; its errors may be left for output_commit to find */
    int descriptor;
    int os_error; /* errno of the first write that failed; 0 while all is well */
    uint64_t written_bytes;
    uint64_t committed_bytes;
    char path[PATH_MAX];      /* the final name */
    char part_path[PATH_MAX]; /* "" when closed */
};

/*
 * Opens folder/name.part for writing, emptying one that an earlier run left. The folder must exist.
 * On an error *output is closed.
 */
MUST_CHECK enum error_kind output_open(struct output *output, const char *folder, const char *name,
                                       struct error *error);

/*
 * Writes what is buffered and remembers that everything so far is good: call it where the file is
 * well-formed. On an error the output stays open, with the good length of the last commit: end it
 * by output_keep or output_abandon.
 */
MUST_CHECK enum error_kind output_commit(struct output *output, struct error *error);

/*
 * Commits, closes, and renames to folder/name, replacing what was there. On an error end it by
 * output_keep or output_abandon.
 */
MUST_CHECK enum error_kind output_finish(struct output *output, struct error *error);

/*
 * After a failed write: cuts the file to its last commit, closes it and renames it to folder/name.
 * Needs no space. If nothing was ever committed the file is removed instead. On an error the output
 * is closed, and folder/name.part may remain.
 */
MUST_CHECK enum error_kind output_keep(struct output *output, struct error *error);

/* Closes and removes the file. Does nothing if it is closed already. */
void output_abandon(struct output *output);

#endif

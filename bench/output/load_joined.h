// SPDX-License-Identifier: Apache-2.0
/*
 * load_joined: the cells of a load on several topologies, in one file and its plots. Layer:
 * bench/output.
 *
 * The folder is the parent of the records' folders; its cells.csv has the rows of theirs, and
 * nothing else.
 */
#ifndef BENCH_OUTPUT_LOAD_JOINED_H
#define BENCH_OUTPUT_LOAD_JOINED_H

#include "bench/output/load_record.h"

/* Writes cells.csv into a folder, from the records that have trials; no file if fewer than two of
 * them have any. *written says whether there is a file. On an error there is none. */
MUST_CHECK enum error_kind load_joined_write(const struct load_record *records, size_t count,
                                             const char *folder, bool *written,
                                             struct error *error);

/* Draws the folder of --out; warns on stderr, except with --quiet, if that cannot be done.
 * ERROR_INTERRUPTED, and there is no plot, if `interrupts` (-1: never) becomes readable. */
MUST_CHECK enum error_kind load_joined_draw(const struct load_options *options, int interrupts,
                                            struct error *error);

#endif

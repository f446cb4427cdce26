// SPDX-License-Identifier: Apache-2.0
/*
 * load_files: the files of a load that grow trial by trial. Layer: bench/output.
 *
 *   load.csv        a row a trial                     (bench/output/load_rows.h)
 *   timeline.csv    a row a second of the measured time
 *   operations.csv  a row for each kind of operation and each status of its replies
 *   latency.csv     a row for each kind and each role of the session's server: percentiles; and of
 *                   notifications, and of each write's first and last one
 *   latency.hlog    the same as histograms, and the response times of every second
 */
#ifndef BENCH_OUTPUT_LOAD_FILES_H
#define BENCH_OUTPUT_LOAD_FILES_H

#include "bench/output/file_set.h"
#include "bench/output/load_rows.h"

struct load_files {
    struct file_set set;
    struct csv load, timeline, operations, latency;
    FILE *hlog;
};

/* Makes the folder and opens the files; those of file_set_open. On an error nothing is left. */
MUST_CHECK enum error_kind load_files_open(struct load_files *files, const char *out,
                                           const char *target, struct error *error);

/* Adds a trial. On an error the files keep the trials before it. */
MUST_CHECK enum error_kind load_files_add(struct load_files *files, const struct table_value *row,
                                          const struct load_result *result, struct error *error);

#endif

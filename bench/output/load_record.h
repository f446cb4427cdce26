// SPDX-License-Identifier: Apache-2.0
/*
 * load_record: the results of a load on one target: folder, rows, manifest. Layer: bench/output.
 *
 * A load on several topologies has a record for each of them, and each folder is complete.
 */
#ifndef BENCH_OUTPUT_LOAD_RECORD_H
#define BENCH_OUTPUT_LOAD_RECORD_H

#include "bench/output/file_set.h"
#include "bench/output/load_rows.h"
#include "bench/output/manifest.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>

/* The files that grow trial by trial: load.csv; timeline.csv, a row a second of the measured time;
 * operations.csv, a row for each kind of operation and each status of its replies; latency.csv,
 * percentiles for each kind and each role of the session's server, and of notifications;
 * latency.hlog, the same as histograms, and the response times of every second. */
struct load_files {
    struct file_set set;
    struct csv load, timeline, operations, latency;
    FILE *hlog;
};

struct load_record {
    const struct load_options *options;
    struct load_files files;
    struct manifest manifest;
    struct table rows; /* of load.csv */
    char target[80];   /* a copy of its name: the target is closed before the record */
    struct load_context context;
    size_t trials_planned;
    bool warned; /* that the counts cannot be compared with the servers' */
};

/* Makes the folder, and opens its files, for so many trials. load_record_free must be called also
 * after an error. options must outlive the record, which must not be moved. */
MUST_CHECK enum error_kind load_record_open(struct load_record *record,
                                            const struct load_options *options,
                                            const struct target *target, const char *out,
                                            size_t trials, int argc, char **argv,
                                            struct error *error);
void load_record_free(struct load_record *record);

/* Prints a warning, except with --quiet, and adds it to the manifest. */
void load_record_warn(struct load_record *record, const char *warning);

/* Adds a finished trial. */
MUST_CHECK enum error_kind load_record_add(struct load_record *record, const struct load_cell *cell,
                                           const struct load_result *result, struct error *error);

/* Closes the files of the trials, and writes cells.csv, the manifest and the plots. cut_short: why
 * the load ended before its last trial, or NULL. Returns the first error: ERROR_INTERRUPTED, with
 * all files but the plots written, if `interrupts` (-1: never) becomes readable while the plots are
 * drawn. */
MUST_CHECK enum error_kind load_record_close(struct load_record *record,
                                             const struct error *cut_short, int interrupts,
                                             struct error *error);

/* Complains about each trial that is not valid, or that the servers counted otherwise. */
void load_record_complain(const struct load_record *record);

/* The exit status for all trials: 0, 1 or 4. */
int load_record_verdict(const struct load_record *record);

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

// SPDX-License-Identifier: Apache-2.0
/*
 * run_files: reads the files that a run leaves in its folder, compares them with each other, and
 * reads the manifest.
 */
#ifndef TESTS_RUN_FILES_H
#define TESTS_RUN_FILES_H

#include "tests/support/csv_file.h"

#include <jansson.h>

/* The files of a run that grow trial by trial. */
struct run_files {
    struct csv_file trials, handoffs, sessions, latency;
};

void run_files_deinit(struct run_files *files);

/* Reads what a run has left in this folder of the working directory: whole trials, well-formed, and
 * the same ones in each file. For the caller to run_files_deinit. */
struct run_files run_files_read(const char *folder);

/* As docs/schema says; for the caller to json_decref. */
json_t *read_manifest(const char *folder);

/* The manifest says that the run was cut short, and by what (words of lib/base/error.h), and how
 * many trials there are in its files. */
void assert_cut_short(const char *folder, const char *words, size_t trials);

#endif

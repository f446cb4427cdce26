// SPDX-License-Identifier: Apache-2.0
/*
 * machine: what is around the program: the host and its limits, signals, standard output. Layer:
 * bench/cli.
 */
#ifndef BENCH_CLI_MACHINE_H
#define BENCH_CLI_MACHINE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Raises the limit of open files for `needed` sessions in one process, or in one private server.
 * ERROR_NO_DESCRIPTORS, with the numbers, if the host does not allow that. */
MUST_CHECK enum error_kind machine_allow_descriptors(uint64_t needed, struct error *error);

/* The sessions with one descriptor each that machine_allow_descriptors can allow; UINT64_MAX: no
 * limit. */
uint64_t machine_descriptors(void);

/* Writes the kernel's name of the file system of a folder ("ext4", "tmpfs"), or "unknown". folder:
 * an absolute path without links. */
void machine_file_system(const char *folder, char *name, size_t size);

/* For the manifest; the caller's to json_decref. */
json_t *machine_describe(void);

/* From here on SIGINT, SIGHUP and SIGTERM make a descriptor readable and do nothing else, so that a
 * run can end in order. Returns the descriptor, the caller's to close; -1 if the kernel has none
 * left. */
int signals_block(void);

/* Flushes stdout. An error is returned once only. ERROR_UNREAD: stdout is a pipe whose reader has
 * closed it, as head does; ERROR_NO_SPACE, ERROR_SYSTEM. */
MUST_CHECK enum error_kind standard_output_flush(struct error *error);

/* Checks stdout before a long run, and prints nothing. ERROR_NO_OUTPUT if stdout is closed, or open
 * for reading only; ERROR_NO_SPACE if stdout is a file on a full disk, or /dev/full; ERROR_UNREAD
 * if stdout is a pipe whose reader has gone. */
MUST_CHECK enum error_kind standard_output_check(struct error *error);

/* At the start of the program: opens /dev/null for reading in place of each of the three standard
 * descriptors that is closed, so that no file or connection gets the number of one of them. */
void standard_output_guard(void);

/* The release, and behind a dash the commit of the sources, unless it is the release's own. */
extern const char version_text[];

#endif

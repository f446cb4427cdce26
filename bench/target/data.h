// SPDX-License-Identifier: Apache-2.0
/*
 * data: the folder in which the private servers of a run keep their data (--data). Layer:
 * bench/target.
 *
 * A single topology uses the folder itself, which servers/ensemble.h makes and removes. Each of
 * several topologies uses a folder in that folder.
 *
 * Invariant: files of other programs in the folder are never changed.
 */
#ifndef BENCH_TARGET_DATA_H
#define BENCH_TARGET_DATA_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <limits.h>
#include <stdbool.h>

/*
 * Before the first server is started: checks that the folder is empty or new (ERROR_NOT_EMPTY), and
 * makes the folder that several topologies share if it does not exist; *made is whether it was
 * made. Does nothing without --data.
 */
MUST_CHECK enum error_kind data_prepare(const struct target_options *options, bool *made,
                                        struct error *error);

/* After the servers have ended: removes the folder that data_prepare made, if the folder is empty.
 */
void data_remove(const struct target_options *options, bool made);

/* The folder for the servers of the target of this name: NULL without --data; else the folder of
 * the option, or a folder in it, whose path is written to `folder`. */
const char *data_folder_of(const struct target_options *options, const char *target,
                           char folder[PATH_MAX]);

#endif

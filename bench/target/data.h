// SPDX-License-Identifier: Apache-2.0
/*
 * data: where the private servers of a run keep their data: the folder of --data. Layer:
 * bench/target.
 *
 * One topology has the folder itself (servers/ensemble.h makes and removes it), each of several a
 * folder of its own in it. Invariant: what somebody else has put there is never touched, and the
 * folder is made only if it is not there.
 */
#ifndef BENCH_TARGET_DATA_H
#define BENCH_TARGET_DATA_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <limits.h>
#include <stdbool.h>

/*
 * For before the first server is started: refuses a folder that is not empty (ERROR_NOT_EMPTY), and
 * makes the one that several topologies share if it is not there; *made says so. Without --data
 * there is nothing to do.
 */
MUST_CHECK enum error_kind data_prepare(const struct target_options *options, bool *made,
                                        struct error *error);

/* Removes what data_prepare made, once the servers are gone; not if something else is in it. */
void data_remove(const struct target_options *options, bool made);

/* The data_folder of the servers of a target of this name: NULL without --data, else the option's,
 * or one that is written to `folder`. */
const char *data_folder_of(const struct target_options *options, const char *target,
                           char folder[PATH_MAX]);

#endif

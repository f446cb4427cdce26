// SPDX-License-Identifier: Apache-2.0
/*
 * space: whether the disk has room for the results of a run. Layer: bench/run.
 *
 * The computed size is a lower bound, so that a run that is refused would certainly fail. A run
 * that is not refused may still fail, if other programs fill the disk meanwhile.
 */
#ifndef BENCH_RUN_SPACE_H
#define BENCH_RUN_SPACE_H

#include "base/error.h"
#include "bench/cli/options.h"

/* ERROR_NO_SPACE, with the numbers, if the results are larger than the free space of the file
 * system of their folder, which need not exist yet, or than the limit of a file's size (ulimit -f).
 */
MUST_CHECK enum error_kind space_check(const struct options *options, struct error *error);

#endif
